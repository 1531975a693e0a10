#include "object/macho/files.hpp"

#include <algorithm>

#include "formats/macho/uuid_map.hpp"
#include "object/dwarf/in_macho.hpp"

namespace symcached::object {
namespace {

/// The slices of a universal file, or the one file there is.
std::vector<Bytes> slices_of(Bytes file) {
  const auto slices = macho::read_fat(file);
  if (!slices) return {file};
  std::vector<Bytes> all;
  for (const macho::Slice& slice : *slices) all.push_back(slice.file);
  return all;
}

/// The slice that `accept` takes first.
template <class Accept>
std::optional<macho::File> first_of(Bytes file, const Accept& accept) {
  for (const Bytes slice : slices_of(file))
    if (auto opened = macho::File::open(slice); opened && accept(*opened)) return std::move(*opened);
  return std::nullopt;
}

}  // namespace

model::Arch arch_of(macho::Cpu cpu) {
  switch (cpu) {
    case macho::Cpu::x86: return model::Arch::x86;
    case macho::Cpu::x86_64: return model::Arch::x86_64;
    case macho::Cpu::arm: return model::Arch::arm;
    case macho::Cpu::arm64:
    case macho::Cpu::arm64_32: return model::Arch::arm64;
    case macho::Cpu::ppc64: return model::Arch::ppc64;
    case macho::Cpu::ppc: break;
  }
  return model::Arch::unknown;
}

Read<Bytes> chosen_slice(Bytes file) {
  const auto magic = read_at<u32be>(file, 0, "macho.header.magic");
  if (!magic || (*magic != macho::kFatMagic32 && *magic != macho::kFatMagic64)) return file;
  SC_TRY(const auto slices, macho::read_fat(file));
  for (const macho::Slice& slice : slices)
    if (const auto opened = macho::File::open(slice.file); opened && has_dwarf(*opened)) return slice.file;
  return slices.front().file;
}

std::optional<macho::File> find_dsym(const macho::File& image, std::span<const Companion> companions) {
  if (!image.uuid()) return std::nullopt;
  for (const Companion& one : companions) {
    if (one.need.kind != NeedFile::Kind::dsym) continue;
    auto found =
        first_of(one.file, [&](const macho::File& file) { return file.uuid() == image.uuid() && has_dwarf(file); });
    if (found) return found;
  }
  return std::nullopt;
}

std::optional<Guid> find_original_uuid(std::span<const Companion> companions) {
  for (const Companion& one : companions) {
    if (one.need.kind != NeedFile::Kind::uuid_map) continue;
    if (const auto uuid = macho::read_original_uuid(one.file)) return *uuid;
  }
  return std::nullopt;
}

std::optional<macho::SymbolMap> find_symbol_map(std::span<const Companion> companions) {
  for (const Companion& one : companions) {
    if (one.need.kind != NeedFile::Kind::symbol_map) continue;
    if (auto map = macho::SymbolMap::open(one.file)) return std::move(*map);
  }
  return std::nullopt;
}

ObjectFiles::ObjectFiles(const macho::File& image, std::span<const Companion> companions) : cpu_(image.header().cpu) {
  for (const Companion& one : companions)
    if (one.need.kind == NeedFile::Kind::debug_map) by_path_.emplace(one.need.path, one.file);
}

Bytes ObjectFiles::member(Bytes library, std::string_view path, std::uint64_t modified) {
  const std::size_t open = path.rfind('(');
  if (open == std::string_view::npos || !path.ends_with(')')) return {};
  const std::string_view name = path.substr(open + 1, path.size() - open - 2);
  const auto [index, is_new] = archives_.try_emplace(library.data());
  if (is_new)
    for (const Bytes slice : slices_of(library))
      if (const auto archive = ar::read_archive(slice))
        for (const ar::Member& one : archive->members) index->second.emplace(one.name, one);
  const auto [first, last] = index->second.equal_range(name);
  int looked_at =
      0;  // a library may have a name a few times, for slices and by accident; a hostile one a million times
  for (auto at = first; at != last && looked_at < 64; ++at, ++looked_at) {
    if (modified != 0 && at->second.modified != modified) continue;
    if (const auto file = macho::File::open(at->second.file); file && file->header().cpu == cpu_)
      return at->second.file;
  }
  return {};
}

std::optional<macho::File> ObjectFiles::open(std::string_view path, std::uint64_t modified) {
  const auto at = by_path_.find(path);
  if (at == by_path_.end()) return std::nullopt;
  Bytes file = at->second;
  if (std::ranges::any_of(slices_of(file), ar::is_archive)) file = member(file, path, modified);
  return first_of(file, [&](const macho::File& slice) { return slice.header().cpu == cpu_; });
}

}  // namespace symcached::object
