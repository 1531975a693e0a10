// Shared by the translation units of the program that pdb_oracle_test.py compiles: what a PDB has to describe.
#pragma once

extern volatile int input[64];
extern volatile int output;

namespace geometry {

template <class T>
struct Point {
  T x, y;
  Point operator-(const Point& other) const { return {x - other.x, y - other.y}; }
  T squared_length() const { return x * x + y * y; }
};

template <class T>
inline T squared_distance(const Point<T>& a, const Point<T>& b) {
  return (a - b).squared_length();
}

struct Shape {
  explicit Shape(int sides);
  virtual int area() const = 0;
  int sides = input[1] + 1;
};

struct Square final : Shape {
  explicit Square(int width) : Shape(4), width(width) {}
  int area() const override { return width * width; }
  int width;
};

template <int Depth>
[[clang::always_inline]] inline int nested(int value) {
  if constexpr (Depth == 0) {
    return value * input[2];
  } else {
    return nested<Depth - 1>(value + input[Depth]) ^ Depth;
  }
}

template <class F>
[[clang::always_inline]] inline int repeat(int count, F body) {
  int total = 0;
  for (int i = 0; i < count; ++i) total += body(i);
  return total;
}

int largest(const int* first, const int* last);
int twin_a(int value);
int twin_b(int value);

}  // namespace geometry
