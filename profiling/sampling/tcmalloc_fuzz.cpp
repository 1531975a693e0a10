#include "profiling/sampling/tcmalloc.hpp"

/// Any text as what tcmalloc prints: its samples have stacks, or it is refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached::pprof;
  for (const Kind kind : {Kind::heap, Kind::growth}) {
    const auto profile = parse_heap_text({reinterpret_cast<const char*>(data), size}, kind);
    if (!profile) continue;
    for (const Sample& sample : profile->samples)
      if (sample.stack.empty() || sample.stack.front() == 0 || sample.stack.size() > kMaxFrames) __builtin_trap();
  }
  return 0;
}
