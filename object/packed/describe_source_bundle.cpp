#include "object/packed/describe_source_bundle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include "base/json.hpp"
#include "base/zip_archive.hpp"
#include "object/text/describe_breakpad.hpp"

namespace symcached::object {
namespace {

namespace json = boost::json;

constexpr std::size_t kHeaderSize = 8;  ///< "SYSB", then the version in 4 bytes
constexpr std::uint32_t kNewestVersion = 2;
constexpr std::uint64_t kMaxManifest = 64u << 20;

struct FileType {
  std::string_view type;
  std::string_view feature;
};
constexpr FileType kTypes[] = {
    {"source", "sources"},
    {"minified_source", "minified-sources"},
    {"source_map", "source-maps"},
    {"indexed_ram_bundle", "ram-bundles"},
};

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

void describe_files(FileInfo& info, const json::object& manifest) {
  const json::value* const listed = manifest.if_contains("files");
  const json::object* const files = listed == nullptr ? nullptr : listed->if_object();
  info.file_count = files == nullptr ? 0 : files->size();
  if (files == nullptr) return;
  for (const FileType& row : kTypes) {
    const bool has_it = std::ranges::any_of(*files, [&](const auto& file) {
      const json::object* const what = file.value().if_object();
      return what != nullptr && json_text(*what, "type") == row.type;
    });
    if (has_it) info.features.push_back(row.feature);
  }
}

}  // namespace

void describe_source_bundle(FileInfo& info, Bytes file) {
  const auto version = read_at<u32le>(file, 4, "source_bundle.version");
  if (!version) return void(info.error = version.error());
  if (*version == 0 || *version > kNewestVersion)
    return void(info.error = bad_value("source_bundle.version", 4, *version, kNewestVersion).error());
  const auto archive = open_archive(file);
  if (!archive) return void(info.trouble = "source_bundle: " + archive.error());
  const auto manifest = read_manifest(*archive);
  if (!manifest) return void(info.trouble = "source_bundle: " + manifest.error());
  info.debug_id = DebugId::parse(json_text(*manifest, "debug_id"));
  info.code_id = json_text(*manifest, "code_id");
  info.debug_file = json_text(*manifest, "object_name");
  info.arch = arch_of_breakpad(json_text(*manifest, "arch"));
  describe_files(info, *manifest);
}

}  // namespace symcached::object
