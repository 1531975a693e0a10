#include "symbolize/token_trace.hpp"

#include <gtest/gtest.h>

namespace symcached::symbolize {
namespace {

TEST(ManagedTrace, FramesWithTokens) {
  struct Row {
    std::string_view line, module;
    std::uint32_t row, il_offset;
    bool is_known;
    std::string_view resolved;  ///< at a.cs:7
  };
  const Row rows[] = {
      {"   at P.Main() in app.dll:token 0x6000004+0x1a", "app.dll", 4, 0x1a, true, "   at P.Main() in a.cs:line 7"},
      {"at P.Main() in app.dll:token 0x6000004+0x0\r", "app.dll", 4, 0, true, "at P.Main() in a.cs:line 7\r"},
      {"  at A.B`1.C[T](T t, Func`2 in) in x y.dll:token 0x600a169+0x71", "x y.dll", 0xa169, 0x71, true,
       "  at A.B`1.C[T](T t, Func`2 in) in a.cs:line 7"},
      {"   at F.Items(Int32 n)+MoveNext() in a.dll:token 0x600001e+0x37", "a.dll", 0x1e, 0x37, true,
       "   at F.Items(Int32 n)+MoveNext() in a.cs:line 7"},
      {"   at F.Items()+Sources.IValueTaskSource<System.Boolean>.GetResult() in a.dll:token 0x6000020+0x0", "a.dll",
       0x20, 0, false, "   at F.Items()+Sources.IValueTaskSource<System.Boolean>.GetResult() in a.cs:line 7"},
      {"2026-11-21 12:00 ERR    at P.<>c.<Main>b__0_0() in A.DLL:token 0x600002D+0x5", "A.DLL", 0x2d, 5, true,
       "2026-11-21 12:00 ERR    at P.<>c.<Main>b__0_0() in a.cs:line 7"},
      {"   at P.Main() in app.dll:token 0x6ffffff+0xffffffff  ", "app.dll", 0xFFFFFF, 0xFFFFFFFF, true,
       "   at P.Main() in a.cs:line 7  "},
  };
  for (const Row& r : rows) {
    const auto frame = parse_token_frame(r.line);
    ASSERT_TRUE(frame) << r.line;
    EXPECT_EQ(frame->module, r.module) << r.line;
    EXPECT_EQ(frame->place, Place(MethodPlace{r.row, r.il_offset})) << r.line;
    EXPECT_EQ(frame->is_known, r.is_known) << r.line;
    std::string resolved;
    append_token_text(*frame, {.function = {}, .file = "a.cs", .line = 7}, resolved);
    EXPECT_EQ(resolved, r.resolved);
  }
}

TEST(ManagedTrace, OtherLines) {
  for (const std::string_view line :
       {"", "System.InvalidOperationException: generic", "   at P.Main() in /src/P.cs:line 51", "   at P.Main()",
        "--- End of stack trace from previous location ---", "   at P.Main() in app.dll:token 0x6000004",
        "   at P.Main() in app.dll:token 0x6000004+0x", "   at P.Main() in app.dll:token 0x6000004+0x1g",
        "   at P.Main() in app.dll:token 0x60000000000004+0x1", "   at P.Main() in app.dll:token 0x2000004+0x1",
        "   at P.Main() in app.dll:token 4+0x1", ":token 0x6000004+0x1a", "in app.dll:token 0x6000004+0x1a"})
    EXPECT_FALSE(parse_token_frame(line)) << line;
}

}  // namespace
}  // namespace symcached::symbolize
