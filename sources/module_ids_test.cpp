#include "sources/module_ids.hpp"

#include <gmock/gmock.h>

namespace symcached::sources {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kGuid = "3249D99D0C4049318610F4E4FB0B6936";
constexpr std::string_view kBuildId = "dfb85de42daffd09640c8fe377d572de3e168920";

DebugId id(std::uint32_t age) { return {*Guid::parse(kGuid), age}; }

TEST(FileRequest, HasOneSpelling) {
  struct Row {
    FileType type;
    ModuleIds module;
    std::string_view want;
  };
  using enum FileType;
  const std::string build_id(kBuildId);
  const Row rows[] = {
      {pdb, {.debug_file = "C:\\b\\Crash.pdb", .debug_id = id(26)}, "crash.pdb/3249D99D0C4049318610F4E4FB0B69361a"},
      {portable_pdb, {.debug_file = "X.pdb", .debug_id = id(7)}, "portablepdb:x.pdb/3249D99D0C4049318610F4E4FB0B6936"},
      {pe, {.code_file = "/a/Crash.exe", .code_id = "5AB380779000"}, "pe:crash.exe/5AB380779000"},
      {elf_code,
       {.code_file = "/lib/libm.so", .code_id = build_id},
       "elf_code:libm.so/dfb85de42daffd09640c8fe377d572de3e168920"},
      {elf_debug, {.code_id = "DFB8"}, "elf_debug:/dfb8"},
      {elf_debug,
       {.debug_file = "libm.so", .debug_id = id(0)},
       "elf_debug:libm.so/3249d99d-0c40-4931-8610-f4e4fb0b6936"},
      {mach_debug,
       {.code_file = "crash", .code_id = "67E9247C-814E-392B-A027-DBDE6748FCBF"},
       "mach_debug:crash/67e9247c814e392ba027dbde6748fcbf"},
      {breakpad,
       {.code_file = "crash", .debug_file = "crash.pdb", .code_id = build_id, .debug_id = id(1)},
       "breakpad:crash.pdb/3249d99d-0c40-4931-8610-f4e4fb0b6936-1"},
      {source_bundle,
       {.code_file = "crash", .code_id = build_id},
       "sourcebundle:crash/dfb85de42daffd09640c8fe377d572de3e168920"},
  };
  for (const Row& r : rows) {
    const auto request = make_request(r.type, r.module);
    ASSERT_TRUE(request) << r.want << ": " << request.error();
    EXPECT_EQ(key_text(*request), r.want);
  }
}

TEST(FileRequest, SaysWhatIsMissingOrWrong) {
  struct Row {
    FileType type;
    ModuleIds module;
    std::string_view want;
  };
  using enum FileType;
  const Row rows[] = {
      {pdb, {.debug_id = id(1)}, "file name is empty"},
      {pdb, {.debug_file = "a/..", .debug_id = id(1)}, "file name starts with a dot"},
      {pdb, {.debug_file = "a.pdb"}, "a file of type pdb is asked for by its debug id, which is missing"},
      {pdb, {.debug_file = std::string(5000, 'x'), .debug_id = id(1)}, "longer than 4096 bytes"},
      {pe, {.code_file = "a.dll", .code_id = "5ab38077"}, "by its time stamp and size, which is missing"},
      {pe, {.code_file = "a.dll", .code_id = std::string(kBuildId)}, "by its time stamp and size"},
      {elf_code, {.code_file = "a"}, "by its code id or debug id"},
      {elf_code, {.code_id = "../.."}, "code id is not hexadecimal"},
      {elf_code, {.code_id = std::string(130, 'a')}, "code id longer than 128 digits"},
  };
  for (const Row& r : rows) {
    const auto request = make_request(r.type, r.module);
    ASSERT_FALSE(request) << r.want;
    EXPECT_THAT(request.error(), HasSubstr(r.want));
  }
}

TEST(FileRequest, BuildIdsLeadToDebugIds) {
  struct Row {
    std::string_view why;
    FileType type;
    ModuleIds module;
    std::optional<DebugId> want;
  };
  using enum FileType;
  const DebugId derived{*Guid::parse("E45DB8DFAF2D09FD640C8FE377D572DE"), 0};
  const DebugId of_uuid{*Guid::parse(kGuid), 0};
  const Row rows[] = {
      {"stated", elf_debug, {.code_id = std::string(kBuildId), .debug_id = id(0)}, id(0)},
      {"of ELF", elf_debug, {.code_id = std::string(kBuildId)}, derived},
      {"of text made from ELF", breakpad, {.code_id = std::string(kBuildId)}, derived},
      {"short, filled with zeros",
       elf_debug,
       {.code_id = "0102"},
       DebugId{*Guid::parse("00000201000000000000000000000000"), 0}},
      {"a UUID", mach_debug, {.code_id = "3249d99d0c4049318610f4e4fb0b6936"}, of_uuid},
      {"a UUID or a build id, which lead to different ones",
       breakpad,
       {.code_id = "3249d99d0c4049318610f4e4fb0b6936"},
       std::nullopt},
      {"of PE nothing follows", pe, {.code_id = "5ab380779000"}, std::nullopt},
      {"half a byte", elf_debug, {.code_id = "abc"}, std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ((FileRequest{r.type, r.module}.debug_id()), r.want) << r.why;
}

}  // namespace
}  // namespace symcached::sources
