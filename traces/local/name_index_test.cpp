#include "traces/local/name_index.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "testing/caches/own_module.hpp"
#include "testing/elf/image.hpp"

namespace symcached::traces {
namespace {

/// Code from 0x1000 to 0x1070 and from 0x2000 to 0x2008, in an image that states 0 as its start.
Geometry two_ranges() {
  testkit::ElfImage image;
  for (const auto& [name, address, size] : {std::tuple{".text", 0x1000, 0x70}, {".init.text", 0x2000, 8}})
    image.sections.push_back({.name = name,
                              .flags = elf::kFlagAlloc | elf::kFlagExecInstr,
                              .address = static_cast<std::uint64_t>(address),
                              .data = std::vector<std::byte>(static_cast<std::size_t>(size))});
  return Geometry::of(testkit::assemble(image));
}

NameIndex index_of_symbols() {
  static const std::vector<object::CodeSymbol> symbols{{0x1000, 5, "helper"},         {0x1010, 0x25, "helper"},
                                                       {0x1040, 8, "_ZN2ns5outerEi"}, {0x1050, 8, "work.constprop.0"},
                                                       {0x1060, 8, "last"},           {0x2000, 8, "init"}};
  return NameIndex::of(symbols, two_ranges());
}

NameIndex index_of_cache() {
  const std::vector<testkit::OwnFunction> functions{
      {.start = 0x1000, .size = 5, .name = "helper"},
      {.start = 0x1010, .size = 0x25, .name = "helper"},
      {.start = 0x1040, .size = 8, .name = "_ZN2ns5outerEi"},
      {.start = 0x1050, .size = 8, .name = "work", .linkage_name = "work.constprop.0"},
      {.start = 0x1060, .size = 8, .name = "last"},
      {.start = 0x2000, .size = 8, .name = "init"},
  };
  const auto file = testkit::write(functions);
  return NameIndex::of(*symcache::Symcache::open(file), two_ranges());
}

TEST(NameIndex, ByNameAndDistanceToTheNextFunction) {
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
  for (NameIndex index : {index_of_symbols(), index_of_cache()})
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
