#include "service/file_parts.hpp"

#include <gtest/gtest.h>

namespace symcached::service {
namespace {

using Kind = object::NeedFile::Kind;

TEST(FileParts, AsText) {
  const FileParts alone{.original = {0, 65536}};
  const FileParts both{.original = {4096, 7}, .further = {{Kind::uuid_map, {0, 5}}, {Kind::symbol_map, {4096, 600}}}};
  EXPECT_EQ(alone.text(), "0 65536");
  EXPECT_EQ(both.text(), "4096 7\nuuid_map 0 5\nsymbol_map 4096 600");
  const auto again = FileParts::parse(both.text());
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->text(), both.text());
  std::string many = "0 1";
  for (int i = 0; i < 8; ++i) many += "\nuuid_map 0 1";
  for (const std::string_view text :
       {"", "0", "0 1 2", "0 1\n\n", "0 1\nuuid_map", "0 1\nuuid_map 1", "0 1\nother 1 2", many.c_str()})
    EXPECT_FALSE(FileParts::parse(text)) << text;
}

TEST(FileParts, NeededMapsAsText) {
  const auto uuid = Guid::parse("3249D99D0C4049318610F4E4FB0B6936");
  struct Row {
    NeededMaps maps;
    std::string_view text;
  };
  const Row rows[] = {{{}, "- -"},
                      {{.symbol_map = uuid}, "- 3249D99D0C4049318610F4E4FB0B6936"},
                      {{uuid, uuid}, "3249D99D0C4049318610F4E4FB0B6936 3249D99D0C4049318610F4E4FB0B6936"}};
  for (const Row& r : rows) {
    EXPECT_EQ(r.maps.text(), r.text);
    const auto again = NeededMaps::parse(r.text);
    ASSERT_TRUE(again) << r.text;
    EXPECT_EQ(again->uuid_map, r.maps.uuid_map) << r.text;
    EXPECT_EQ(again->symbol_map, r.maps.symbol_map) << r.text;
  }
  for (const std::string_view text : {"", "-", "- ", "- 12", "symcache lines", "- - -"})
    EXPECT_FALSE(NeededMaps::parse(text)) << text;
}

}  // namespace
}  // namespace symcached::service
