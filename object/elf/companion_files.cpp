#include "object/elf/companion_files.hpp"

#include <algorithm>

#include "base/crc32.hpp"
#include "object/dwarf/in_elf.hpp"

namespace symcached::object {
namespace {

/// The debug file belongs to the program: build ids agree; where either has none, the crc the program states does.
bool belongs(const elf::File& program, const elf::File& debug, const NeedFile& need) {
  const std::string wanted = need.build_id.empty() ? program.code_id() : need.build_id;
  const std::string found = debug.code_id();
  if (!wanted.empty() && !found.empty()) return wanted == found;
  return crc32(debug.bytes()) == need.crc32;
}

/// The first companion of a kind that can be opened and is accepted.
template <class Accept>
std::optional<elf::File> companion(std::span<const Companion> all, NeedFile::Kind kind, const Accept& accept) {
  for (const Companion& one : all) {
    if (one.need.kind != kind) continue;
    auto file = elf::File::open(one.file);
    if (file && accept(*file, one.need)) return std::move(*file);
  }
  return std::nullopt;
}

}  // namespace

std::optional<elf::File> debug_companion(const elf::File& program, std::span<const Companion> all) {
  return companion(all, NeedFile::Kind::debug_link, [&](const elf::File& file, const NeedFile& need) {
    const bool useful = has_dwarf(file) || file.section(elf::SectionType::symtab) != nullptr;
    return useful && belongs(program, file, need);
  });
}

std::optional<elf::File> supplementary_companion(const elf::File& with_dwarf, std::span<const Companion> all) {
  const auto link = with_dwarf.alt_link();
  if (!link) return std::nullopt;
  return companion(all, NeedFile::Kind::supplementary, [&](const elf::File& file, const NeedFile&) {
    return std::ranges::equal(file.build_id(), link->build_id);
  });
}

}  // namespace symcached::object
