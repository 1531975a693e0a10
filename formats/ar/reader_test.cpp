#include "formats/ar/reader.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/ar/archive.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::ar {
namespace {

using testing::ElementsAre;
using testkit::ar_bsd_member;
using testkit::ar_header;
using testkit::ar_member;
using testkit::Section;

/// "name size data", or the field that is wrong.
std::vector<std::string> listed(Bytes file) {
  const auto archive = read_archive(file);
  if (!archive) return {std::string(archive.error().field)};
  std::vector<std::string> lines;
  for (const Member& m : archive->members) lines.push_back(fmt::format("{} {} {}", m.name, m.size, as_text(m.file)));
  return lines;
}

std::vector<std::byte> gnu_archive() {
  Section out;
  out.text(kMagic);
  ar_member(out, "/", as_bytes("\0\0\0\1\0\0\0\x44symbol\0"));
  ar_member(out, "//", as_bytes("a_name_that_is_long.o/\nanother long name.o/\n"));
  ar_member(out, "short.o/", as_bytes("odd"));
  ar_member(out, "/0", as_bytes("long"), "77");
  ar_member(out, "/23", as_bytes(""));
  return std::move(out).finish();
}

std::vector<std::byte> bsd_archive() {
  Section out;
  out.text(kMagic);
  ar_bsd_member(out, "__.SYMDEF SORTED", as_bytes("table"));
  ar_bsd_member(out, std::string_view("a.o\0\0\0\0", 7), as_bytes("one"));
  ar_member(out, "b.o", as_bytes("two"));
  return std::move(out).finish();
}

std::vector<std::byte> thin_archive() {
  Section out;
  out.text(kThinMagic);
  ar_member(out, "//", as_bytes("sub/x.o/\nfar/lib.a/\n"));
  ar_header(out, "/0", 1000);
  ar_header(out, "/9:114", 20);
  ar_header(out, "y.o/", 30);
  return std::move(out).finish();
}

TEST(Archives, MembersWithNamesOfEachTool) {
  Section microsoft;
  microsoft.text(kMagic);
  ar_member(microsoft, "/", as_bytes("first"));
  ar_member(microsoft, "/", as_bytes("second"));
  ar_member(microsoft, "//", as_bytes(std::string_view("d\\one.obj\0d\\two.obj\0", 20)));
  ar_member(microsoft, "/<ECSYMBOLS>/", as_bytes("third"));
  ar_member(microsoft, "/0", as_bytes("1"));
  ar_member(microsoft, "/10", as_bytes("2"));
  EXPECT_THAT(listed(gnu_archive()),
              ElementsAre("short.o 3 odd", "a_name_that_is_long.o 4 long", "another long name.o 0 "));
  EXPECT_THAT(listed(bsd_archive()), ElementsAre("a.o 3 one", "b.o 3 two"));
  EXPECT_THAT(listed(std::move(microsoft).finish()), ElementsAre("d\\one.obj 1 1", "d\\two.obj 1 2"));
  EXPECT_THAT(listed(thin_archive()), ElementsAre("sub/x.o 1000 ", "far/lib.a 20 ", "y.o 30 "));
  EXPECT_TRUE(read_archive(thin_archive())->is_thin);
  EXPECT_EQ(read_archive(gnu_archive())->members[1].modified, 77u);
  EXPECT_THAT(listed(as_bytes(kMagic)), ElementsAre());
}

TEST(Archives, DamageIsNamed) {
  struct Row {
    std::string_view why;
    Section file;
    std::string_view field;
  };
  const auto start = [] { return Section().text(kMagic); };
  Section far_name = start(), long_bsd = start(), no_size = start(), cut = start();
  ar_member(far_name, "//", as_bytes("a.o/\n"));
  ar_member(far_name, "/5", {});
  ar_header(long_bsd, "#1/9", 4).text(std::string_view("a.o\0", 4));
  ar_header(no_size, "a.o/", 0).text("x");
  ar_header(cut, "a.o/", 10).text("short");
  const Row rows[] = {
      {"no archive", Section().text("!<arch>"), "archive.magic"},
      {"a name outside the names", far_name, "archive.member.name"},
      {"a name longer than its member", long_bsd, "archive.member.name"},
      {"half a record", no_size, "archive.member"},
      {"half a member", cut, "archive.member.size"},
  };
  for (const Row& r : rows) EXPECT_THAT(listed(r.file.finish()), ElementsAre(std::string(r.field))) << r.why;
}

TEST(Archives, EveryCutIsReadOrRefused) {
  for (const std::vector<std::byte>& whole : {gnu_archive(), bsd_archive(), thin_archive()})
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const testkit::Exact cut(Bytes(whole).first(n));
      const auto archive = read_archive(cut.bytes());
      if (!archive) continue;
      for (const Member& member : archive->members) EXPECT_LE(member.file.size(), n);
    }
}

/// See fuzz_corpus/README.md for the command that writes them.
TEST(ArchiveFuzzCorpus, IsWhatTheTestsHold) {
  const testkit::StoredInput inputs[] = {
      {"gnu.a", gnu_archive()}, {"bsd.a", bsd_archive()}, {"thin.a", thin_archive()}};
  testkit::expect_stored("formats/ar/fuzz_corpus/reader_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::ar
