#include "stacks/gaps.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/caches/answering_modules.hpp"

namespace symcached::stacks {
namespace {

class Nowhere final : public FrameSink {
 public:
  void begin_stack(const Stack&) override {}
  void frame(const OutFrame&) override { ++frames; }
  void end_stack() override {}
  std::size_t frames = 0;
};

/// At 0x10000 a module with lines, at 0x20000 one with names alone, at 0x30000 one that is missing, at 0x40000 one of
/// another type, at 0x50000 one without ids, at 0 one of WebAssembly, at 0x60000 one of .NET.
Request request(std::vector<Frame> frames) {
  using sources::ModuleType;
  Request request;
  const auto add = [&](std::optional<ModuleType> type, std::uint64_t address, std::string code_id) {
    request.modules.push_back(
        {.type = type, .ids = {.code_id = std::move(code_id)}, .image_addr = address, .image_size = 0x4000});
  };
  add(ModuleType::elf, 0x10000, "aa");
  add(ModuleType::elf, 0x20000, "bb");
  add(ModuleType::elf, 0x30000, "cc");
  add(std::nullopt, 0x40000, "dd");
  add(ModuleType::elf, 0x50000, "");
  add(ModuleType::wasm, 0, "ee");
  add(ModuleType::pe_dotnet, 0x60000, "ff");
  request.stacks.emplace_back();
  request.stacks.emplace_back().frames = std::move(frames);
  return request;
}

/// "MODULE TROUBLE COUNT" of each gap.
std::string gaps_of(std::vector<Frame> frames) {
  const auto native = testkit::native_module(), managed = testkit::managed_module();
  const Features lines{.has_debug_info = true, .has_symbols = true}, names{.has_symbols = true};
  const std::vector<ModuleState> states = {{ModuleStatus::found, &native, lines},
                                           {ModuleStatus::found, &native, names},
                                           {ModuleStatus::missing},
                                           {ModuleStatus::missing},
                                           {.status = ModuleStatus::missing, .has_ids = false},
                                           {ModuleStatus::found, &native, lines},
                                           {ModuleStatus::found, &managed, lines}};
  const Request asked = request(std::move(frames));
  Scratch scratch;
  Nowhere nowhere;
  GapFinder finder(asked, states, nowhere);
  symbolicate(asked, ModuleMap(asked.modules), states, scratch, finder);
  EXPECT_GE(nowhere.frames, asked.stacks.back().frames.size());
  std::string text;
  for (const Gap& gap : finder.gaps()) {
    EXPECT_EQ(gap.frames.size(), std::min<std::uint64_t>(gap.count, Gap::kMostFrames));
    EXPECT_EQ(gap.frames.front().stack, 1u);
    const std::string module = gap.module ? std::to_string(*gap.module) : "-";
    text += fmt::format("{} {} {}\n", module, static_cast<int>(gap.trouble), gap.count);
  }
  return text;
}

std::string gap(std::string_view module, Trouble trouble, int count = 1) {
  return fmt::format("{} {} {}\n", module, static_cast<int>(trouble), count);
}

TEST(Gaps, AreFramesWithoutNamesOrLines) {
  struct Row {
    std::string_view why;
    std::vector<Frame> frames;
    std::string want;
  };
  const auto at = [](std::uint64_t address) { return Frame{.instruction_addr = address}; };
  const Row rows[] = {
      {"all is known", {at(0x11004)}, ""},
      {"no module", {at(0x90000), at(0x90001)}, gap("-", Trouble::no_module, 2)},
      {"no such module", {{.relative_to = 9}}, gap("-", Trouble::no_such_module)},
      {"no function there", {at(0x13f00)}, gap("0", Trouble::outside)},
      {"a name without a line", {at(0x12000)}, gap("0", Trouble::no_line)},
      {"of a module without any", {at(0x22000)}, gap("1", Trouble::names_only)},
      {"missing", {at(0x30000)}, gap("2", Trouble::no_file)},
      {"of a type that nobody knows", {at(0x40000)}, gap("3", Trouble::other_type)},
      {"no id", {at(0x50000)}, gap("4", Trouble::no_id)},
      {"at 0", {at(0x1000)}, gap("5", Trouble::not_reached)},
      {"of .NET, without a method", {at(0x60000)}, gap("6", Trouble::no_method)},
      {"of .NET, without a line",
       {{.instruction_addr = 0x60000, .function_id = 0xffffff}},
       gap("6", Trouble::no_il_offset)},
      {"by module, those without one last",
       {at(0x90000), at(0x30000), at(0x12002)},
       gap("0", Trouble::no_line) + gap("2", Trouble::no_file) + gap("-", Trouble::no_module)},
  };
  for (const Row& row : rows) EXPECT_EQ(gaps_of(row.frames), row.want) << row.why;
}

TEST(Gaps, ListNotMoreThanAFewFrames) {
  EXPECT_EQ(gaps_of(std::vector<Frame>(1000, {.instruction_addr = 0x30000})), gap("2", Trouble::no_file, 1000));
}

TEST(Gaps, AreExplainedByWhatWasAsked) {
  const Request asked = request({});
  std::vector<ModuleState> states(asked.modules.size());
  states[2].candidates = {
      {.source = "s", .location = "x", .download = DownloadStatus::no_permission, .details = "401 Unauthorized"}};
  const auto all = explain(asked, states, {{.module = 2, .trouble = Trouble::no_file}, {}}, {});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].advice.reason, "source s demands credentials: 401 Unauthorized");
  EXPECT_EQ(all[1].advice.reason, "no module covers this address");
}

}  // namespace
}  // namespace symcached::stacks
