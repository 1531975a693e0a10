#include "object/dwarf/in_elf.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <optional>

#include "base/decompress.hpp"
#include "base/threads.hpp"
#include "formats/dwarf/abbrev.hpp"
#include "object/dwarf/relocate_elf.hpp"

namespace symcached::object {
namespace {

constexpr std::uint64_t kWorthThreads = std::uint64_t{4} << 20;  ///< bytes of inflated sections
constexpr std::uint64_t kWorthLeaving = std::uint64_t{1} << 20;  ///< bytes of .debug_info, inflated
constexpr std::string_view kField = "elf.debug_section";

/// One section of the file and where its bytes go.
struct Part {
  const elf::Section* section = nullptr;
  Bytes dwarf::Sections::* member = nullptr;
  elf::Packing packing;
  std::uint64_t start = 0;  ///< in the joined section of this name
  Buffer inflated;
  std::optional<ReadError> error;

  bool is_compressed() const { return packing.method != elf::Compression::none; }
  Codec codec() const { return packing.method == elf::Compression::zlib ? Codec::zlib : Codec::zstd; }
  Bytes plain() const { return is_compressed() ? inflated.bytes() : packing.data; }
};

bool is_wanted(dwarf::SectionName name, const ElfDwarf::Options& options) {
  if (name.member == nullptr || name.split != options.split) return false;
  return options.only.empty() || std::ranges::find(options.only, name.member) != options.only.end();
}

Read<std::vector<Part>> parts_of(const elf::File& file, const ElfDwarf::Options& options) {
  const bool relocatable = file.type() == elf::FileType::relocatable;
  std::vector<Part> parts;
  dwarf::Sections seen;
  std::uint64_t file_bytes = 0;
  InflateBudget budget(options.inflate, file.bytes().size());
  for (const elf::Section& section : file.sections()) {
    const dwarf::SectionName name = dwarf::section_named(section.name);
    if (!is_wanted(name, options)) continue;
    SC_TRY(const auto packing, file.packing(section));
    if (packing.data.empty()) continue;
    // Linkers make one section of each name. Object files have a further one for every type unit.
    if (!(seen.*name.member).empty() && !relocatable) continue;
    seen.*name.member = packing.data;
    if (packing.data.size() > file.bytes().size() - file_bytes)
      return bad_value("elf.sh_offset", section.index, section.offset);  // sections on top of each other
    file_bytes += packing.data.size();
    parts.push_back({.section = &section, .member = name.member, .packing = packing, .inflated = {}, .error = {}});
    if (!parts.back().is_compressed()) continue;
    if (auto ok = budget.take(packing.size, kField, section.offset); !ok) return std::unexpected(ok.error());
  }
  return parts;
}

void inflate(Part& part) {
  if (!part.is_compressed() || part.inflated.size() != 0) return;
  auto inflated = decompress(part.codec(), part.packing.data, part.packing.size, kField);
  if (inflated) part.inflated = std::move(*inflated);
  else part.error = inflated.error();
}

/// Largest first, so that no thread starts a large one last.
Read<void> inflate_all(std::vector<Part>& parts, const ElfDwarf::Options& options) {
  std::vector<Part*> order;
  std::uint64_t total = 0;
  for (Part& part : parts) {
    if (!part.is_compressed()) continue;
    order.push_back(&part);
    total += part.packing.size;
  }
  std::ranges::stable_sort(order, std::ranges::greater(), [](const Part* p) { return p->packing.size; });
  std::atomic<std::size_t> next = 0;
  const std::size_t threads = total < kWorthThreads ? 1 : std::min<std::size_t>(options.threads, order.size());
  run_on_threads(threads, [&](std::size_t) {
    for (std::size_t i; (i = next.fetch_add(1)) < order.size();) {
      inflate(*order[i]);
      if (options.release) options.release();
    }
  });
  for (const Part& part : parts)
    if (part.error) return std::unexpected(*part.error);
  return {};
}

/// Takes .debug_info out of the parts if its units can be inflated one after the other, as far as the declarations of
/// their entries tell.
std::optional<Compressed> leave_info(std::vector<Part>& parts) {
  const auto info = std::ranges::find(parts, &dwarf::Sections::info, &Part::member);
  const auto abbrev = std::ranges::find(parts, &dwarf::Sections::abbrev, &Part::member);
  if (info == parts.end() || abbrev == parts.end()) return std::nullopt;
  if (!info->is_compressed() || info->packing.size < kWorthLeaving) return std::nullopt;
  inflate(*abbrev);
  if (abbrev->error || dwarf::may_name_other_units(abbrev->plain())) return std::nullopt;
  const Compressed left{info->codec(), info->packing.data, info->packing.size};
  parts.erase(info);
  return left;
}

/// Puts the parts of each name behind one another in memory of our own, and relocates them there. Split sections have
/// no relocations: those of one part stay where they are.
Read<std::vector<Buffer>> join(const elf::File& file, std::vector<Part>& parts, dwarf::Sections& sections) {
  struct Joined {
    Bytes dwarf::Sections::* member;
    std::uint64_t size = 0;
    Part* only = nullptr;
  };
  std::vector<Joined> joined;
  ElfRelocator relocator(file);
  for (Part& part : parts) {
    auto at = std::ranges::find(joined, part.member, &Joined::member);
    if (at == joined.end()) at = joined.insert(at, {.member = part.member, .only = &part});
    else at->only = nullptr;
    part.start = at->size;
    at->size += part.plain().size();
    relocator.place(*part.section, part.start);
  }
  std::vector<Buffer> buffers;
  for (const Joined& name : joined) {
    if (sections.split && name.only != nullptr) {
      sections.*name.member = name.only->plain();
      buffers.push_back(std::move(name.only->inflated));
      continue;
    }
    Buffer& out = buffers.emplace_back(static_cast<std::size_t>(name.size));
    for (Part& part : parts) {
      if (part.member != name.member) continue;
      const Bytes plain = part.plain();
      std::memcpy(out.data() + part.start, plain.data(), plain.size());
      relocator.target(*part.section, {out.data() + part.start, plain.size()});
      part.inflated = {};
    }
    sections.*name.member = out.bytes();
  }
  if (auto ok = relocator.apply(); !ok) return std::unexpected(ok.error());
  return buffers;
}

}  // namespace

bool has_section(const elf::File& file, Bytes dwarf::Sections::* member, bool split) {
  return std::ranges::any_of(file.sections(), [&](const elf::Section& section) {
    const dwarf::SectionName name = dwarf::section_named(section.name);
    return name.member == member && name.split == split && section.type != elf::SectionType::nobits &&
           section.size != 0;
  });
}

bool has_dwarf(const elf::File& file, bool split) {
  return has_section(file, &dwarf::Sections::info, split) || has_section(file, &dwarf::Sections::types, split);
}

Read<ElfDwarf> ElfDwarf::open(const elf::File& file, const Options& options) {
  ElfDwarf dwarf;
  dwarf.sections_.big_endian = file.layout().big_endian;
  dwarf.sections_.split = options.split;
  SC_TRY(auto parts, parts_of(file, options));
  const bool relocatable = file.type() == elf::FileType::relocatable;
  if (options.may_leave_info && !relocatable) dwarf.compressed_info_ = leave_info(parts);
  if (auto ok = inflate_all(parts, options); !ok) return std::unexpected(ok.error());
  if (relocatable) {
    SC_TRY(dwarf.owned_, join(file, parts, dwarf.sections_));
  } else {
    for (Part& part : parts) {
      dwarf.sections_.*part.member = part.plain();
      if (part.is_compressed()) dwarf.owned_.push_back(std::move(part.inflated));
    }
  }
  return dwarf;
}

}  // namespace symcached::object
