#include "sources/layouts.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/ascii.hpp"

namespace symcached::sources {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kUpper = "3249D99D0C4049318610F4E4FB0B6936";
constexpr std::string_view kLower = "3249d99d0c4049318610f4e4fb0b6936";
constexpr std::string_view kBuildId = "dfb85de42daffd09640c8fe377d572de3e168920";

FileRequest request(FileType type, ModuleIds module) {
  auto made = make_request(type, std::move(module));
  EXPECT_TRUE(made) << made.error();
  return made.value_or(FileRequest{});
}

/// The modules that Symbolicator's rules are shown with.
ModuleIds windows(std::uint32_t age = 1) {
  return {.code_file = "C:\\Program Files\\crash.exe",
          .debug_file = "C:\\build\\crash.pdb",
          .code_id = "5ab380779000",
          .debug_id = DebugId{*Guid::parse(kUpper), age}};
}
ModuleIds dotnet(std::uint32_t stamp = kNoStamp) {
  return {.debug_file = "x.pdb", .debug_id = DebugId{*Guid::parse(kUpper), stamp}};
}
ModuleIds linux_library() {
  return {.code_file = "/lib/libm-2.23.so", .debug_file = "libm-2.23.so", .code_id = std::string(kBuildId)};
}
ModuleIds mac() {
  return {.code_file = "crash", .debug_file = "crash", .code_id = "67E9247C-814E-392B-A027-DBDE6748FCBF"};
}
ModuleIds wasm() { return {.code_file = "app.wasm", .code_id = std::string(kBuildId)}; }

std::vector<std::string> paths(const LayoutRules& rules, const FileRequest& file) {
  std::vector<std::string> all;
  for (const Place& place : places(rules, file)) all.push_back(place.path);
  return all;
}

TEST(Layouts, FollowTheRulesOfEachStore) {
  struct Row {
    Layout layout;
    FileType type;
    ModuleIds module;
    std::vector<std::string> want;
  };
  using enum FileType;
  const std::string rest(kBuildId.substr(2));
  const Row rows[] = {
      {Layout::native, pe, windows(), {"crash.exe/5AB380779000/crash.exe", "crash.exe/5AB380779000/crash.ex_"}},
      {Layout::native,
       pe,
       {.code_file = "a.dll", .code_id = "590285e9e0000"},
       {"a.dll/590285E9e0000/a.dll", "a.dll/590285E9e0000/a.dl_"}},
      {Layout::native,
       pdb,
       windows(),
       {"crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb",
        "crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pd_"}},
      {Layout::native, portable_pdb, dotnet(), {"x.pdb/3249D99D0C4049318610F4E4FB0B6936ffffffff/x.pdb"}},
      {Layout::native, elf_code, linux_library(), {"df/" + rest}},
      {Layout::native, elf_debug, linux_library(), {"df/" + rest + ".debug"}},
      {Layout::native, wasm_code, wasm(), {"df/" + rest}},
      {Layout::native, wasm_debug, wasm(), {"df/" + rest + ".debug"}},
      {Layout::native, mach_debug, mac(), {"67E9/247C/814E/392B/A027/DBDE6748FCBF"}},
      {Layout::native, mach_code, mac(), {"67E9/247C/814E/392B/A027/DBDE6748FCBF.app"}},
      {Layout::native, breakpad, windows(), {"crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.sym"}},
      {Layout::native, breakpad, linux_library(), {"libm-2.23.so/E45DB8DFAF2D09FD640C8FE377D572DE0/libm-2.23.so.sym"}},
      {Layout::native,
       source_bundle,
       windows(),
       {"crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.src.zip",
        "crash.pdb/3249D99D0C4049318610F4E4FB0B6936ffffffff/crash.src.zip"}},
      {Layout::native,
       source_bundle,
       linux_library(),
       {"df/" + rest + ".src.zip", "libm-2.23.so/E45DB8DFAF2D09FD640C8FE377D572DE0/libm-2.23.src.zip",
        "libm-2.23.so/E45DB8DFAF2D09FD640C8FE377D572DEffffffff/libm-2.23.src.zip"}},
      {Layout::native, uuid_map, mac(), {}},
      {Layout::native, bcsymbol_map, mac(), {}},

      {Layout::symstore, pe, windows(), {"crash.exe/5AB380779000/crash.exe", "crash.exe/5AB380779000/crash.ex_"}},
      {Layout::symstore,
       pdb,
       windows(),
       {"crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb",
        "crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pd_"}},
      {Layout::symstore, portable_pdb, dotnet(), {"x.pdb/3249D99D0C4049318610F4E4FB0B6936ffffffff/x.pdb"}},
      {Layout::symstore,
       elf_code,
       linux_library(),
       {"libm-2.23.so/elf-buildid-" + std::string(kBuildId) + "/libm-2.23.so"}},
      {Layout::symstore, elf_debug, linux_library(), {"_.debug/elf-buildid-sym-" + std::string(kBuildId) + "/_.debug"}},
      {Layout::symstore, mach_code, mac(), {"crash/mach-uuid-67e9247c814e392ba027dbde6748fcbf/crash"}},
      {Layout::symstore, mach_debug, mac(), {"_.dwarf/mach-uuid-sym-67e9247c814e392ba027dbde6748fcbf/_.dwarf"}},
      {Layout::symstore, source_bundle, windows(), {"crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.src.zip"}},
      {Layout::symstore, breakpad, windows(), {}},
      {Layout::symstore, wasm_code, wasm(), {}},

      {Layout::symstore_index2,
       pdb,
       windows(),
       {"cr/crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb",
        "cr/crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pd_"}},
      {Layout::symstore_index2,
       elf_debug,
       linux_library(),
       {"_/_.debug/elf-buildid-sym-" + std::string(kBuildId) + "/_.debug"}},

      {Layout::ssqp,
       pdb,
       windows(0x1a),
       {"crash.pdb/3249d99d0c4049318610f4e4fb0b69361A/crash.pdb",
        "crash.pdb/3249d99d0c4049318610f4e4fb0b69361A/crash.pd_"}},
      {Layout::ssqp, portable_pdb, dotnet(), {"x.pdb/3249d99d0c4049318610f4e4fb0b6936FFFFFFFF/x.pdb"}},
      {Layout::ssqp, pe, windows(), {"crash.exe/5ab380779000/crash.exe", "crash.exe/5ab380779000/crash.ex_"}},
      {Layout::ssqp,
       elf_debug,
       {.code_id = "0123456789abcdef"},
       {"_.debug/elf-buildid-sym-0123456789abcdef000000000000000000000000/_.debug"}},

      {Layout::debuginfod, elf_code, linux_library(), {std::string(kBuildId) + "/executable"}},
      {Layout::debuginfod, elf_debug, linux_library(), {std::string(kBuildId) + "/debuginfo"}},
      {Layout::debuginfod, pdb, windows(), {}},

      {Layout::unified, pdb, windows(), {"32/49d99d0c4049318610f4e4fb0b69361/debuginfo"}},
      {Layout::unified, pe, windows(), {"32/49d99d0c4049318610f4e4fb0b69361/executable"}},
      {Layout::unified, portable_pdb, dotnet(0xdeadbeef), {"32/49d99d0c4049318610f4e4fb0b6936deadbeef/debuginfo"}},
      {Layout::unified, portable_pdb, dotnet(), {}},
      {Layout::unified, elf_code, linux_library(), {"df/" + rest + "/executable"}},
      {Layout::unified, elf_debug, linux_library(), {"df/" + rest + "/debuginfo"}},
      {Layout::unified, mach_debug, mac(), {"67/e9247c814e392ba027dbde6748fcbf/debuginfo"}},
      {Layout::unified,
       mach_debug,
       {.debug_id = DebugId{*Guid::parse(kUpper), 0}},
       {"32/49d99d0c4049318610f4e4fb0b6936/debuginfo"}},
      {Layout::unified, wasm_code, wasm(), {"df/" + rest + "/executable"}},
      {Layout::unified, breakpad, windows(), {"32/49d99d0c4049318610f4e4fb0b69361/breakpad"}},
      {Layout::unified, breakpad, linux_library(), {"df/" + rest + "/breakpad"}},
      {Layout::unified, source_bundle, windows(), {"32/49d99d0c4049318610f4e4fb0b69361/sourcebundle"}},
      {Layout::unified, uuid_map, mac(), {"67/e9247c814e392ba027dbde6748fcbf/uuidmap"}},
      {Layout::unified, bcsymbol_map, mac(), {"67/e9247c814e392ba027dbde6748fcbf/bcsymbolmap"}},

      {Layout::breakpad,
       breakpad,
       linux_library(),
       {"libm-2.23.so/E45DB8DFAF2D09FD640C8FE377D572DE0/libm-2.23.so.sym"}},
      {Layout::breakpad,
       breakpad,
       {.debug_file = "a.EXE", .debug_id = DebugId{*Guid::parse(kUpper), 1}},
       {"a.EXE/3249D99D0C4049318610F4E4FB0B69361/a.EXE.sym"}},
      {Layout::breakpad, pdb, windows(), {}},
      {Layout::nuget,
       portable_pdb,
       {.debug_file = "X.pdb", .debug_id = DebugId{*Guid::parse(kUpper), 7}},
       {"x.pdb/3249d99d0c4049318610f4e4fb0b6936FFFFFFFF/x.pdb"}},
      {Layout::nuget, pe, windows(), {}},
      {Layout::slashsymbols, elf_debug, linux_library(), {"libm-2.23.so/" + std::string(kBuildId) + "/symbols"}},
      {Layout::flat, pdb, windows(), {"crash.pdb", "crash.pd_"}},
      {Layout::flat, pe, windows(), {"crash.exe", "crash.ex_"}},
      {Layout::flat, elf_debug, linux_library(), {"libm-2.23.so.debug", "libm-2.23.so"}},
      {Layout::flat, breakpad, windows(), {"crash.sym"}},
      {Layout::loose, pdb, windows(), {}},
  };
  for (const Row& r : rows) {
    const LayoutRules rules{.layout = r.layout, .probing = Probing::first};
    EXPECT_EQ(paths(rules, request(r.type, r.module)), r.want) << int(r.layout) << " " << name_of(r.type);
  }
}

TEST(Layouts, SourceBundlesOfMacFilesLieByUuid) {
  ModuleIds module = mac();
  module.debug_id = DebugId{*Guid::parse("67e9247c814e392ba027dbde6748fcbf"), 0};
  EXPECT_THAT(paths({.layout = Layout::native}, request(FileType::source_bundle, module)),
              ElementsAre("67/e9247c814e392ba027dbde6748fcbf.src.zip", "67E9/247C/814E/392B/A027/DBDE6748FCBF.src.zip",
                          "crash/67E9247C814E392BA027DBDE6748FCBF0/crash.src.zip",
                          "crash/67E9247C814E392BA027DBDE6748FCBFffffffff/crash.src.zip"))
      << "the UUID may be a build id, and the module one of .NET";
}

TEST(Layouts, FirstIsTheFirstThatIsKnown) {
  const std::string build_id = "df/b85de42daffd09640c8fe377d572de3e168920/breakpad";
  ModuleIds module = linux_library();
  module.debug_id = debug_id_of_build_id(module.code_id);
  const std::string debug_id = "e4/5db8dfaf2d09fd640c8fe377d572de0/breakpad";
  EXPECT_THAT(paths({.layout = Layout::unified, .probing = Probing::first}, request(FileType::breakpad, module)),
              ElementsAre(build_id));
  EXPECT_THAT(paths({.layout = Layout::unified}, request(FileType::breakpad, module)), ElementsAre(build_id, debug_id));
  module.code_id.clear();
  EXPECT_THAT(paths({.layout = Layout::unified, .probing = Probing::first}, request(FileType::breakpad, module)),
              ElementsAre(debug_id));
}

TEST(Layouts, BuildIdsOfPlayStationAreSpelledInTwoWays) {
  const std::string build_id(kBuildId), upper = "DFB85DE42DAFFD09640C8FE377D572DE3E168920";
  for (const FileType type : {FileType::elf_debug, FileType::elf_code, FileType::breakpad})
    EXPECT_THAT(paths({.layout = Layout::slashsymbols}, request(type, linux_library())),
                ElementsAre("libm-2.23.so/" + build_id + "/symbols", "libm-2.23.so/" + upper + "/symbols"))
        << name_of(type);
}

TEST(Layouts, CasingIsForTheWholePath) {
  const FileRequest pdb =
      request(FileType::pdb, {.debug_file = "Crash.pdb", .debug_id = DebugId{*Guid::parse(kUpper), 26}});
  const auto with = [](Layout layout, Casing casing) { return LayoutRules{.layout = layout, .casing = casing}; };
  EXPECT_THAT(paths(with(Layout::symstore, Casing::lower), pdb),
              ElementsAre("crash.pdb/3249d99d0c4049318610f4e4fb0b69361a/crash.pdb",
                          "crash.pdb/3249d99d0c4049318610f4e4fb0b69361a/crash.pd_"));
  EXPECT_THAT(paths(with(Layout::symstore_index2, Casing::upper), pdb),
              ElementsAre("CR/CRASH.PDB/3249D99D0C4049318610F4E4FB0B69361A/CRASH.PDB",
                          "CR/CRASH.PDB/3249D99D0C4049318610F4E4FB0B69361A/CRASH.PD_"));
}

TEST(Layouts, AutomaticAsksEverySpellingOnceInOrder) {
  const auto pdb = [](std::uint32_t age) {
    return request(FileType::pdb, {.debug_file = "Crash.pdb", .debug_id = DebugId{*Guid::parse(kUpper), age}});
  };
  const std::string upper(kUpper), lower(kLower);
  EXPECT_THAT(paths({}, pdb(26)),
              ElementsAre("Crash.pdb/" + upper + "1a/Crash.pdb", "Crash.pdb/" + upper + "1a/Crash.pd_",
                          "crash.pdb/" + lower + "1a/crash.pdb", "crash.pdb/" + lower + "1a/crash.pd_",
                          "Crash.pdb/" + upper + "1A/Crash.pdb", "Crash.pdb/" + upper + "1A/Crash.pd_"));
  EXPECT_EQ(places({}, pdb(1)).size(), 4u) << "an age of decimal digits has one spelling";
  EXPECT_THAT(paths({.probing = Probing::first}, pdb(26)),
              ElementsAre("Crash.pdb/" + upper + "1a/Crash.pdb", "Crash.pdb/" + upper + "1a/Crash.pd_"));
  EXPECT_EQ(places({.layout = Layout::ssqp}, pdb(26)).size(), 8u) << "its own first, then the others";
  EXPECT_EQ(places({.layout = Layout::ssqp}, pdb(26)).front().path, "crash.pdb/" + lower + "1A/crash.pdb");
  EXPECT_EQ(places({}, pdb(26))[4].spelling, places({}, pdb(1))[0].spelling + 4) << "a spelling has one number";

  std::vector<std::string> plain;
  for (const Place& place : places(
           {}, request(FileType::portable_pdb, {.debug_file = "X.pdb", .debug_id = DebugId{*Guid::parse(kUpper), 7}})))
    if (place.packing == Packing::plain) plain.push_back(place.path);
  EXPECT_THAT(plain, ElementsAre("x.pdb/" + lower + "FFFFFFFF/x.pdb", "X.pdb/" + lower + "FFFFFFFF/X.pdb",
                                 "X.pdb/" + upper + "FFFFFFFF/X.pdb", "x.pdb/" + lower + "ffffffff/x.pdb",
                                 "X.pdb/" + upper + "ffffffff/X.pdb"));
  EXPECT_EQ(places({}, request(FileType::pe, {.code_file = "A.dll", .code_id = "05b3a077a000"})).size(), 8u);
  EXPECT_THAT(paths({}, request(FileType::elf_debug, {.code_id = "0123456789abcdef"})),
              ElementsAre("_.debug/elf-buildid-sym-0123456789abcdef/_.debug",
                          "_.debug/elf-buildid-sym-0123456789abcdef000000000000000000000000/_.debug",
                          "buildid/0123456789abcdef/debuginfo", ".build-id/01/23456789abcdef.debug",
                          "01/23456789abcdef.debug"));
}

TEST(Layouts, TwoTiersPutTheFirstLettersInFront) {
  struct Row {
    std::string_view why, name, first;
  };
  const Row rows[] = {
      {"two letters", "crash.pdb", "cr/crash.pdb/"},
      {"second is a dot", "a.pdb", "a/a.pdb/"},
      {"one letter", "a", "a/a/"},
  };
  for (const Row& r : rows) {
    const FileRequest pdb =
        request(FileType::pdb, {.debug_file = std::string(r.name), .debug_id = DebugId{*Guid::parse(kUpper), 1}});
    const std::string want = std::string(r.first) + std::string(kUpper) + "1/" + std::string(r.name);
    EXPECT_EQ(paths({.two_tiers = true}, pdb).front(), want) << r.why;
  }
}

TEST(Layouts, WhatIsNoPlainNameReachesNoPath) {
  for (const std::string name : {"..", "a/..", ".hidden", "a?b", "a*", "C:"}) {
    FileRequest unchecked{FileType::elf_code,
                          {.code_file = name, .debug_file = name, .code_id = std::string(kBuildId)}};
    EXPECT_THAT(paths({.layout = Layout::symstore}, unchecked), IsEmpty()) << name;
    EXPECT_THAT(paths({.layout = Layout::flat}, unchecked), IsEmpty()) << name;
  }
}

TEST(Layouts, EveryPlaceSaysWhatLiesThere) {
  const std::pair<FileType, ModuleIds> files[] = {
      {FileType::pdb, windows()},
      {FileType::pdb, windows(0)},
      {FileType::pdb, {.debug_file = "Crash.pdb", .debug_id = DebugId{*Guid::parse(kUpper), 0xabcdef12}}},
      {FileType::pdb, {.debug_file = "odd name_", .debug_id = DebugId{*Guid::parse(kUpper), 1}}},
      {FileType::portable_pdb, dotnet()},
      {FileType::pe, windows()},
      {FileType::pe, {.code_file = "a.b", .code_id = "000000abcd000"}},
      {FileType::elf_code, linux_library()},
      {FileType::elf_debug, linux_library()},
      {FileType::mach_code, mac()},
      {FileType::mach_debug, mac()},
      {FileType::wasm_code, wasm()},
      {FileType::wasm_debug, wasm()},
      {FileType::breakpad, windows()},
      {FileType::source_bundle, windows()},
      {FileType::source_bundle, linux_library()},
      {FileType::uuid_map, mac()},
      {FileType::bcsymbol_map, mac()},
  };
  std::size_t parsed = 0;
  for (const Layout layout : {Layout::automatic, Layout::symstore, Layout::symstore_index2, Layout::ssqp,
                              Layout::native, Layout::unified, Layout::breakpad, Layout::debuginfod, Layout::nuget})
    for (const auto& [type, module] : files)
      for (const Place& place : places({.layout = layout}, request(type, module))) {
        const auto all = parse_place({.layout = layout}, place.path);
        const auto is_it = [&](const StoredFile& stored) {
          const auto back = paths({.layout = layout}, stored.file);
          return stored.file.type == type && stored.packing == place.packing &&
                 std::ranges::find(back, place.path) != back.end();
        };
        EXPECT_TRUE(std::ranges::any_of(all, is_it)) << place.path;
        const bool is_clear = layout == Layout::symstore || layout == Layout::ssqp;
        EXPECT_TRUE(!is_clear || all.size() == 1) << place.path;
        ++parsed;
      }
  EXPECT_GT(parsed, 100u);
}

TEST(Layouts, APathOfAPdbGivesItsIds) {
  const auto all = parse_place({.layout = Layout::symstore}, "Crash.pdb/" + std::string(kUpper) + "1a/Crash.pd_");
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].file,
            (FileRequest{FileType::pdb, {.debug_file = "Crash.pdb", .debug_id = DebugId{*Guid::parse(kUpper), 26}}}));
  EXPECT_EQ(all[0].packing, Packing::underscore);
  const auto portable = parse_place({}, "x.pdb/" + std::string(kLower) + "FFFFFFFF/x.pdb");
  ASSERT_EQ(portable.size(), 1u);
  EXPECT_EQ(portable[0].file, request(FileType::portable_pdb, dotnet()));
}

TEST(Layouts, OtherPathsHoldNothing) {
  const std::string guid(kUpper);
  const std::string rows[] = {
      "",
      "/",
      "///",
      "a.pdb",
      "a.pdb/" + guid + "1",
      "a.pdb/" + guid + "1/",
      "a.pdb/" + guid + "1/b.pdb",
      "a.pdb/" + guid + "/a.pdb",
      "a.pdb/" + guid + "01/a.pdb",
      "a.pdb/" + guid + "123456789/a.pdb",
      "a.pdb/" + guid + "1g/a.pdb",
      "a.pdb/{" + guid + "}1/a.pdb",
      "a.pdb/3249d99D0C4049318610F4E4FB0B69361/a.pdb",
      "A.pdb/" + std::string(kLower) + "1/A.pdb",
      "../" + guid + "1/..",
      "a/a.pdb/" + guid + "1/a.pdb",
      "/a.pdb/" + guid + "1/a.pdb",
      "a.dll/05B3A077/a.dll",
      "a.dll/05B3A0770/a.dll/",
  };
  for (const std::string& path : rows) EXPECT_THAT(parse_place({}, path), IsEmpty()) << path;
  const LayoutRules two{.two_tiers = true};
  EXPECT_EQ(parse_place(two, "a/a.pdb/" + guid + "1/a.pdb").size(), 1u);
  EXPECT_THAT(parse_place(two, "b/a.pdb/" + guid + "1/a.pdb"), IsEmpty());
  EXPECT_THAT(parse_place(two, "a.pdb/" + guid + "1/a.pdb"), IsEmpty());
}

}  // namespace
}  // namespace symcached::sources
