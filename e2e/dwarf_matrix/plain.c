#include "e2e/dwarf_matrix/probe.h"

volatile int sink = 1;

static ALWAYS int helper(int x) { /* @function c_helper helper */
  PROBE("c_helper");
  return x + sink;
}

static NEVER int chosen(int x) { /* @function chosen chosen */
  if (x > 3) {
    const int more = helper(x); /* @call c_helper */
    sink = more;
  }
  PROBE("chosen");
  return x;
}

NEVER int c_root(int x) { /* @function c_root c_root */
  int i;
  for (i = 0; i < x; ++i) sink = i;
  PROBE("c_root");
  x = chosen(sink);
  return helper(x) + sink; /* @call c_helper */
}
