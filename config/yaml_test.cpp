#include "config/yaml.hpp"

#include <gmock/gmock.h>

#include "config/amounts.hpp"
#include "config/row.hpp"

namespace symcached::config {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

TEST(Yaml, HostileTextIsRefusedSoon) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int n = 0; n < 10; ++n) bomb += (n == 0 ? "*a" : ", *a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  std::string many = "a:\n";
  for (std::size_t i = 0; i <= kMaxNodes; ++i) many += "- x\n";
  struct Row {
    std::string_view why;
    std::string yaml;
    std::string_view want;
  };
  const Row rows[] = {
      {"aliases of aliases", bomb, "too many values"},
      {"long list", many, "too many values"},
      {"a long text, again and again",
       "a: &a " + std::string(100'000, 'x') + "\nb: [" +
           [] {
             std::string aliases;
             for (int i = 0; i < 100; ++i) aliases += "*a, ";
             return aliases;
           }() +
           "]",
       "too many values"},
      {"deep", std::string(17, '[') + std::string(17, ']'), "more than 16 levels"},
      {"deeper than a stack", std::string(100'000, '['), ""},
      {"deep blocks",
       [] {
         std::string text;
         for (int i = 0; i < 100'000; ++i) text += "- ";
         return text;
       }(),
       "more than 16 levels"},
      {"long", std::string(kMaxYaml + 1, ' '), "at most"},
      {"no UTF-8", "a: \xff", "not UTF-8"},
      {"alias in itself", "a: &a [*a]", "contains it"},
      {"list for a key", "? [a]\n: b", "a key must be text"},
      {"no key", ": b", "a key must be text"},
      {"two documents", "a: 1\n---\nb: 1\n", "more than one document"},
  };
  for (const Row& r : rows) {
    const auto got = parse_yaml(r.yaml);
    ASSERT_FALSE(got) << r.why;
    EXPECT_THAT(got.error().text, HasSubstr(r.want)) << r.why;
  }
}

TEST(Yaml, AliasesAreCopies) {
  const auto root = parse_yaml("a: &x {k: v}\nb: *x\n");
  ASSERT_TRUE(root);
  EXPECT_EQ(root->items[1].key, "b");
  EXPECT_EQ(root->items[1].items[0].text, "v");
}

TEST(Yaml, WhatIsWrittenIsReadBack) {
  for (const std::string text :
       {"a",    "",     "null", "~", "a: b", "a #b", "5%",          "%x",      "-",  "- a", "[",
        "a\nb", "\x01", "\"\\", "ü", "a:",   "*x",   "127.0.0.1:1", "[::1]:1", " a", "'"}) {
    const auto root = parse_yaml("k: " + yaml_scalar(text) + "\n");
    ASSERT_TRUE(root) << text;
    EXPECT_TRUE(root->items[0].is_scalar()) << text;
    EXPECT_EQ(root->items[0].text, text);
  }
}

TEST(Amounts, TimesAsPeopleWriteThem) {
  struct Row {
    const char *text, *want;  ///< empty: refused
  };
  const Row rows[] = {
      {"7d", "7d"},       {"7 days", "7d"}, {"1h 30m", "1h30m"}, {"1hour 30min", "1h30m"},
      {"2 weeks", "14d"}, {"90", "1m30s"},  {"0", "0s"},         {"300ms", "300ms"},
      {"", ""},           {"soon", ""},     {"1x", ""},          {"days", ""},
      {"1 h x", ""},      {"-1s", ""},      {"9999999w", ""},    {"99999999999999", ""},
  };
  for (const Row& r : rows) {
    const auto got = read_duration(Node::scalar(r.text));
    EXPECT_EQ(got ? duration_text(*got) : "", r.want) << r.text;
  }
}

TEST(Amounts, SizesAreExact) {
  EXPECT_EQ(exact_size_text(0), "0");
  EXPECT_EQ(exact_size_text(std::uint64_t{20} << 30), "20GiB");
  EXPECT_EQ(exact_size_text(15'000'000'000), "15GB");
  EXPECT_EQ(exact_size_text(4097), "4097");
}

TEST(Nearest, IsTheOneWithFewestChanges) {
  const std::string_view names[] = {"bind", "caches.max_size", "limits.max_queued"};
  EXPECT_EQ(nearest("bnd", names), "bind");
  EXPECT_EQ(nearest("cache.max_size", names), "caches.max_size");
  EXPECT_EQ(nearest("max_queue", names), "limits.max_queued");
  EXPECT_NE(nearest(std::string(1 << 20, 'x'), names), "") << "however long";
}

}  // namespace
}  // namespace symcached::config
