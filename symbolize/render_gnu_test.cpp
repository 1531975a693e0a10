#include "symbolize/render_gnu.hpp"

#include <gtest/gtest.h>

namespace symcached::symbolize {
namespace {

constexpr Frame kFrames[] = {{.function = "inner", .file = "/src/a.c", .line = 4, .column = 7, .is_inlined = true},
                             {.function = "", .file = "/src/a.c"},
                             {.function = "main", .file = ""}};

TEST(GnuRenderer, WritesWhatAddr2lineWrites) {
  struct Row {
    std::string_view why;
    std::span<const Frame> frames;
    GnuStyle style;
    std::string_view want;
  };
  const Row rows[] = {
      {"line alone", kFrames, {}, "/src/a.c:4\n"},
      {"basename", kFrames, {.basenames = true}, "a.c:4\n"},
      {"function", kFrames, {.functions = true}, "inner\n/src/a.c:4\n"},
      {"all frames", kFrames, {.functions = true, .inlines = true}, "inner\n/src/a.c:4\n??\n/src/a.c:?\nmain\n??:?\n"},
      {"pretty",
       kFrames,
       {.addresses = true, .functions = true, .inlines = true, .pretty = true},
       "0x0000000000401000: inner at /src/a.c:4\n (inlined by) ?? at /src/a.c:?\n (inlined by) main at ??:?\n"},
      {"32 bits", kFrames, {.addresses = true, .narrow = true}, "0x00401000\n/src/a.c:4\n"},
      {"unknown", {}, {}, "??:0\n"},
      {"unknown, function", {}, {.functions = true}, "??\n??:0\n"},
      {"unknown, pretty", {}, {.addresses = true, .functions = true, .pretty = true}, "0x0000000000401000: ?? ??:0\n"},
  };
  for (const Row& r : rows) {
    std::string out;
    render_gnu(0x401000, r.frames, r.style, out);
    EXPECT_EQ(out, r.want) << r.why;
  }
}

TEST(GnuDemangling, HasItsOwnBlanksAndWords) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"main", "main"},
      {"_Z3fooi", "foo(int)"},
      {"_Z3fooi.isra.0", "foo(int) [clone .isra.0]"},
      {"_Z1fSt6vectorIS_IiSaIiEESaIS1_EE",
       "f(std::vector<std::vector<int, std::allocator<int> >, "
       "std::allocator<std::vector<int, std::allocator<int> > > >)"},
      {"_ZZ4mainENKUliE_clEi", "main::{lambda(int)#1}::operator()(int) const"},
      {"_Znot_mangled", "_Znot_mangled"},
  };
  for (const auto& [name, want] : rows) EXPECT_EQ(demangled_by_gnu(name), want) << name;
}

}  // namespace
}  // namespace symcached::symbolize
