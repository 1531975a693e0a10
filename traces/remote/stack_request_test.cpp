#include "traces/remote/stack_request.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace symcached::traces {
namespace {

namespace json = boost::json;
using stacks::Trouble;

constexpr std::string_view kBuildId = "4f2c00112233445566778899aabbccddeeff0011";

FrameQuestion question(NumberKind kind, std::uint64_t value) {
  return {.module = "/opt/srv", .build_id = std::string(kBuildId), .kind = kind, .value = value};
}

TEST(RemotePlace, IsCountedFromTheStartOfTheImage) {
  FrameQuestion returning = question(NumberKind::image, 0x1001), mapped = question(NumberKind::file, 0x500),
                method = question(NumberKind::token, 0x6000004), nameless = question(NumberKind::image, 0x1000);
  returning.subtract = true;
  mapped.image_offset = 0x1500;
  FrameQuestion of_perf = question(NumberKind::file, 0x7f0000001500);
  of_perf.other_offset = 0x1500;
  method.il_offset = 0x1a;
  nameless.build_id.clear();
  FrameQuestion nothing_before = question(NumberKind::image, 0);
  nothing_before.subtract = true;
  struct Row {
    std::string_view why;
    FrameQuestion question;
    std::expected<std::uint64_t, Trouble> want;
  };
  const Row rows[] = {
      {"of the image", question(NumberKind::image, 0x1000), 0x1000},
      {"a return address", returning, 0x1000},
      {"where the image lies is known", mapped, 0x1500},
      {"stated addresses begin at 0", question(NumberKind::link, 0x1000), 0x1000},
      {"so do offsets in the file", question(NumberKind::file, 0x1000), 0x1000},
      {"as perf prints addresses", of_perf, 0x1500},
      {"of .NET", method, 0x1a},
      {"no id", nameless, std::unexpected(Trouble::no_id)},
      {"an address of the process", question(NumberKind::runtime, 0x7f0000000000), std::unexpected(Trouble::no_map)},
      {"a name", question(NumberKind::named, 4), std::unexpected(Trouble::no_map)},
      {"no image is so large", question(NumberKind::image, ~std::uint64_t{0}), std::unexpected(Trouble::no_map)},
      {"nothing is before it", nothing_before, std::unexpected(Trouble::no_map)},
  };
  for (const Row& row : rows) EXPECT_EQ(remote_place(row.question), row.want) << row.why;
}

TEST(RemoteModules, AreOfTheTypeThatTheirIdsLookLike) {
  struct Row {
    std::string_view module, build_id;
    std::optional<DebugId> debug_id;
    std::string_view type, debug_file, want_debug_id;
  };
  const auto guid = DebugId::parse("3249d99d-0c40-4931-8610-f4e4fb0b6936-1a");
  const Row rows[] = {
      {"/opt/srv", kBuildId, {}, "elf", "/opt/srv", "11002c4f-3322-5544-6677-8899aabbccdd"},
      {"C:\\a\\Srv.EXE", "", guid, "pe", "C:\\a\\Srv.pdb", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1a"},
      {"srv.pdb", "", guid, "pe", "srv.pdb", "3249d99d-0c40-4931-8610-f4e4fb0b6936-1a"},
      {"Srv", "3249d99d0c4049318610f4e4fb0b6936", {}, "macho", "Srv", "3249d99d-0c40-4931-8610-f4e4fb0b6936"},
      {"libc.so.6", "3249d99d0c4049318610f4e4fb0b6936", {}, "elf", "libc.so.6", "9dd94932-400c-3149-8610-f4e4fb0b6936"},
  };
  for (const Row& row : rows) {
    const FrameQuestion question{
        .module = std::string(row.module), .build_id = std::string(row.build_id), .debug_id = row.debug_id};
    EXPECT_EQ(name_of(remote_type(question)), row.type) << row.module;
    const auto ids = remote_ids(question);
    EXPECT_EQ(ids.debug_file, row.debug_file);
    ASSERT_TRUE(ids.debug_id) << row.module;
    EXPECT_EQ(ids.debug_id->dashed(), row.want_debug_id) << row.module;
  }
}

TEST(StackRequest, HasAModuleOnceAndAFrameForEachQuestion) {
  std::vector<FrameQuestion> questions{question(NumberKind::image, 0x10), question(NumberKind::runtime, 0x7f00),
                                       question(NumberKind::image, 0x20)};
  questions.push_back({.module = "bad\xff\"name", .build_id = "aabb", .kind = NumberKind::image, .value = 1});
  const std::size_t asked[] = {0, 2, 3};
  const StackRequest request = stack_request(questions, asked, true);
  EXPECT_EQ(request.frames, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(request.modules, (std::vector<std::size_t>{0, 3}));
  const json::value value = json::parse(request.body);
  const json::array& frames = value.at("stacktraces").at(0).at("frames").as_array();
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[1].at("addr_mode").as_string(), "rel:0");
  EXPECT_EQ(frames[1].at("instruction_addr").as_string(), "0x20");
  EXPECT_EQ(frames[2].at("addr_mode").as_string(), "rel:1");
  EXPECT_FALSE(frames[2].at("adjust_instruction_addr").as_bool());
  EXPECT_EQ(value.at("modules").as_array().size(), 2u);
  EXPECT_EQ(value.at("modules").at(0).at("code_id").as_string(), kBuildId);
  EXPECT_TRUE(value.at("options").at("explain").as_bool());
}

TEST(StackRequest, TakesNoMoreThanABatch) {
  std::vector<FrameQuestion> same(kBatchFrames + 10, question(NumberKind::image, 1)), other(kBatchModules + 10);
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < same.size(); ++i) asked.push_back(i);
  EXPECT_EQ(stack_request(same, asked, false).frames.size(), kBatchFrames);
  for (std::size_t i = 0; i < other.size(); ++i)
    other[i] = {.module = std::to_string(i), .build_id = "aabb", .kind = NumberKind::image};
  EXPECT_EQ(stack_request(other, std::span(asked).first(other.size()), false).modules.size(), kBatchModules);
}

}  // namespace
}  // namespace symcached::traces
