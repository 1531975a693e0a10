#include "sources/file_pointer.hpp"

#include <gmock/gmock.h>

#include "base/overloaded.hpp"

namespace symcached::sources {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const PathMap kMap = {{"\\\\server\\share", "/mnt/share"}, {"https://inside/store", "https://inside/store"}};

std::string say(const FilePointer& pointer) {
  return std::visit(overloaded{[](const PointsInStore& p) { return "store " + p.path; },
                               [](const PointsElsewhere& p) { return p.place.target + " " + p.place.below; },
                               [](const NotKept& n) { return "not kept " + n.message; },
                               [](const UnusablePointer& u) { return "unusable " + u.why; }},
                    pointer);
}

TEST(FilePointer, IsReadInEveryForm) {
  struct Row {
    std::string_view text, want;
  };
  const Row rows[] = {
      {"PATH:\\\\server\\share\\builds\\a.pdb", "/mnt/share builds/a.pdb"},
      {"path: \\\\SERVER\\Share\\a.pdb \r\n", "/mnt/share a.pdb"},
      {"\\\\server\\share\\a.pdb", "/mnt/share a.pdb"},
      {"//server/share/a.pdb", "/mnt/share a.pdb"},
      {"PATH:https://inside/store/x/a.pdb", "https://inside/store x/a.pdb"},
      {"MSG: ask the build team", "not kept ask the build team"},
      {"MSG", "not kept "},
      {"msg gone", "not kept gone"},
      {"builds\\a.pdb", "store builds/a.pdb"},
      {".\\builds\\a.pdb", "store builds/a.pdb"},
      {"..\\other\\a.pdb", "store a.pdb/other/a.pdb"},
      {"..\\..\\b.pdb\\2\\b.pdb", "store b.pdb/2/b.pdb"},
      {"RELPATH:builds/a.pdb", "store builds/a.pdb"},
      {"PATH:\\\\server\\share\\..\\x", "unusable file.ptr leads to"},
      {"PATH:\\\\server\\share", "unusable file.ptr names no file"},
      {"PATH:\\\\other\\share\\a.pdb", "unusable file.ptr leads to \\\\other\\share\\a.pdb, and path_map"},
      {"C:\\builds\\a.pdb", "unusable file.ptr leads to"},
      {"/etc/passwd", "unusable file.ptr leads to"},
      {"PATH:http://169.254.169.254/x", "unusable file.ptr leads to"},
      {"file:///etc/passwd", "unusable file.ptr leads to"},
      {"..\\..\\..\\x", "unusable file.ptr leads out of its store"},
      {"builds\\..\\..\\x", "unusable file.ptr leads out of its store"},
      {".", "unusable file.ptr leads out of its store"},
      {"STORE:\\\\server\\share", "unusable file.ptr says that the store moved"},
      {"", "unusable file.ptr is no line of text"},
      {"PATH:", "unusable file.ptr names no path"},
      {"a\nb", "unusable file.ptr is no line of text"},
      {{"a\0b", 3}, "unusable file.ptr is no line of text"},
      {"\xff", "unusable file.ptr is no line of text"},
  };
  for (const Row& r : rows)
    EXPECT_THAT(say(read_file_pointer(r.text, "a.pdb/1/file.ptr", kMap)), ::testing::StartsWith(std::string(r.want)))
        << r.text;
  EXPECT_THAT(say(read_file_pointer(std::string(5000, 'a'), "file.ptr", kMap)), HasSubstr("longer than 4096"));
}

TEST(FilePointer, FormsAndPlaces) {
  EXPECT_THAT(forms_of("x/a.pdb"), ElementsAre("x/a.pdb", "x/a.pd_"));
  EXPECT_THAT(forms_of("x/a.pd_"), ElementsAre("x/a.pd_"));
  EXPECT_EQ(pointer_beside("a.pdb/1/a.pdb"), "a.pdb/1/file.ptr");
}

}  // namespace
}  // namespace symcached::sources
