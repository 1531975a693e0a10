// A library that tests of profiling/ load and unload.
#include <cstdio>

namespace {

[[gnu::noinline]] int hidden_step(int x) {
  std::printf("%d\n", x);
  return x + 1;
}

[[gnu::always_inline]] inline int inlined_step(int x) {
  return hidden_step(x) * 3;  // in the plugin, line of the inlined call's body
}

}  // namespace

extern "C" int sc_plugin_work(int x) {
  const int y = inlined_step(x);
  return y * 2;
}

extern "C" const void* sc_plugin_hidden() { return reinterpret_cast<const void*>(&hidden_step); }
