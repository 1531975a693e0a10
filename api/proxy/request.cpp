#include "api/proxy/request.hpp"

#include <array>
#include <string_view>

#include "base/ascii.hpp"
#include "net/http.hpp"

namespace symcached::api {
namespace {

using sources::FileType;
using sources::ModuleIds;

/// Ids that say what kind of file they are of, the longer ones first.
struct PrefixRow {
  std::string_view prefix;
  FileType type;
};
constexpr auto kPrefixes = std::to_array<PrefixRow>({
    {"elf-buildid-sym-", FileType::elf_debug},
    {"elf-buildid-", FileType::elf_code},
    {"mach-uuid-sym-", FileType::mach_debug},
    {"mach-uuid-", FileType::mach_code},
});

std::optional<sources::FileRequest> made(FileType type, ModuleIds module) {
  auto file = sources::make_request(type, std::move(module));
  return file ? std::optional(std::move(*file)) : std::nullopt;
}

/// A GUID and an age; of a Portable PDB the age is eight letters f.
std::optional<sources::FileRequest> pdb_of(const std::string& name, const std::string& id, FileType type) {
  const auto debug_id = DebugId::parse(id);
  constexpr std::size_t kGuidDigits = 32;
  if (!debug_id || id.size() <= kGuidDigits || id.find('-') != id.npos) return std::nullopt;
  if (type == FileType::pdb && debug_id->age == sources::kNoStamp) type = FileType::portable_pdb;
  return made(type, {.debug_file = name, .debug_id = debug_id});
}

}  // namespace

std::optional<sources::FileRequest> parse_proxy_path(std::span<const std::string> segments) {
  if (segments.size() != 3) return std::nullopt;
  std::array<std::string, 3> texts;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto text = http::percent_decode(segments[i]);
    if (!text || text->empty()) return std::nullopt;
    texts[i] = std::move(*text);
  }
  const auto& [name, id, again] = texts;
  const std::string lower = lower_ascii(name);
  if (lower.ends_with(".sym")) {  // Breakpad: app.pdb/ID/app.sym
    const bool is_its = lower_ascii(again) == lower;
    if (is_its) return pdb_of(name.substr(0, name.size() - 4), id, FileType::breakpad);
  }
  if (lower_ascii(again).ends_with(".sym") && !lower.ends_with(".sym")) return pdb_of(name, id, FileType::breakpad);
  if (lower_ascii(again) != lower) return std::nullopt;
  const std::string lower_id = lower_ascii(id);
  for (const PrefixRow& row : kPrefixes) {
    if (!lower_id.starts_with(row.prefix)) continue;
    ModuleIds module{.code_file = name, .code_id = lower_id.substr(row.prefix.size())};
    return made(row.type, std::move(module));
  }
  if (lower.ends_with(".pdb")) return pdb_of(name, id, FileType::pdb);
  return made(FileType::pe, {.code_file = name, .code_id = lower_id});
}

}  // namespace symcached::api
