#include "profiling/naming/jit_map.hpp"
#include "profiling/naming/process_maps.hpp"

/// Lines of both texts that come from outside: perf maps, and /proc/self/maps with the paths in it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached::pprof;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  JitNames names;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t feed = rest.find('\n');
    names.add_line(rest.substr(0, feed));
    rest.remove_prefix(feed == rest.npos ? rest.size() : feed + 1);
  }
  for (std::uintptr_t address = 0; address < 0x4000; address += 0x10) names.find(address);
  for (const MapsLine& line : parse_maps(text))
    if (line.end <= line.begin) __builtin_trap();
  return 0;
}
