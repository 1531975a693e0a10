#include "object/text/translate_symbol_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/text/translate_perf_map.hpp"
#include "testing/model_text.hpp"
#include "testing/packed/zip_file.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kKernel =
    "0000000000000000 A fixed_percpu_data\n"
    "ffffffff81000000 T _text\n"
    "ffffffff81000000 T startup_64\n"
    "ffffffff81000040 t local\n"
    "ffffffff81000060 W weak\n"
    "ffffffff81000080 D data\n"
    "ffffffff81000100 T last\n"
    "ffffffffc0002010 t second\t[ext4]\n"
    "ffffffffc0002000 t first\t[ext4]\n"
    "ffffffffc0003000 d table\t[ext4]\n"
    "ffffffffc0003ff0 t other\t[xfs]\n";

std::vector<std::string> listed_text(std::string_view text) {
  ModelText sink;
  const auto result = translate_symbol_list({.file = as_bytes(text)}, sink);
  if (!result) return {to_string(result.error())};
  EXPECT_EQ(sink.module().producer_kind, "symbol_list");
  return sink.text();
}

TEST(SymbolList, IsKnownByItsFirstLines) {
  const std::string long_list = [] {
    std::string text;
    for (int i = 0; i < 400; ++i) text += fmt::format("{:016x} T function_{}\n", 0xffffffff81000000 + i * 16, i);
    return text + "no line\n";
  }();
  struct Row {
    std::string_view why, text;
    bool want;
  };
  const Row rows[] = {
      {"a kernel", kKernel, true},
      {"of 32 bits", "c0008000 T stext\n", true},
      {"undefined symbols first", "                 U puts\n                 w __gmon_start__\n0000000000001000 T f\n",
       true},
      {"with sizes", "0000000000001000 0000000000000010 T f\n", true},
      {"only the first part is looked at", long_list, true},
      {"the last line cut", "ffffffff81000000 T f\nffffffff8100", true},
      {"the only line cut", "ffffffff8100", false},
      {"digits that stand for sizes are types here", "ffffffff81000000 d f\n", true},
      {"a perf map", "7f0000001000 10 f\n", false},
      {"an unknown type", "ffffffff81000000 % f\n", false},
      {"no name", "ffffffff81000000 T\n", false},
      {"a dump of bytes", "ffffffff81000000 T \x01\n", false},
      {"nothing", "", false},
  };
  for (const Row& r : rows) {
    EXPECT_EQ(is_symbol_list(as_bytes(r.text)), r.want) << r.why;
    EXPECT_FALSE(r.want && is_perf_map(as_bytes(r.text))) << r.why;
  }
}

TEST(SymbolList, FunctionsReachToTheNextSymbol) {
  EXPECT_THAT(listed_text(kKernel),
              ElementsAre("ffffffff81000000+40 _text public", "ffffffff81000000+40 startup_64 public",
                          "ffffffff81000040+20 local public", "ffffffff81000060+20 weak public",
                          "ffffffff81000100+f00 last public", "ffffffffc0002000+10 first [ext4] public",
                          "ffffffffc0002010+ff0 second [ext4] public", "ffffffffc0003ff0+10 other [xfs] public"));
  EXPECT_THAT(listed_text("0000000000001000 0000000000000010 T sized\n0000000000002000 T next\r\n"),
              ElementsAre("1000+10 sized public", "2000+1000 next public"));
  EXPECT_THAT(listed_text("                 U puts\n"), IsEmpty());
}

TEST(SymbolList, SaysThatAddressesAreHidden) {
  constexpr std::string_view kHidden = "0000000000000000 T _text\n0000000000000000 t f\t[ext4]\n";
  EXPECT_THAT(listed_text(kHidden), ElementsAre(HasSubstr("read the list as root")));
  FileInfo hidden, shown;
  describe_symbol_list(hidden, as_bytes(kHidden));
  describe_symbol_list(shown, as_bytes(kKernel));
  EXPECT_THAT(hidden.features, ElementsAre("hidden-addresses"));
  EXPECT_THAT(shown.features, ElementsAre("symbols", "modules"));
}

/// See fuzz_corpus/README.md for the command that writes them.
TEST(FromSymbolListFuzzCorpus, IsWhatTheTestsHold) {
  const testkit::StoredInput inputs[] = {
      {"kernel.map", testkit::to_bytes(kKernel)},
      {"nm.txt",
       testkit::to_bytes("                 U puts\n0000000000001000 0000000000000010 T sized\nfffffffffffffff0 T f")},
  };
  testkit::expect_stored("object/text/fuzz_corpus/translate_symbol_list_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
