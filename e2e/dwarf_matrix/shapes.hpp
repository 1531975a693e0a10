#pragma once
#include "e2e/dwarf_matrix/probe.h"

namespace shapes {

template <class T>
ALWAYS T scale(T value, int factor) {  // @function scale shapes::scale(<(int|long)>)?
  T scaled = value * factor;
  PROBE("scale");
  return scaled + sink;
}

struct Box {
  int width, height;

  ALWAYS int area() const {                  // @function area shapes::Box::area
    const int grown = scale(width, height);  // @call scale
    PROBE("area");
    return grown + sink;
  }

  NEVER int rim() const;
};

namespace deep {

ALWAYS int level4(int x) {  // @function level4 shapes::deep::level4
  PROBE("level4");
  return x ^ sink;
}
ALWAYS int level3(int x) {  // @function level3 shapes::deep::level3
  sink = x;
  return level4(x + 4) + sink;  // @call level4
}
ALWAYS int level2(int x) {  // @function level2 shapes::deep::level2
  sink = x;
  return level3(x + 3) + sink;  // @call level3
}
ALWAYS int level1(int x) {  // @function level1 shapes::deep::level1
  int sum = level2(x + 2);  // @call level2
  sum += sink;
  sum += level4(x + 9);  // @call level4
  PROBE("level1");
  return sum;
}

}  // namespace deep

/* Two files have it: the linker keeps one, and the other's description names code that is not there. */
template <class T>
NEVER T twinned(T x) {  // @function twinned shapes::twinned(<int>)?
  PROBE("twinned");
  return x + sink;
}

}  // namespace shapes

NEVER int first_root(int x);
NEVER long second_root(long x);
NEVER int pick(int key);
NEVER int cut_in_two(int key);
extern "C" int c_root(int x);
extern "C" int asm_root(void);
