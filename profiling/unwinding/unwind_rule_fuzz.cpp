#include "profiling/unwinding/elf_notes.hpp"
#include "profiling/unwinding/rule_cache.hpp"
#include "profiling/unwinding/unwind_rule.hpp"

/// Any bytes as a module with .eh_frame_hdr at its start: a rule is one that the cache can hold.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached::pprof;
  static RuleCache cache;
  const auto image = std::as_bytes(std::span(data, size));
  const std::uint64_t address = 0x400000;
  for (std::uint32_t offset = 0x1000; offset < 0x1040; ++offset) {
    const UnwindRule rule = find_rule({image, address, 0}, address + offset);
    cache.store(1, offset, rule);
    if (cache.find(1, offset) != rule) __builtin_trap();
  }
  build_id_in(image);
  return 0;
}
