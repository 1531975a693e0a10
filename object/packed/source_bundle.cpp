#include "object/packed/source_bundle.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/json.hpp"

namespace symcached::object {
namespace {

namespace json = boost::json;

constexpr std::size_t kHeaderSize = 8;  ///< "SYSB", then the version in 4 bytes
constexpr std::uint32_t kNewestVersion = 2;
constexpr std::uint64_t kMaxManifest = 64u << 20;

/// Positions in the archive count from the header, or from behind it.
std::expected<ZipArchive, std::string> open_archive(Bytes file) {
  auto whole = ZipArchive::open(file);
  return whole ? std::move(whole) : ZipArchive::open(file.subspan(kHeaderSize));
}

std::expected<json::object, std::string> read_manifest(const ZipArchive& archive) {
  const auto at = archive.find("manifest.json");
  if (!at) return std::unexpected("it has no manifest.json");
  const auto text = archive.read(*at, kMaxManifest);
  if (!text) return std::unexpected("manifest.json: " + text.error());
  const std::string_view characters = as_text(text->bytes());
  boost::system::error_code error;
  json::value value = json::parse({characters.data(), characters.size()}, error);
  if (error || !value.is_object()) return std::unexpected("manifest.json is not a JSON object");
  return std::move(value.as_object());
}

}  // namespace

Read<void> SourceBundle::check_version(Bytes file) {
  SC_TRY(const auto version, read_at<u32le>(file, 4, "source_bundle.version"));
  if (version == 0 || version > kNewestVersion) return bad_value("source_bundle.version", 4, version, kNewestVersion);
  return {};
}

std::expected<SourceBundle, std::string> SourceBundle::open(Bytes file) {
  if (const auto known = check_version(file); !known) return std::unexpected(to_string(known.error()));
  auto archive = open_archive(file);
  if (!archive) return std::unexpected("source_bundle: " + archive.error());
  auto manifest = read_manifest(*archive);
  if (!manifest) return std::unexpected("source_bundle: " + manifest.error());
  return SourceBundle(std::move(*archive), std::move(*manifest));
}

std::vector<BundledFile> SourceBundle::files() const {
  std::vector<BundledFile> all;
  const json::value* const listed = manifest_.if_contains("files");
  const json::object* const files = listed == nullptr ? nullptr : listed->if_object();
  if (files == nullptr) return all;
  all.reserve(files->size());
  for (const auto& [name, value] : *files) {
    const json::object* const file = value.if_object();
    if (file == nullptr) continue;
    all.push_back({json_text(*file, "path"), json_text(*file, "url"), json_text(*file, "type"),
                   std::string(name.data(), name.size())});
  }
  return all;
}

}  // namespace symcached::object
