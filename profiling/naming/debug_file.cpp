#include "profiling/naming/debug_file.hpp"

#include <memory>
#include <vector>

#include "base/crc32.hpp"

namespace symcached::pprof {
namespace {

constexpr std::uint64_t kMaxChecked = 512u << 20;  ///< bytes to compute a checksum of

struct DebugLink {
  std::string name;
  std::uint32_t checksum = 0;
};

std::optional<DebugLink> debug_link_of(const ElfFile& file) {
  const ElfSection* section = file.section(".gnu_debuglink");
  const auto content = section == nullptr ? std::nullopt : file.read(*section);
  if (!content) return std::nullopt;
  const std::string_view name = elf_text(content->bytes(), 0);
  const auto checksum = elf_record<std::uint32_t>(content->bytes(), (name.size() + 4) & ~std::size_t{3});
  if (name.empty() || name.find('/') != name.npos || !checksum) return std::nullopt;
  return DebugLink{std::string(name), *checksum};
}

bool has_checksum(const FileSource& file, std::uint32_t wanted) {
  const auto all = file.size() <= kMaxChecked ? file.read(0, file.size()) : std::nullopt;
  return all && crc32(all->bytes()) == wanted;
}

/// @param checksum  asked for only where `stripped` has no build id
std::optional<DebugFile> fitting(const ElfFile& stripped, std::string path, std::optional<std::uint32_t> checksum) {
  std::shared_ptr<FileSource> source = FileSource::open(path);
  auto file = ElfFile::open(source);
  if (!file || file->build_id() != stripped.build_id()) return std::nullopt;
  if (stripped.build_id().empty() && !(checksum && has_checksum(*source, *checksum))) return std::nullopt;
  return DebugFile{*std::move(file), std::move(path)};
}

}  // namespace

std::optional<DebugFile> find_debug_file(const ElfFile& stripped, const std::string& path,
                                         std::span<const std::string> folders) {
  const std::string& id = stripped.build_id();
  if (id.size() > 2)
    for (const std::string& folder : folders)
      if (auto found = fitting(stripped, folder + "/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) + ".debug", {}))
        return found;
  const auto link = debug_link_of(stripped);
  const std::size_t slash = path.rfind('/');
  if (!link || slash == path.npos) return std::nullopt;
  const std::string beside = path.substr(0, slash + 1);
  std::vector<std::string> places{beside + link->name, beside + ".debug/" + link->name};
  for (const std::string& folder : folders) places.push_back(folder + beside + link->name);
  for (std::string& place : places) {
    if (place == path) continue;
    if (auto found = fitting(stripped, std::move(place), link->checksum)) return found;
  }
  return std::nullopt;
}

}  // namespace symcached::pprof
