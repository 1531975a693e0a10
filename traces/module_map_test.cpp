#include "traces/module_map.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "traces/trace_state.hpp"

namespace symcached::traces {
namespace {

std::string at(const ModuleMap& map, std::uint64_t address) {
  const Mapping* const row = map.find(address);
  return row == nullptr ? "-" : row->module;
}

TEST(ModuleMap, LaterRowsReplaceWhatTheyOverlap) {
  ModuleMap map;
  map.add({.start = 0x1000, .end = 0x5000, .module = "a"});
  map.add({.start = 0x3000, .end = 0x4000, .module = "b"});
  map.add({.start = 0x3000, .end = 0x3000, .module = "empty"});
  EXPECT_EQ(at(map, 0xfff), "-");
  EXPECT_EQ(at(map, 0x2fff), "a");
  EXPECT_EQ(at(map, 0x3000), "b");
  EXPECT_EQ(at(map, 0x4000), "-");
}

TEST(ModuleMap, ABaseReachesToTheNextOne) {
  ModuleMap map;
  map.add_base(0x10000, "a", {});
  map.add_base(0x20000, "b", {});
  map.add_base(~std::uint64_t{0} - 8, "top", {});
  EXPECT_EQ(at(map, 0x1ffff), "a");
  EXPECT_EQ(at(map, 0x20000), "b");
  EXPECT_EQ(at(map, ~std::uint64_t{0} - 4), "top");
  EXPECT_EQ(at(map, std::uint64_t{1} << 40), "-");
}

TEST(ModuleMap, TwoBiasesOfAModuleAreNone) {
  ModuleMap map;
  EXPECT_FALSE(map.bias_of("a"));
  map.learn_bias("a", 0x5000);
  map.learn_bias("a", 0x5000);
  EXPECT_EQ(map.bias_of("a"), 0x5000u);
  map.learn_bias("a", 0x6000);
  map.learn_bias("a", 0x5000);
  EXPECT_FALSE(map.bias_of("a"));
}

TEST(MapRows, AsSystemsAndDebuggersPrintThem) {
  struct Row {
    std::string_view line;
    std::uint64_t address;
    std::string_view module;
    Mapped kind;
    std::uint64_t place;  ///< what the address becomes
  };
  const Row rows[] = {
      {"7f20c000-7f20e000 r-xp 00001000 fe:00 12    /opt/my lib.so (deleted)", 0x7f20c010, "/opt/my lib.so",
       Mapped::file, 0x1010},
      {"      0x5648cba62000     0x5648cba63000     0x1000     0x2000  r-xp   /tmp/as", 0x5648cba62010, "/tmp/as",
       Mapped::file, 0x2010},
      {"      0x5648cba62000     0x5648cba63000     0x1000     0x2000 /tmp/as", 0x5648cba62010, "/tmp/as", Mapped::file,
       0x2010},
      {"[  0] 4F2C0A1B-0000 0x0000555555554000 /opt/a/srv", 0x555555554010, "/opt/a/srv", Mapped::image, 0x10},
      {"       0x104a10000 -        0x104a1bfff +com.x.Srv (1.0 - 1) <4F2C> /Apps/Srv", 0x104a1bfff, "/Apps/Srv",
       Mapped::image, 0xbfff},
      {"__TEXT   104a10000-104a1c000  [ 48K 48K 0K 0K] r-x/r-x SM=COW  /opt/a/Srv", 0x104a10010, "/opt/a/Srv",
       Mapped::image, 0x10},
      {"srv 1 2.5: PERF_RECORD_MMAP2 1/1: [0x55000(0x1000) @ 0x3000 fe:00 10 0]: r-xp /opt/a/srv", 0x55010,
       "/opt/a/srv", Mapped::file, 0x3010},
  };
  for (const Row& r : rows) {
    TraceState state;
    EXPECT_TRUE(read_map_row(r.line, state)) << r.line;
    const Mapping* const row = state.map.find(r.address);
    ASSERT_NE(row, nullptr) << r.line;
    EXPECT_EQ(row->module, r.module);
    EXPECT_EQ(row->kind, r.kind) << r.line;
    EXPECT_EQ(r.address - row->start + row->at, r.place) << r.line;
  }
}

TEST(MapRows, PerfMayStateBuildIds) {
  struct Row {
    std::string_view behind_the_offset, build_id;
  };
  const Row rows[] = {{" <4f2c0a1b>", "4f2c0a1b"}, {" fe:00 10 0", ""}, {" <>", ""}};
  for (const Row& r : rows) {
    TraceState state;
    const std::string line =
        fmt::format("PERF_RECORD_MMAP2 1/1: [0x55000(0x1000) @ 0x3000{}]: r-xp /srv", r.behind_the_offset);
    ASSERT_TRUE(read_map_row(line, state)) << line;
    EXPECT_EQ(state.map.find(0x55010)->build_id.substr(0, 8), r.build_id) << line;
  }
}

TEST(MapRows, DataIsNoCode) {
  TraceState state;
  EXPECT_TRUE(read_map_row("00400000-00401000 r--p 00000000 fe:00 12   /opt/a/srv", state));
  EXPECT_TRUE(read_map_row("00401000-00402000 r-xp 00001000 fe:00 12   /opt/a/srv", state));
  EXPECT_TRUE(read_map_row("00402000-00403000 r-xp 00000000 00:00 0    [vdso]", state));
  EXPECT_EQ(state.map.size(), 1u);
  EXPECT_EQ(state.map.find(0x401000)->image_start, 0x400000u);
}

TEST(MapRows, WhatIsNone) {
  for (const std::string_view line :
       {"", "00400000", "00400000-", "00400000-00401000", "00400000-00401000 r-xp", "0x1 - 0x2", "[ 0] x", "__TEXT 1-2",
        "10-20 pages", "0x1000 0x2000 0x3000 0x0 r-xp /a", "PERF_RECORD_MMAP2 1/1: [0x1"}) {
    TraceState state;
    EXPECT_FALSE(read_map_row(line, state)) << line;
    EXPECT_EQ(state.map.size(), 0u);
  }
}

}  // namespace
}  // namespace symcached::traces
