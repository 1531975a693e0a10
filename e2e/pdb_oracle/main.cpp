#include "e2e/pdb_oracle/shapes.hpp"

volatile int input[64];
volatile int output;

static int from_static(int value) {
  if (value > 3) {
    output = value;
    return from_static(value - 2) + 1;
  }
  return geometry::nested<6>(value);
}

namespace {

[[clang::noinline]] int sum_of_areas(int count) {
  return geometry::repeat(count, [](int i) {
    geometry::Square square(input[i]);
    return square.area() + square.sides;
  });
}

}  // namespace

static int pick(int value) {
  switch (value) {
    case 0: return input[10];
    case 1: return input[11] * 2;
    case 2: return geometry::nested<2>(value);
    case 3: return input[12] / (value + 1);
    default: return sum_of_areas(value);
  }
}

extern "C" int oracle_main() {
  const geometry::Point<int> here{input[0], input[1]};
  const geometry::Point<long long> there{input[2], input[3]};
  int found = geometry::squared_distance(here, {1, 2});
  found += static_cast<int>(geometry::squared_distance(there, {3, 4}));
  const int values[] = {found, input[4], from_static(found), pick(input[6])};
  output = geometry::largest(values, values + 4) + geometry::twin_a(found) + geometry::twin_b(found);
  return output;
}
