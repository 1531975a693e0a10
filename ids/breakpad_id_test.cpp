#include "ids/breakpad_id.hpp"

#include <gtest/gtest.h>

namespace symcached {
namespace {

TEST(BreakpadId, IsParsedAsItIsWritten) {
  const Guid guid = *Guid::parse("3249D99D0C4049318610F4E4FB0B6936");
  struct Row {
    std::string_view text;
    std::optional<DebugId> want;
  };
  const Row rows[] = {
      {"3249D99D0C4049318610F4E4FB0B69361a", DebugId{guid, 26}},
      {"3249d99d0c4049318610f4e4fb0b69360", DebugId{guid, 0}},
      {"3249D99D0C4049318610F4E4FB0B6936", DebugId{guid, 0}},
      {"3249D99D0C4049318610F4E4FB0B6936FFFFFFFF", DebugId{guid, 0xFFFFFFFF}},
      {"3249D99D0C4049318610F4E4FB0B6936FFFFFFFF0", std::nullopt},
      {"3249D99D0C4049318610F4E4FB0B693", std::nullopt},
      {"3249D99D0C4049318610F4E4FB0B6936-1", std::nullopt},
      {"{249D99D0C4049318610F4E4FB0B6936}", std::nullopt},
      {"", std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_breakpad_id(r.text), r.want) << r.text;
  const DebugId id{guid, 0xabc};
  EXPECT_EQ(parse_breakpad_id(id.breakpad()), id);
}

}  // namespace
}  // namespace symcached
