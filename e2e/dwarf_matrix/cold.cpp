/* Code on two sides: what never returns is moved away from the rest of its function. */
#include "e2e/dwarf_matrix/shapes.hpp"

[[noreturn]] NEVER __attribute__((cold)) void complain(int x) {  // @function complain complain
  PROBE("complain");
  for (;;) sink = x;
}

[[noreturn]] ALWAYS void rare(int x) {  // @function rare rare
  PROBE("rare");
  sink = x;
  complain(x * 3);
}

NEVER int pick(int key) {  // @function pick pick
  sink = key;
  if (__builtin_expect(key == 42, 0)) {
    PROBE("pick_cold");
    rare(key);  // @call rare
  }
  PROBE("pick_hot");
  key = shapes::scale(key, sink);  // @call scale
  return shapes::twinned(key) + sink;
}

/* GCC cuts no function that holds assembly: here its cold part gets a symbol and a place of its own. */
NEVER int cut_in_two(int key) {
  sink = key;
  if (key == 42) {
    sink = 7;
    complain(key * 3);
  }
  return key + sink;
}

/* No one calls it: with sections for functions the linker leaves it out. */
extern "C" NEVER int unused_root(int x) {  // @function unused_root unused_root
  PROBE("unused_root");
  return x * sink;
}
