#include "stacks/call_address.hpp"

#include <gtest/gtest.h>

namespace symcached::stacks {
namespace {

using model::Arch;

TEST(CallAddress, StepsBackByArchitecture) {
  struct Row {
    Arch arch;
    std::uint64_t aligned, before;  ///< of 0x1007
  };
  const Row rows[] = {
      {Arch::x86, 0x1007, 0x1006},     {Arch::x86_64, 0x1007, 0x1006},  {Arch::arm, 0x1006, 0x1004},
      {Arch::arm64, 0x1004, 0x1000},   {Arch::wasm32, 0x1004, 0x1000},  {Arch::ppc64, 0x1000, 0xff8},
      {Arch::riscv64, 0x1007, 0x1006}, {Arch::unknown, 0x1007, 0x1006},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(aligned(r.arch, 0x1007), r.aligned) << name_of(r.arch);
    EXPECT_EQ(instruction_before(r.arch, 0x1007), r.before) << name_of(r.arch);
  }
  EXPECT_EQ(instruction_before(Arch::x86_64, 0), 0xffff'ffff'ffff'ffff);
}

TEST(CallAddress, OnlyReturnAddressesStepBack) {
  struct Row {
    std::string_view why;
    std::vector<std::optional<bool>> adjust;  ///< of each frame
    std::optional<std::uint64_t> rip;
    std::optional<std::uint32_t> signal;
    std::vector<std::uint64_t> want;  ///< all frames are at 0x1000
  };
  const std::optional<bool> unset;
  const Row rows[] = {
      {"all but the innermost", {unset, unset, unset}, {}, {}, {0x1000, 0xfff, 0xfff}},
      {"stopped there", {unset, unset}, 0x1000, 11, {0x1000, 0xfff}},
      {"stopped elsewhere", {unset}, 0x2000, 11, {0xfff}},
      {"illegal instruction", {unset}, 0x2000, 4, {0xfff}},
      {"bus error", {unset}, 0x2000, 10, {0xfff}},
      {"aborted", {unset}, 0x2000, 6, {0x1000}},
      {"no signal", {unset}, 0x2000, {}, {0x1000}},
      {"no register", {unset}, {}, 11, {0x1000}},
      {"the client says yes", {true, unset}, {}, {}, {0xfff, 0xfff}},
      {"the client says no", {false, false}, {}, {}, {0x1000, 0x1000}},
      {"and is silent of one", {unset, false}, {}, {}, {0xfff, 0x1000}},
      {"it knows better than registers", {false}, 0x2000, 11, {0x1000}},
  };
  for (const Row& r : rows) {
    Stack stack;
    if (r.rip) stack.registers = {{"rip", *r.rip}, {"rsp", 8}};
    for (const std::optional<bool> adjust : r.adjust)
      stack.frames.push_back({.instruction_addr = 0x1000, .adjust_instruction_addr = adjust});
    const CallAddresses addresses(stack, r.signal);
    for (std::size_t i = 0; i < r.want.size(); ++i)
      EXPECT_EQ(addresses.of(stack.frames[i], i, Arch::x86_64, 0x1000), r.want[i]) << r.why << ", frame " << i;
  }
}

TEST(CallAddress, RegistersHaveTheNamesOfTheirArchitecture) {
  for (const auto& [arch, name] : {std::pair{Arch::x86, "eip"},
                                   {Arch::x86_64, "rip"},
                                   {Arch::arm, "pc"},
                                   {Arch::arm64, "pc"},
                                   {Arch::ppc64, "srr0"},
                                   {Arch::unknown, ""}})
    EXPECT_EQ(instruction_register(arch), name);
}

}  // namespace
}  // namespace symcached::stacks
