/// What the demo symbolicates when it cannot fetch real PDBs: a program without a C library, with inlined calls.
/// Made into a PDB by tools/sample_pdbs.sh.
namespace geometry {

struct Point {
  int x;
  int y;
};

[[clang::always_inline]] inline int square(int value) { return value * value; }

[[clang::always_inline]] inline int squared_length(Point p) { return square(p.x) + square(p.y); }

[[clang::always_inline]] inline int squared_distance(Point a, Point b) {
  return squared_length(Point{a.x - b.x, a.y - b.y});
}

}  // namespace geometry

namespace {

constexpr int kCount = 8;
volatile int input[2 * kCount];
volatile int output;

geometry::Point point_at(int i) { return {input[2 * i], input[2 * i + 1]}; }

[[clang::noinline]] int nearest_to(geometry::Point target) {
  int best = 0;
  for (int i = 1; i < kCount; ++i) {
    if (squared_distance(point_at(i), target) < squared_distance(point_at(best), target)) best = i;
  }
  return best;
}

}  // namespace

extern "C" int sample_main() {
  output = nearest_to(point_at(0));
  return output;
}
