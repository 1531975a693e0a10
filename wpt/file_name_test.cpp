#include "wpt/file_name.hpp"

#include <gtest/gtest.h>

namespace symcached::wpt {
namespace {

const DebugId kId{*Guid::parse("0e77a1b2c3d4e5f60718293a4b5c6dc1"), 0x21};

TEST(FileName, ThreeGenerationsAndBack) {
  struct Row {
    std::string_view name;
    SymcacheFile want;
  };
  const Row rows[] = {
      {"notepad.exe-5a1e8f3c2b000v1.symcache", ImageFile{"notepad.exe", 0x5a1e8f3c, 0x2b000}},
      {"a-b.exe-00000001ffffffffv1.symcache", ImageFile{"a-b.exe", 1, 0xffffffff}},
      {"chrome.dll-0e77a1b2c3d4e5f60718293a4b5c6dc121v2.symcache", ImagePdbFile{"chrome.dll", kId}},
      {"app.pdb-v3.1.0.symcache", PdbFile{"app.pdb", {3, 1, 0}}},
      {"a-v3.1.0-v2.0.0.symcache", PdbFile{"a-v3.1.0", {2, 0, 0}}},
  };
  for (const Row& r : rows) {
    const auto parsed = parse_file_name(r.name);
    ASSERT_TRUE(parsed) << r.name;
    EXPECT_EQ(*parsed, r.want) << r.name;
    EXPECT_EQ(to_string(r.want), r.name);
  }
}

TEST(FileName, CaseDoesNotCount) {
  EXPECT_EQ(parse_file_name("App.PDB-V3.1.0.SymCache"), SymcacheFile(PdbFile{"App.PDB", {3, 1, 0}}));
  EXPECT_EQ(parse_file_name("C.dll-0E77A1B2C3D4E5F60718293A4B5C6DC121V2.symcache"),
            SymcacheFile(ImagePdbFile{"C.dll", kId}));
}

TEST(FileName, WhatIsNoSymcache) {
  for (const std::string_view name : {"",
                                      ".symcache",
                                      "-.symcache",
                                      "-v3.1.0.symcache",
                                      "app.pdb",
                                      "app.pdb.symcache",
                                      "app.pdb-v3.1.0.symcache.pending",
                                      "app.pdb-v3.1.0.pending",
                                      "app.pdb-v3.1.0.error",
                                      ".app.pdb-v3.1.0.symcache",
                                      "app.pdb-v3.1.symcache",
                                      "app.pdb-3.1.0.symcache",
                                      "app.pdb-v3.1.0.0.symcache",
                                      "app.pdb-v3.1.0.negativesymcache",
                                      "a.exe-5a1e8f3cv1.symcache",
                                      "a.exe-5a1e8f3c123456789v1.symcache",
                                      "a.exe-5a1e8f3g2b000v1.symcache",
                                      "a.dll-0e77v2.symcache",
                                      "a.dll-0e77a1b2c3d4e5f60718293a4b5c6dc1v2.symcache",
                                      "a-v.symcache"})
    EXPECT_FALSE(parse_file_name(name)) << name;
}

TEST(FileName, NoComponentIsTooLong) {
  const std::string longest(kMaxComponent - std::string_view("-v3.1.0.symcache").size(), 'a');
  EXPECT_EQ(to_string(SymcacheFile(PdbFile{longest, {3, 1, 0}}))->size(), kMaxComponent);
  EXPECT_FALSE(to_string(SymcacheFile(PdbFile{longest + "a", {3, 1, 0}})));
  EXPECT_FALSE(to_string(PdbPlace{{longest + "a", {3, 1, 0}}, kId}));
  EXPECT_FALSE(parse_file_name(longest + "a-v3.1.0.symcache"));
}

TEST(FolderName, GuidAndAgeInHex) {
  struct Row {
    std::string_view why, name;
    bool good;
  };
  const Row rows[] = {
      {"as WPA writes it", "0E77A1B2C3D4E5F60718293A4B5C6DC121", true},
      {"lower", "0e77a1b2c3d4e5f60718293a4b5c6dc121", true},
      {"no age", "0E77A1B2C3D4E5F60718293A4B5C6DC1", false},
      {"leading zero", "0E77A1B2C3D4E5F60718293A4B5C6DC1021", false},
      {"age of 9 digits", "0E77A1B2C3D4E5F60718293A4B5C6DC1123456789", false},
      {"dashed", "0E77A1B2-C3D4-E5F6-0718-293A4B5C6DC121", false},
      {"other digits", "0E77A1B2C3D4E5F60718293A4B5C6DC12g", false},
      {"empty", "", false},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_folder_name(r.name), r.good ? std::optional(kId) : std::nullopt) << r.why;
  EXPECT_EQ(folder_name(kId), "0E77A1B2C3D4E5F60718293A4B5C6DC121");
  EXPECT_EQ(folder_name({kId.guid, 0xffffffff}), "0E77A1B2C3D4E5F60718293A4B5C6DC1FFFFFFFF");
  EXPECT_EQ(parse_folder_name(folder_name({kId.guid, 0})), (DebugId{kId.guid, 0}));
}

TEST(Place, EitherSeparator) {
  const PdbPlace place{{"app.pdb", {3, 1, 0}}, kId};
  const std::string path = "app.pdb/0E77A1B2C3D4E5F60718293A4B5C6DC121/app.pdb-v3.1.0.symcache";
  EXPECT_EQ(to_string(place), path);
  EXPECT_EQ(parse_place(path), place);
  EXPECT_EQ(parse_place("APP.PDB\\0e77a1b2c3d4e5f60718293a4b5c6dc121\\app.pdb-v3.1.0.symcache"), place);
  for (const std::string_view other :
       {"", "/", "//", "app.pdb-v3.1.0.symcache", "app.pdb/app.pdb-v3.1.0.symcache",
        "other.pdb/0E77A1B2C3D4E5F60718293A4B5C6DC121/app.pdb-v3.1.0.symcache",
        "x/app.pdb/0E77A1B2C3D4E5F60718293A4B5C6DC121/app.pdb-v3.1.0.symcache",
        "app.pdb/0E77A1B2C3D4E5F60718293A4B5C6DC121/notepad.exe-5a1e8f3c2b000v1.symcache"})
    EXPECT_FALSE(parse_place(other)) << other;
}

TEST(Image, OfAPdb) {
  EXPECT_TRUE(is_image_of("chrome.dll", "chrome.pdb"));
  EXPECT_TRUE(is_image_of("Chrome.dll", "chrome.dll.PDB"));
  EXPECT_TRUE(is_image_of("tool", "tool.pdb"));
  EXPECT_FALSE(is_image_of("chrome.dll", "chrome_child.pdb"));
  EXPECT_FALSE(is_image_of("chrome.dll", "chrome.dll"));
  EXPECT_FALSE(is_image_of("", ".pdb"));
}

}  // namespace
}  // namespace symcached::wpt
