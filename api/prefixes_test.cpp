#include "api/prefixes.hpp"

#include <gtest/gtest.h>

namespace symcached::api {
namespace {

using Segments = std::vector<std::string>;

TEST(Prefixes, AreTakenOffWholeSegmentsInAnyCase) {
  struct Row {
    std::string_view why, target;
    Segments want;
  };
  const Row rows[] = {
      {"none", "/open/v2.1.0", {"open", "v2.1.0"}},
      {"two segments", "/team/symbols/open", {"open"}},
      {"one segment", "/x/open", {"open"}},
      {"case", "/TEAM/Symbols/open", {"open"}},
      {"query", "/x/open?team", {"open"}},
      {"absolute form", "http://host/x/open", {"open"}},
      {"page behind it", "/x/", {""}},
      {"nothing behind it", "/x", {"x"}},
      {"a part of a segment", "/xy/open", {"xy", "open"}},
      {"not in front", "/open/x", {"open", "x"}},
      {"one of them only", "/x/x/open", {"x", "open"}},
  };
  const Prefixes prefixes({"/team/symbols", "/x"});
  for (const Row& r : rows) EXPECT_EQ(prefixes.segments_behind(r.target), r.want) << r.why;
  EXPECT_EQ(prefixes.segments_behind("x"), std::nullopt);
  EXPECT_EQ(prefixes.first(), "/team/symbols");
  EXPECT_EQ(Prefixes().first(), "");
}

}  // namespace
}  // namespace symcached::api
