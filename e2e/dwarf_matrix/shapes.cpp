#include "e2e/dwarf_matrix/shapes.hpp"

namespace {

ALWAYS int helper(int x) {  // @function cpp_helper (\(anonymous namespace\)::)?helper
  PROBE("cpp_helper");
  return x - sink;
}

}  // namespace

NEVER int shapes::Box::rim() const {  // @function rim shapes::Box::rim
  PROBE("rim");
  return 2 * (width + height) + helper(sink);  // @call cpp_helper
}

NEVER int first_root(int x) {  // @function first_root first_root
  const shapes::Box box{x, sink};
  int sum = box.area();  // @call area
  PROBE("first_root");
  sum += shapes::deep::level1(sum);  // @call level1
  sum += box.rim();
  return shapes::twinned(sum) + sink;
}

NEVER long second_root(long x) {                                   // @function second_root second_root
  const auto twice = [x](long y) __attribute__((always_inline)) {  // @function lambda (second_root.*)?operator\(\)
    PROBE("lambda");
    return shapes::scale(x + y, 2);  // @call scale
  };  // @function second_root
  long sum = twice(sink);  // @call lambda
  struct Local {
    ALWAYS static long of(long y) {  // @function local (second_root.*Local::)?of
      PROBE("local");
      return y + sink;
    }
  };  // @function second_root
  sum += Local::of(sum);  // @call local
  PROBE("second_root");
  return sum;
}

/* As a generator of parsers writes it: lines of a file that is not there. */
#line 7000 "grammar.y"
ALWAYS int reduce(int x) {  // @function reduce reduce
  PROBE("reduce");
  return x + sink;
}

NEVER int parse(int x) {      // @function parse parse
  const int got = reduce(x);  // @call reduce
  PROBE("parse");
  return got;
}
