#include "symbolize/companions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/crc32.hpp"
#include "testing/dwarf/package.hpp"
#include "testing/dwarf/split_units.hpp"
#include "testing/elf/image.hpp"
#include "testing/macho/image.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::symbolize {
namespace {

namespace fs = std::filesystem;
using object::NeedFile;
using Kind = NeedFile::Kind;
using testkit::ElfImage;

const std::vector<std::string> kFolders{"/dbg"};

TEST(Places, FollowWhatOthersDo) {
  struct Row {
    std::string_view why;
    NeedFile need;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"debug link",
       {.kind = Kind::debug_link, .path = "ls.debug", .build_id = "0123ab"},
       {"/dbg/.build-id/01/23ab.debug", "/usr/bin/ls.debug", "/usr/bin/.debug/ls.debug", "/dbg/usr/bin/ls.debug"}},
      {"a debug link is a name",
       {.kind = Kind::debug_link, .path = "../../etc/x"},
       {"/usr/bin/x", "/usr/bin/.debug/x", "/dbg/usr/bin/x"}},
      {"build id alone", {.kind = Kind::debug_link, .build_id = "0123ab"}, {"/dbg/.build-id/01/23ab.debug"}},
      {"no build id", {.kind = Kind::debug_link, .build_id = "../../x"}, {}},
      {"common file, absolute",
       {.kind = Kind::supplementary, .path = "/dbg/.dwz/ls"},
       {"/dbg/.dwz/ls", "/usr/bin/ls", "/dbg/.dwz/ls"}},
      {"common file, relative",
       {.kind = Kind::supplementary, .path = "../../.dwz/ls"},
       {"/usr/bin/../../.dwz/ls", "/usr/bin/ls", "/dbg/.dwz/ls"}},
      {"package", {.kind = Kind::split_package}, {"/usr/bin/ls.dwp"}},
      {"unit",
       {.kind = Kind::split_unit, .path = "o/a.dwo", .directory = "/build"},
       {"/build/o/a.dwo", "/usr/bin/o/a.dwo", "/usr/bin/a.dwo"}},
      {"unit, absolute",
       {.kind = Kind::split_unit, .path = "/o/a.dwo", .directory = "/build"},
       {"/o/a.dwo", "/o/a.dwo", "/usr/bin/a.dwo"}},
      {"object", {.kind = Kind::debug_map, .path = "/o/a.o"}, {"/o/a.o"}},
      {"object in a library", {.kind = Kind::debug_map, .path = "/o/lib(1).a(a.o)"}, {"/o/lib(1).a"}},
      {"dSYM", {.kind = Kind::dsym}, {"/usr/bin/ls.dSYM/Contents/Resources/DWARF/ls"}},
      {"symbol map",
       {.kind = Kind::symbol_map, .build_id = "0102030405060708090a0b0c0d0e0f10"},
       {"/usr/bin/01020304-0506-0708-090A-0B0C0D0E0F10.bcsymbolmap",
        "/usr/bin/BCSymbolMaps/01020304-0506-0708-090A-0B0C0D0E0F10.bcsymbolmap",
        "/usr/BCSymbolMaps/01020304-0506-0708-090A-0B0C0D0E0F10.bcsymbolmap"}},
      {"list of UUIDs",
       {.kind = Kind::uuid_map, .build_id = "0102030405060708090a0b0c0d0e0f10"},
       {"/usr/01020304-0506-0708-090A-0B0C0D0E0F10.plist", "/usr/bin/01020304-0506-0708-090A-0B0C0D0E0F10.plist"}},
      {"list of no UUID", {.kind = Kind::uuid_map, .build_id = "../x"}, {}},
      {"symbol map of no UUID", {.kind = Kind::symbol_map, .build_id = "../x"}, {}},
      {"a source map's URL, then the module's own name",
       {.kind = Kind::source_map, .path = "http://x.test/a/b.map?v=1"},
       {"/usr/bin/b.map", "/usr/bin/ls.map"}},
      {"the last part of a URL", {.kind = Kind::external_debug, .path = "http://x.test/a/b.wasm"}, {"/usr/bin/b.wasm"}},
      {"Portable PDB, recorded on Windows",
       {.kind = Kind::portable_pdb, .path = "C:\\out\\..\\app.pdb"},
       {"/usr/bin/app.pdb", "/usr/bin/ls.pdb"}},
      {"assembly", {.kind = Kind::assembly}, {"/usr/bin/ls.dll", "/usr/bin/ls.exe"}},
      {"no path", {.kind = Kind::split_unit, .path = std::string("a\0b", 3)}, {}},
  };
  for (const Row& r : rows) {
    std::vector<std::string> got;
    for (const fs::path& place : places_of(r.need, "/usr/bin/ls", {.debug_folders = kFolders}))
      got.push_back(place.string());
    EXPECT_EQ(got, r.want) << r.why;
  }
}

TEST(Places, DsymsOfBundles) {
  const NeedFile need{.kind = Kind::dsym};
  const auto has = [&](std::string_view file, std::string_view place) {
    return std::ranges::count(places_of(need, file, {}), fs::path(place)) == 1;
  };
  EXPECT_TRUE(has("/a/X.app/Contents/MacOS/X", "/a/X.app.dSYM/Contents/Resources/DWARF/X"));
  EXPECT_TRUE(has("/a/F.framework/Versions/A/F", "/a/F.framework.dSYM/Contents/Resources/DWARF/F"));
}

TEST(Places, SymbolMapsOfArchivesAndThoseThatAreNamed) {
  const NeedFile need{.kind = Kind::symbol_map, .build_id = "0102030405060708090a0b0c0d0e0f10"};
  const std::vector<std::string> named{"/m/names.txt", "/m/01020304-0506-0708-090a-0b0c0d0e0f10.bcsymbolmap",
                                       "/m/FF020304-0506-0708-090A-0B0C0D0E0F10.bcsymbolmap"};
  const auto places = places_of(need, "/a/X.xcarchive/dSYMs/X.dSYM/Contents/Resources/DWARF/X", {.symbol_maps = named});
  ASSERT_GT(places.size(), 2u);
  EXPECT_THAT(std::vector(places.begin(), places.begin() + 2), testing::ElementsAre(named[0], named[1]));
  EXPECT_THAT(places,
              testing::Contains("/a/X.xcarchive/BCSymbolMaps/01020304-0506-0708-090A-0B0C0D0E0F10.bcsymbolmap"));
  EXPECT_THAT(places, testing::Not(testing::Contains(named[2]))) << "of another file";
}

class Search : public testing::Test {
 protected:
  /// A file with a build id that ends in `last`, and if it is a debug file with a byte of DWARF.
  static std::string file(char last, bool debug, std::string_view link = {}, std::uint32_t crc = 0,
                          std::string_view alt = {}) {
    std::string id(testkit::kElfBuildId);
    id.back() = last;
    const elf::Layout layout{};
    ElfImage image;
    if (last != 0)
      image.sections.push_back({.name = ".note",
                                .type = elf::SectionType::note,
                                .data = testkit::elf_note(layout, "GNU", elf::kNoteBuildId, as_bytes(id)),
                                .alignment = 4});
    if (debug) image.sections.push_back({.name = ".debug_info", .data = std::vector<std::byte>(1)});
    if (!link.empty())
      image.sections.push_back(
          {.name = ".gnu_debuglink", .data = testkit::ElfBytes(layout).c_string(link).align(4).u32(crc).finish()});
    if (!alt.empty()) {
      std::string alt_id(testkit::kElfBuildId);
      alt_id.back() = 'z';
      image.sections.push_back(
          {.name = ".gnu_debugaltlink", .data = testkit::ElfBytes(layout).c_string(alt).text(alt_id).finish()});
    }
    return std::string(as_text(assemble(image)));
  }
  std::vector<std::string> find(const std::string& program) {
    folder_.write("bin/program", program);
    const fs::path path = folder_.path() / "bin/program";
    const auto mapped = MappedFile::open(path);
    std::vector<std::string> found;
    const std::vector<std::string> folders{(folder_.path() / "dbg").string()};
    const Companions companions = find_companions(path, mapped->bytes(), {.debug_folders = folders});
    for (const object::Companion& one : companions.all()) found.emplace_back(as_text(one.file));
    return found;
  }
  TempFolder folder_;
};

TEST_F(Search, TakesTheDebugFileThatBelongs) {
  const std::string right = file('a', true);
  folder_.write("bin/p.debug", file('b', true));
  folder_.write("bin/.debug/p.debug", right);
  EXPECT_THAT(find(file('a', false, "p.debug")), testing::ElementsAre(right));
  EXPECT_THAT(find(file('c', false, "p.debug")), testing::IsEmpty());
  EXPECT_THAT(find(file('a', true, "p.debug")), testing::IsEmpty()) << "has DWARF itself";
}

TEST_F(Search, ObjectFilesAsTheyWereWhenLinked) {
  const auto stab = [](macho::Stab type) { return static_cast<std::uint8_t>(type); };
  const std::string object = (folder_.path() / "a.o").string(), library = (folder_.path() / "l.a").string();
  const std::string members[] = {library + "(b.o)", library + "(c.o)"};
  folder_.write("a.o", "object");
  folder_.write("l.a", "library");
  const auto program = [&](std::uint64_t modified) {
    testkit::MachoImage image;
    image.uuid.reset();
    const auto add = [&](const std::string& path, std::uint64_t time) {
      image.symbols.push_back({.name = path, .type = stab(macho::Stab::object), .section = 0, .value = time});
      image.symbols.push_back({.name = "_f", .type = stab(macho::Stab::function), .value = 1});
    };
    add(object, modified), add(members[0], 5), add(members[1], 5);
    return std::string(as_text(assemble(image)));
  };
  const auto time = std::chrono::file_clock::to_sys(fs::last_write_time(object)).time_since_epoch();
  const auto now = static_cast<std::uint64_t>(std::chrono::floor<std::chrono::seconds>(time).count());
  EXPECT_THAT(find(program(now)), testing::ElementsAre("object", "library", "library"));
  EXPECT_THAT(find(program(0)), testing::ElementsAre("object", "library", "library")) << "the map does not say when";
  EXPECT_THAT(find(program(now - 1)), testing::ElementsAre("library", "library"));
}

TEST_F(Search, ByBuildIdAlone) {
  const std::string right = file('a', true);
  folder_.write("dbg/.build-id/01/02030405060708090a0b0c0d0e0f1011121361.debug", right);
  EXPECT_THAT(find(file('a', false)), testing::ElementsAre(right));
}

TEST_F(Search, WithoutBuildIdsTheChecksumDecides) {
  const std::string debug = file(0, true);
  folder_.write("bin/p.debug", debug);
  EXPECT_THAT(find(file(0, false, "p.debug", crc32(as_bytes(debug)))), testing::ElementsAre(debug));
  EXPECT_THAT(find(file(0, false, "p.debug", 1)), testing::IsEmpty());
}

TEST_F(Search, NeverTakesTheFileItself) { EXPECT_THAT(find(file('a', false, "program")), testing::IsEmpty()); }

TEST_F(Search, FindsWhatTheDebugFileRefersTo) {
  const std::string debug = file('a', true, "", 0, "../common/c.dwz"), common = file('z', true);
  folder_.write("dbg/x/p.debug", debug);
  folder_.write("dbg/common/c.dwz", common);
  folder_.write("bin/p.debug", "not ELF");
  std::error_code error;
  fs::create_directories(folder_.path() / "bin/.debug", error);
  fs::create_symlink(folder_.path() / "dbg/x/p.debug", folder_.path() / "bin/.debug/p.debug", error);
  EXPECT_THAT(find(file('a', false, "p.debug")), testing::ElementsAre(debug, common));
}

TEST_F(Search, HiddenNamesByTheUuidOfTheOriginal) {
  testkit::MachoImage image;
  image.symbols = {{.name = "___hidden#0_", .value = 0x100000410}};
  const std::string program(as_text(assemble(image)));
  const std::string list =
      "<plist><dict><key>DBGOriginalUUID</key><string>FFEEDDCC-BBAA-9988-7766-554433221100</string></dict></plist>";
  const std::string map = "BCSymbolMap Version: 2.0\n_first\n", own = "BCSymbolMap Version: 2.0\n_own\n";
  folder_.write("bin/01020304-0506-0708-090A-0B0C0D0E0F10.bcsymbolmap", own);
  folder_.write("bin/BCSymbolMaps/FFEEDDCC-BBAA-9988-7766-554433221100.bcsymbolmap", map);
  EXPECT_THAT(find(program), testing::ElementsAre(own)) << "nothing says that it has another UUID";
  folder_.write("01020304-0506-0708-090A-0B0C0D0E0F10.plist", "damaged");
  folder_.write("bin/01020304-0506-0708-090A-0B0C0D0E0F10.plist", list);
  EXPECT_THAT(find(program), testing::ElementsAre(list, map));
  folder_.write("bin/BCSymbolMaps/FFEEDDCC-BBAA-9988-7766-554433221100.bcsymbolmap", "damaged");
  EXPECT_THAT(find(program), testing::ElementsAre(list));
}

std::string elf_of(const dwarf::Sections& dwarf) {
  const std::string suffix = dwarf.split ? ".dwo" : "";
  ElfImage image;
  const auto add = [&](const std::string& name, Bytes data) {
    if (!data.empty()) image.sections.push_back({.name = name, .data = {data.begin(), data.end()}});
  };
  add(".debug_info" + suffix, dwarf.info);
  add(".debug_abbrev" + suffix, dwarf.abbrev);
  add(".debug_addr", dwarf.addr);
  add(".debug_cu_index", dwarf.cu_index);
  return std::string(as_text(assemble(image)));
}

TEST_F(Search, SplitUnitsByTheirIds) {
  const std::vector<testkit::SplitUnitSpec> units{{1, 1, 0x1000}, {2, 2, 0x2000}, {3, 4, 0x3000}};
  const testkit::SplitDwarf program(5, units);
  std::vector<std::string> files;
  for (const dwarf::Sections& unit : program.split) files.push_back(elf_of(unit));
  for (std::size_t i = 0; i < files.size(); ++i) folder_.write("bin/unit" + std::to_string(i) + ".dwo", files[i]);
  EXPECT_THAT(find(elf_of(program.main)), testing::ElementsAre(files[0], files[1])) << "the third has another id";

  const auto index = assemble(testkit::PackageIndex{.columns = {1}, .rows = {{1, {{0, 0}}}, {3, {{0, 0}}}}});
  dwarf::Sections packed{.split = true};
  packed.cu_index = index;
  const std::string package = elf_of(packed);
  folder_.write("bin/program.dwp", package);
  EXPECT_THAT(find(elf_of(program.main)), testing::ElementsAre(package, files[1])) << "the others are packed";
}

}  // namespace
}  // namespace symcached::symbolize
