#include "traces/local/name_index.hpp"

#include <gtest/gtest.h>

#include "testing/caches/own_module.hpp"

namespace symcached::traces {
namespace {

TEST(NameIndex, ByNameAndDistanceToTheNextFunction) {
  const std::vector<testkit::OwnFunction> functions{
      {.start = 0x1000, .size = 5, .name = "helper"},
      {.start = 0x1010, .size = 0x25, .name = "helper"},
      {.start = 0x1040, .size = 8, .name = "_ZN2ns5outerEi"},
      {.start = 0x1050, .size = 8, .name = "work", .linkage_name = "work.constprop.0"},
      {.start = 0x1060, .size = 8, .name = "last"},
      {.start = 0x2000, .size = 8, .name = "init"},
  };
  const auto file = testkit::write(functions);
  const auto cache = symcache::Symcache::open(file);
  NameIndex index = NameIndex::of(*cache, {{0x1000, 0x1070}, {0x2000, 0x2008}});
  struct Row {
    std::string_view name;
    std::uint64_t offset;
    std::optional<std::uint64_t> size;
    std::vector<std::uint64_t> starts;
    std::size_t count;
  };
  const Row rows[] = {
      {"helper", 1, 0x10, {0x1000}, 2},
      {"helper", 1, 0x30, {0x1010}, 2},
      {"helper", 0x30, 0x30, {0x1010}, 2},
      {"helper", 0x31, 0x30, {}, 2},
      {"helper", 1, 0x20, {}, 2},
      {"helper", 1, {}, {0x1000, 0x1010}, 2},
      {"helper", 0x20, {}, {0x1010}, 2},
      {"_ZN2ns5outerEi", 1, 0x10, {0x1040}, 1},
      {"ns::outer(int)", 1, 0x10, {0x1040}, 1},
      {"ns::outer", 1, {}, {0x1040}, 1},
      {"work", 1, 0x10, {}, 0},
      {"work.constprop.0", 1, 0x10, {0x1050}, 1},
      {"last", 1, 0x10, {0x1060}, 1},
      {"last", 1, 0x80, {0x1060}, 1},
      {"last", 1, 0x8, {}, 1},
      {"last", 1, 0x10000, {}, 1},
      {"nothing", 1, {}, {}, 0},
  };
  for (const Row& r : rows) {
    std::size_t count = 0;
    std::vector<std::uint64_t> starts;
    for (const NameIndex::Place& place : index.find(r.name, r.offset, r.size, count))
      starts.push_back(place.start.value);
    EXPECT_EQ(starts, r.starts) << r.name << "+" << r.offset << "/" << r.size.value_or(0);
    EXPECT_EQ(count, r.count) << r.name;
  }
}

}  // namespace
}  // namespace symcached::traces
