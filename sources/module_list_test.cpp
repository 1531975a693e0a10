#include "sources/module_list.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/hex.hpp"
#include "sources/module_line.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::sources {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kGuid = "3249D99D0C4049318610F4E4FB0B6936";
const std::string kDashed = "3249d99d-0c40-4931-8610-f4e4fb0b6936";
const std::string kBuildId = "dfb85de42daffd09640c8fe377d572de3e168920";

/// "code_file|debug_file|code_id|debug_id", of an unknown line "unknown".
std::string say(const ModuleIds& m) {
  return fmt::format("{}|{}|{}|{}", m.code_file, m.debug_file, m.code_id, m.debug_id ? m.debug_id->breakpad() : "");
}
std::string say(const ModuleLine& line) {
  return line.kind == LineKind::module ? say(line.module) : line.kind == LineKind::unknown ? "unknown" : "nothing";
}

TEST(ModuleLine, NameAndIdInTheSpellingsPeopleHave) {
  struct Row {
    std::string line, want;
  };
  const std::string pdb = "|crash.pdb||" + kGuid;
  const Row rows[] = {
      {"crash.pdb " + kGuid + "1a", pdb + "1a"},
      {"crash.pdb\t" + kGuid + "1A  ", pdb + "1a"},
      {"\"crash.pdb\" " + kDashed + "-1a", pdb + "1a"},
      {"crash.pdb " + kDashed + "1a", pdb + "1a"},
      {"crash.pdb " + kDashed, pdb + "1"},
      {"crash.pdb " + kGuid, pdb + "1"},
      {"crash.pdb {" + kDashed + "} 26", pdb + "1a"},
      {"crash.pdb " + kGuid + " 26", pdb + "1a"},
      {"crash.pdb " + kGuid + "FFFFFFFF", pdb + "ffffffff"},
      {"crash.pdb/" + kGuid + "1a", pdb + "1a"},
      {"crash.pdb/" + kGuid + "1a/crash.pdb", pdb + "1a"},
      {"crash.pdb/" + kGuid + "1a/CRASH.pdb", pdb + "1a"},
      {"c:\\out dir\\crash.pdb " + kGuid + "1", "|c:\\out dir\\crash.pdb||" + kGuid + "1"},
      {"app.dll 5AB380779000", "app.dll||5ab380779000|"},
      {"app.dll/5AB380779000/app.dll", "app.dll||5ab380779000|"},
      {"app.dll " + kGuid + "1 5AB380779000", "app.dll||5ab380779000|" + kGuid + "1"},
      {"app.dll 5AB380779000 " + kGuid + "1", "app.dll||5ab380779000|" + kGuid + "1"},
      {"libm.so.6 " + kBuildId, "libm.so.6||" + kBuildId + "|"},
      {"libm.so.6 " + kDashed, "libm.so.6|||" + kGuid + "0"},
      {"MyApp " + kGuid, "MyApp||3249d99d0c4049318610f4e4fb0b6936|"},
      {"libm.debug " + kBuildId, "|libm.debug|" + kBuildId + "|"},
  };
  for (const Row& r : rows) EXPECT_EQ(say(parse_module_line(r.line)), r.want) << r.line;
}

TEST(ModuleLine, ListingsOfOtherTools) {
  struct Row {
    std::string_view why;
    std::string line, want;
  };
  const std::string code_view =
      R"("[RSDS] PdbSig: {3249d99d-0c40-4931-8610-f4e4fb0b6936}; Age: 26; Pdb: u:\out, dir\client.pdb")";
  const std::string image = "   0x4da89d03, 0x00bcb000, \"client.dll\", ";
  const std::string pdb = "|u:\\out, dir\\client.pdb|";
  const Row rows[] = {
      {"xperf's heading", "TimeDateStamp,  ImageSize, OrigFileName, CodeView Record", "nothing"},
      {"its other heading", "CodeView Record", "nothing"},
      {"age is decimal", image + code_view, "client.dll" + pdb + "4da89d03bcb000|" + kGuid + "1a"},
      {"ids of PDBs alone", code_view, pdb + "|" + kGuid + "1a"},
      {"no PDB", image + "\"\"", "client.dll||4da89d03bcb000|"},
      {"ids of images alone", "0x4da89d03, 0x00bcb000, \"client.dll\"", "client.dll||4da89d03bcb000|"},
      {"another record", image + "\"[NB10] PdbSig: 0x1; Age: 1; Pdb: a.pdb\"", "client.dll||4da89d03bcb000|"},
      {"a record cut short", "\"[RSDS] PdbSig: {3249d99d-0c40", "unknown"},
      {"age too large", R"("[RSDS] PdbSig: {3249d99d-0c40-4931-8610-f4e4fb0b6936}; Age: 4294967296; Pdb: a.pdb")",
       "unknown"},
      {"perf", "dfb85de42daffd09640c8fe377d572de3e168920 /usr/lib/my app/libm.so.6",
       "/usr/lib/my app/libm.so.6||" + kBuildId + "|"},
      {"perf, the kernel", "dfb85de42daffd09640c8fe377d572de3e168920 [kernel.kallsyms]",
       "[kernel.kallsyms]||" + kBuildId + "|"},
      {"perf, an id of 16 bytes", "3249d99d0c4049318610f4e4fb0b6936 /bin/x",
       "/bin/x||3249d99d0c4049318610f4e4fb0b6936|"},
  };
  for (const Row& r : rows) EXPECT_EQ(say(parse_module_line(r.line)), r.want) << r.why;
}

TEST(ModuleLine, WhatIsNone) {
  const std::string long_name(kMaxRecorded + 1, 'a');
  const std::pair<std::string, std::string> rows[] = {
      {"", "nothing"},
      {" \t\r", "nothing"},
      {"# crash.pdb 1", "nothing"},
      {"crash.pdb", "unknown"},
      {kGuid + "1a", "unknown"},
      {kBuildId, "unknown"},
      {"please feed me", "unknown"},
      {"crash.pdb 3249D99D", "unknown"},
      {"crash.pdb " + kGuid + "123456789", "unknown"},
      {"crash.pdb/" + kGuid + "1/other.pdb", "unknown"},
      {"crash.pdb " + std::string(kMaxCodeId + 2, 'a'), "unknown"},
      {long_name + " " + kBuildId, "unknown"},
      {"app.dll 0x5AB380779000", "unknown"},
  };
  for (const auto& [line, want] : rows) EXPECT_EQ(say(parse_module_line(line)), want) << line;
}

std::vector<std::string> modules_of(std::string_view text) {
  const auto list = parse_module_list(text);
  if (!list) return {list.error()};
  std::vector<std::string> said;
  for (const ModuleIds& m : list->modules) said.push_back(say(m));
  return said;
}

TEST(ModuleList, LinesOfSeveralDialectsEachModuleOnce) {
  const std::string text = "# from two machines\r\ncrash.pdb " + kGuid + "1a\r\n" + kBuildId +
                           " /lib/libm.so\r\n\r\ncrash.pdb/" + kGuid + "1A\r\nwhat is this\r\n" +
                           std::string(200, 'x') + "\nthird\nfourth";
  EXPECT_THAT(modules_of(text), ElementsAre("|crash.pdb||" + kGuid + "1a", "/lib/libm.so||" + kBuildId + "|"));
  const auto list = parse_module_list(text);
  EXPECT_EQ(list->unknown, 4u);
  EXPECT_THAT(list->first_unknown, ElementsAre("what is this\r", std::string(kMaxQuoted, 'x'), "third"));
}

TEST(ModuleList, Json) {
  const std::string module = R"({"type":"pe","debug_id":")" + kDashed + R"(-1a","code_id":"5AB380779000",)" +
                             R"("debug_file":"c:\\crash.pdb","code_file":"c:\\crash.exe","image_addr":"0x1"})";
  const std::string want = "c:\\crash.exe|c:\\crash.pdb|5ab380779000|" + kGuid + "1a";
  EXPECT_THAT(modules_of("[" + module + "]"), ElementsAre(want));
  EXPECT_THAT(modules_of("\n {\"modules\":[" + module + "," + module + "]}"), ElementsAre(want));
  EXPECT_THAT(modules_of("{\"platform\":\"native\",\"debug_meta\":{\"images\":[" + module + "]}}"), ElementsAre(want));
  EXPECT_THAT(modules_of("[{\"type\":\"apple\",\"name\":\"App\",\"uuid\":\"" + kDashed + "\"}]"),
              ElementsAre("App|||" + kGuid + "0"));
  EXPECT_THAT(modules_of("[]"), ElementsAre());
  const auto list = parse_module_list(R"([{"type":"elf","code_file":"a"}, {"debug_id": 7}, )" + module + "]");
  EXPECT_EQ(list->unknown, 2u);
  EXPECT_THAT(list->first_unknown, ElementsAre("a module without an id", "a module without an id"));
}

TEST(ModuleList, JsonOfAnAssemblyHasTheDigestOfItsPdb) {
  const auto list =
      parse_module_list(R"([{"type":"pe_dotnet","debug_file":"a.pdb","debug_id":")" + kDashed +
                        R"(-b09a1d63","debug_checksum":"SHA256:00ffAB"},{"checksums":["SHA256:01","x"],)" +
                        R"("debug_id":")" + kDashed + "\"}]");
  ASSERT_EQ(list->modules.size(), 2u);
  ASSERT_EQ(list->modules[0].checksums.size(), 1u);
  EXPECT_EQ(list->modules[0].checksums[0].algorithm, "SHA256");
  EXPECT_EQ(to_hex(list->modules[0].checksums[0].digest), "00ffab");
  EXPECT_EQ(list->modules[1].checksums.size(), 1u);
}

TEST(ModuleList, WhatCannotBeRead) {
  const std::pair<std::string, std::string_view> rows[] = {
      {"{\"modules\":", "JSON, but incomplete"},
      {"[{}] and more", "JSON, but extra data"},
      {"{}", "JSON without modules"},
      {"{\"debug_meta\":[]}", "JSON without modules"},
      {"[{\"a\":" + std::string(100, '[') + std::string(100, ']') + "}]", "JSON, but too deep"},
      {std::string(kMaxModuleList + 1, ' '), "a list of 64 MiB; at most 64 MiB are read"},
  };
  for (const auto& [text, want] : rows) EXPECT_THAT(modules_of(text), ElementsAre(HasSubstr(want)));
}

TEST(ModuleList, TextAsPowerShellWritesIt) {
  std::string text = "\xFF\xFE";
  for (const char c : "cr\u00e4sh.pdb " + kGuid + "1\r\n") {  // \u00e4 in UTF-8 is two bytes; replaced below
    text += c;
    text += '\0';
  }
  const std::string wide_umlaut("\xC3\0\xA4\0", 4);
  text.replace(text.find(wide_umlaut), wide_umlaut.size(), std::string("\xE4\0", 2));
  EXPECT_THAT(modules_of(text), ElementsAre("|cr\u00e4sh.pdb||" + kGuid + "1"));
  EXPECT_THAT(modules_of("\xEF\xBB\xBF"
                         "crash.pdb " +
                         kGuid + "1"),
              ElementsAre("|crash.pdb||" + kGuid + "1"));
  EXPECT_THAT(modules_of("[vdso] " + kBuildId), ElementsAre("[vdso]||" + kBuildId + "|"));
}

std::vector<std::byte> bytes_of(std::string_view text) {
  const auto bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

TEST(ModuleList, StoredFuzzInputs) {
  const testkit::StoredInput inputs[] = {
      {"lines", bytes_of("crash.pdb " + kGuid + "1a\nlibm.so " + kBuildId + "\napp.dll/5AB380779000/app.dll\n?\n")},
      {"xperf", bytes_of("TimeDateStamp,  ImageSize, OrigFileName, CodeView Record\n   0x4da89d03, 0x00bcb000, "
                         "\"client.dll\", \"[RSDS] PdbSig: {" +
                         kDashed + "}; Age: 753; Pdb: c:\\client.pdb\"\n")},
      {"perf", bytes_of(kBuildId + " /usr/lib/libm.so.6\n" + kBuildId + " [kernel.kallsyms]\n")},
      {"json", bytes_of("{\"debug_meta\":{\"images\":[{\"type\":\"pe_dotnet\",\"debug_id\":\"" + kDashed +
                        "-1\",\"code_file\":\"a\",\"debug_checksum\":\"SHA256:00\"},{\"id\":\"\"}]}}")},
      {"utf16", bytes_of(std::string_view("\xFF\xFE"
                                          "a\0 \0\x3D\xD8\x00\xDE\n",
                                          11))},
  };
  testkit::expect_stored("sources/fuzz_corpus/module_list_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::sources
