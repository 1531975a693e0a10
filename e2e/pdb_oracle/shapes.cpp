#include "e2e/pdb_oracle/shapes.hpp"

namespace geometry {
namespace {

int clamp_to(int value, int limit) {
  if (value > limit) return limit;
  return value;
}

struct Hidden {
  int value;
  [[clang::noinline]] int twice() const { return value * 2 + input[5]; }
};

}  // namespace

Shape::Shape(int count) : sides(count) { output = sides; }

[[clang::noinline]] int largest(const int* first, const int* last) {
  int best = *first;
  while (++first != last) {
    if (*first > best) best = clamp_to(*first, input[7]);
  }
  return Hidden{best}.twice();
}

[[clang::noinline]] int twin_a(int value) { return value * 3 + 1; }

[[clang::noinline]] int twin_b(int value) { return value * 3 + 1; }

}  // namespace geometry
