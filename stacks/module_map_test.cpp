#include "stacks/module_map.hpp"

#include <gtest/gtest.h>

namespace symcached::stacks {
namespace {

ModuleInfo image(std::uint64_t address, std::optional<std::uint64_t> size) {
  return {.image_addr = address, .image_size = size};
}

constexpr std::uint32_t kNone = 99;

TEST(ModuleMap, FindsTheModuleOfAnAddress) {
  const ModuleInfo modules[] = {image(0x5000, 0x1000), image(0x1000, 0x1000), image(0x1800, 0x100),
                                image(0x9000, std::nullopt)};
  const ModuleMap map(modules);
  struct Row {
    std::string_view why;
    std::uint64_t address;
    std::uint32_t want;
  };
  const Row rows[] = {
      {"before all", 0xfff, kNone},
      {"the first byte", 0x1000, 1},
      {"inside", 0x17ff, 1},
      {"one starts inside of another", 0x1800, 2},
      {"its end belongs to it", 0x1900, 2},
      {"behind the one that started last", 0x1901, kNone},
      {"between", 0x4fff, kNone},
      {"of a module that comes first in the request", 0x5800, 0},
      {"the end", 0x6000, 0},
      {"behind the end", 0x6001, kNone},
      {"open-ended", 0xffff'ffff'ffff'ffff, 3},
  };
  for (const Row& r : rows) EXPECT_EQ(map.at(r.address).value_or(kNone), r.want) << r.why;
  EXPECT_EQ(ModuleMap({}).at(1), std::nullopt);
}

TEST(ModuleMap, FillsSizesUpToTheNextModule) {
  struct Row {
    std::string_view why;
    std::vector<ModuleInfo> modules;
    std::vector<std::optional<std::uint64_t>> want;
  };
  const Row rows[] = {
      {"stated", {image(0x1000, 0x10), image(0x2000, 0x20)}, {0x10, 0x20}},
      {"not stated", {image(0x2000, 0x20), image(0x1000, std::nullopt)}, {0x20, 0x1000}},
      {"0 is none", {image(0x1000, 0), image(0x2000, 0)}, {0x1000, 0}},
      {"the last one", {image(0x1000, 0x10), image(0x2000, std::nullopt)}, {0x10, std::nullopt}},
      {"at 0", {image(0, std::nullopt), image(0x2000, 1)}, {0x2000, 1}},
      {"several at one place", {image(0, std::nullopt), image(0, std::nullopt)}, {std::nullopt, std::nullopt}},
  };
  for (const Row& r : rows) {
    const ModuleMap map(r.modules);
    for (std::uint32_t i = 0; i < r.want.size(); ++i) EXPECT_EQ(map.size(i), r.want[i]) << r.why << ", module " << i;
  }
}

TEST(ModuleMap, TellsWhichModulesAreUsed) {
  const ModuleInfo modules[] = {image(0x1000, 0x1000), image(0x5000, 0x1000), image(0, 0x10), image(0x9000, 0x10)};
  const ModuleMap map(modules);
  Stack stack;
  for (const std::uint64_t address : {0x5004, 0x7000}) stack.frames.push_back({.instruction_addr = address});
  for (const std::uint64_t module : {2, 4}) stack.frames.push_back({.relative_to = module, .instruction_addr = 0x5000});
  stack.frames.push_back({.relative_to = std::uint64_t{1} << 32});
  EXPECT_EQ(map.used(std::span(&stack, 1)), (std::vector{false, true, true, false}));
}

}  // namespace
}  // namespace symcached::stacks
