#include "formats/pe/runtime_functions.hpp"

#include <algorithm>
#include <optional>

#include "formats/pe/rva_index.hpp"

namespace symcached::pe {
namespace {

constexpr int kMaxChain = 32;  ///< pieces of one function that refer to each other

struct RuntimeFunctionX64 {
  u32le begin, end;
  u32le unwind;  ///< RVA of the unwind information; bit 0 set: of another entry that stands for this one
};
static_assert(sizeof(RuntimeFunctionX64) == 12 && alignof(RuntimeFunctionX64) == 1);

struct UnwindInfoX64 {
  u8le version_and_flags;  ///< 3 and 5 bits
  u8le prolog_size;
  u8le code_count;  ///< of 2 bytes each; an even number of them is stored
  u8le frame_register;
};
static_assert(sizeof(UnwindInfoX64) == 4 && alignof(UnwindInfoX64) == 1);
constexpr std::uint8_t kChained = 4;  ///< flag: the entry of the piece before follows the codes

struct RuntimeFunctionArm {
  u32le begin;
  u32le unwind;  ///< bits 0-1: 0 = RVA of an .xdata record; 1, 2 = packed, with the length in bits 2-12
};
static_assert(sizeof(RuntimeFunctionArm) == 8 && alignof(RuntimeFunctionArm) == 1);

/// The entry that `entry` is chained to, if it is.
std::optional<RuntimeFunctionX64> parent_of(const RvaIndex& index, const RuntimeFunctionX64& entry) {
  const std::uint32_t unwind = entry.unwind;
  const auto other = [&](std::uint32_t rva) -> std::optional<RuntimeFunctionX64> {
    const auto found = index.record_at<RuntimeFunctionX64>(rva, "pe.unwind.chained");
    return found && found->begin < found->end ? std::optional(*found) : std::nullopt;
  };
  if ((unwind & 1) != 0) return other(unwind - 1);
  const auto info = index.record_at<UnwindInfoX64>(unwind, "pe.unwind");
  if (!info || (info->version_and_flags >> 3 & kChained) == 0) return std::nullopt;
  const std::uint32_t codes = (std::uint32_t{info->code_count} + 1) & ~1u;
  return other(unwind + static_cast<std::uint32_t>(sizeof(UnwindInfoX64)) + 2 * codes);
}

std::optional<CodeExtent> extent_of(const RvaIndex& index, RuntimeFunctionX64 entry, Machine) {
  if (entry.begin == 0 || entry.begin >= entry.end) return std::nullopt;
  CodeExtent extent{entry.begin, entry.end, entry.begin};
  for (int i = 0; i < kMaxChain; ++i) {
    const auto parent = parent_of(index, entry);
    if (!parent) break;
    entry = *parent;
    extent.function = entry.begin;
  }
  return extent;
}

/// Spec: "ARM64 exception handling" and "ARM exception handling" of Microsoft's x64 and ARM ABI pages.
std::optional<CodeExtent> extent_of(const RvaIndex& index, const RuntimeFunctionArm& entry, Machine machine) {
  const std::uint32_t unit = machine == Machine::armnt ? 2 : 4;  // smallest instruction
  const std::uint32_t begin = machine == Machine::armnt ? entry.begin & ~1u : std::uint32_t{entry.begin};
  const std::uint32_t unwind = entry.unwind;
  std::uint32_t length = 0;
  switch (unwind & 3) {
    case 0: {
      const auto header = index.record_at<u32le>(unwind, "pe.unwind.xdata");
      if (!header) return std::nullopt;
      length = *header & 0x3FFFF;
      break;
    }
    case 1:
    case 2: length = unwind >> 2 & 0x7FF; break;
    default: return std::nullopt;
  }
  length *= unit;
  if (begin == 0 || length == 0 || length > 0xFFFFFFFF - begin) return std::nullopt;
  return CodeExtent{begin, begin + length, begin};
}

template <class Entry>
Read<std::vector<CodeExtent>> read_entries(const Image& image, DataDirectory where) {
  const RvaIndex index(image);
  if (index.from(where.rva).empty()) return std::vector<CodeExtent>();  // in a file with debug sections alone
  const std::uint64_t count = where.size / sizeof(Entry);
  SC_TRY(const Bytes bytes, index.at(where.rva, count * sizeof(Entry), "pe.exceptions"));
  SC_TRY(const auto entries, ByteReader(bytes).array<Entry>(count, "pe.exceptions"));
  std::vector<CodeExtent> extents;
  extents.reserve(entries.size());
  for (const Entry& entry : entries)
    if (const auto extent = extent_of(index, entry, image.machine())) extents.push_back(*extent);
  return extents;
}

/// Sorted already in every honest image.
void tidy(std::vector<CodeExtent>& extents) {
  std::ranges::stable_sort(extents, {}, &CodeExtent::start);
  std::size_t kept = 0;
  for (const CodeExtent& extent : extents) {
    CodeExtent* const last = kept == 0 ? nullptr : &extents[kept - 1];
    if (last != nullptr && last->start == extent.start) continue;
    if (last != nullptr && last->end > extent.start) last->end = extent.start;
    if (last != nullptr && last->end == extent.start && last->function == extent.function) last->end = extent.end;
    else extents[kept++] = extent;
  }
  extents.resize(kept);
}

}  // namespace

Read<std::vector<CodeExtent>> read_code_extents(const Image& image) {
  const auto where = image.directory(Directory::exceptions);
  std::vector<CodeExtent> extents;
  if (!where) return extents;
  switch (image.machine()) {
    case Machine::amd64: {
      SC_TRY(extents, read_entries<RuntimeFunctionX64>(image, *where));
      break;
    }
    case Machine::arm64:
    case Machine::armnt: {
      SC_TRY(extents, read_entries<RuntimeFunctionArm>(image, *where));
      break;
    }
    default: break;
  }
  tidy(extents);
  return extents;
}

}  // namespace symcached::pe
