#include "profiling/unwinding/module_numbers.hpp"

#include <algorithm>
#include <cstring>

#include "profiling/unwinding/elf_notes.hpp"

namespace symcached::pprof {
namespace {

constexpr std::uintptr_t kPage = 4096;  ///< the smallest: that much of a module's start is mapped

Bytes first_page(const LoadedModule& module) {
  return {reinterpret_cast<const std::byte*>(module.begin), std::min(kPage, module.end - module.begin)};
}

}  // namespace

std::uint32_t ModuleNumbers::number(const LoadedModule& module, bool stays) noexcept {
  const std::size_t first = (module.begin >> 12) * 0x9e3779b97f4a7c15 >> 55;
  static_assert(kSlots == std::size_t{1} << (64 - 55) && kMax == kSlots - 1);
  for (std::size_t i = 0; i < kProbes; ++i) {
    const std::size_t at = (first + i) % kSlots;
    if (at == kMax) continue;  // its number would be too large
    Slot& slot = slots_[at];
    std::uintptr_t begin = slot.begin.load(std::memory_order_acquire);
    if (begin == 0 && slot.begin.compare_exchange_strong(begin, kBusy)) {
      const bool is_known = fill(slot, module, stays);
      slot.begin.store(is_known ? module.begin : 0, std::memory_order_release);
      return is_known ? static_cast<std::uint32_t>(at + 1) : 0;
    }
    if (begin == module.begin && matches(slot, module, stays)) return static_cast<std::uint32_t>(at + 1);
  }
  return 0;
}

bool ModuleNumbers::matches(const Slot& slot, const LoadedModule& module, bool stays) noexcept {
  if (slot.end != module.end || slot.header != module.header) return false;
  if (stays || slot.note_size == 0) return stays && slot.note_size == 0;
  const auto* note = reinterpret_cast<const std::byte*>(module.begin) + slot.note_at;
  return std::memcmp(note, slot.note.data(), slot.note_size) == 0;
}

bool ModuleNumbers::fill(Slot& slot, const LoadedModule& module, bool stays) noexcept {
  slot.end = module.end;
  slot.header = module.header;
  slot.note_size = 0;
  if (stays) return true;
  const Bytes page = first_page(module), id = build_id_in(page);
  if (id.empty() || id.size() > kMaxId) return false;
  slot.note_at = static_cast<std::uint32_t>(id.data() - page.data() - std::ptrdiff_t{kNoteHeader});
  slot.note_size = static_cast<std::uint32_t>(kNoteHeader + id.size());
  std::ranges::copy(page.subspan(slot.note_at, slot.note_size), slot.note.begin());
  return true;
}

}  // namespace symcached::pprof
