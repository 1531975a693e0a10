/* Where the linker begins to look at what is used. */
#include "e2e/dwarf_matrix/shapes.hpp"

NEVER int parse(int x);

extern "C" int start_here(void) {  // @function start_here start_here
  PROBE("start_here");
  sink = first_root(sink);
  sink = static_cast<int>(second_root(sink));
  sink = pick(sink) + cut_in_two(sink) + parse(sink);
  sink = c_root(sink);
#ifdef WITH_ASSEMBLY
  sink = asm_root();
#endif
  return sink;
}
