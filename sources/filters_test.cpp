#include "sources/filters.hpp"

#include <gtest/gtest.h>

namespace symcached::sources {
namespace {

TEST(Glob, MatchesAsOperatorsExpect) {
  struct Row {
    std::string_view glob, path;
    bool want;
  };
  const Row rows[] = {
      {"?:/windows/*", "C:\\Windows\\System32\\ntdll.dll", true},
      {"?:\\windows\\*", "c:/windows/system32/ntdll.dll", true},
      {"?:/windows/*", "C:/windows", false},
      {"*.dll", "a.DLL", true},
      {"*.dll", "a.dll.pdb", false},
      {"*", "", true},
      {"*", "anything/at all", true},
      {"**", "x", true},
      {"", "", true},
      {"", "x", false},
      {"a?c", "abc", true},
      {"a?c", "ac", false},
      {"a?c",
       "a\xc3\xa9"
       "c",
       true},
      {"*/app/*/lib?.so", "/data/app/x/y/libm.so", true},
      {"*/app/*/lib?.so", "/data/app/libm.so", false},
      {"a*b*c", "a-b-b-c-c", true},
      {"a*b*c", "a-c-b", false},
  };
  for (const Row& r : rows) EXPECT_EQ(matches_glob(r.glob, r.path), r.want) << r.glob << " and " << r.path;
}

TEST(Glob, ManyStarsTakeNoTime) {
  std::string glob;
  for (int i = 0; i < 200; ++i) glob += "a*";
  EXPECT_FALSE(matches_glob(glob + "b", std::string(4000, 'a')));
}

TEST(Filters, AllowTypesAndNames) {
  const FileRequest pe{FileType::pe, {.code_file = "C:\\Windows\\System32\\ntdll.dll", .debug_file = "ntdll.pdb"}};
  const FileRequest portable{FileType::portable_pdb, {.debug_file = "x.pdb"}};
  FileRequest with_checksum = portable;
  with_checksum.module.checksums.push_back({"SHA256", {std::byte{1}}});
  struct Row {
    std::string_view why;
    Filters filters;
    FileRequest request;
    bool want;
  };
  const Row rows[] = {
      {"none", {}, pe, true},
      {"its type", {.file_types = {FileType::pdb, FileType::pe}}, pe, true},
      {"another type", {.file_types = {FileType::pdb}}, pe, false},
      {"code_file", {.path_patterns = {"?:/windows/*"}}, pe, true},
      {"debug_file", {.path_patterns = {"no", "ntdll.*"}}, pe, true},
      {"neither", {.path_patterns = {"kernel32.*"}}, pe, false},
      {"no names", {.path_patterns = {"*"}}, {FileType::elf_debug, {.code_id = "ab"}}, false},
      {"both must fit", {.file_types = {FileType::pdb}, .path_patterns = {"*"}}, pe, false},
      {"a checksum", {.requires_checksum = true}, with_checksum, true},
      {"no checksum", {.requires_checksum = true}, portable, false},
      {"modules of other types have none", {.requires_checksum = true}, pe, false},
  };
  for (const Row& r : rows) EXPECT_EQ(passes(r.filters, r.request), r.want) << r.why;
}

}  // namespace
}  // namespace symcached::sources
