#include "object/pdb/translate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/checking_sink.hpp"
#include "testing/model_text.hpp"
#include "testing/pdb/rich_pdb.hpp"
#include "testing/pdb/stream_bundle.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using pdb::InlineeLine;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testkit::PdbImage;
using testkit::Subsections;
using testkit::Symbols;

/// The functions as ModelText prints them, or the error.
std::vector<std::string> translated(const PdbImage& image, const testkit::MsfLayout& layout = {}) {
  ModelText text;
  const auto result = translate_pdb(testkit::assemble(image, layout), text);
  if (!result) return {to_string(result.error())};
  return text.text();
}

/// One module that owns 0x1000 bytes of code at RVA 0x1000; files a.cpp (0), a.h (8), b.h (16) in its checksums.
PdbImage one_module(const Symbols& symbols, Subsections c13) {
  PdbImage image;
  image.names = {"a.cpp", "a.h", "b.h"};
  c13.checksums({name_offset(image, 0), name_offset(image, 1), name_offset(image, 2)});
  image.modules = {{"a.obj", symbols.finish(), c13.finish()}};
  image.contributions = {{{1, 0}, 0x1000, 0}};
  image.items.func_id(0, "leaf").func_id(0, "middle");
  return image;
}

const std::vector<std::string> kRich = {
    "1000+40 run(bool (*)(int, geometry::Shape<int> const&), char[8]) [?run@@YAXXZ] | 0 a.cpp:10 | 4 a.h:101 "
    "outer::leaf(bool (*)(int, geometry::Shape<int> const&), char[8]) < a.h:50 middle < a.cpp:11 | c a.h:50 middle < "
    "a.cpp:11 | 14 a.cpp:11 | 20 a.h:5 | 28 a.cpp:12 | 30 a.cpp:0 | 40 -",
    "1040+10 twin [_twin] | 0 a.cpp:20:3 | 8 a.cpp:21:7 | 10 -",
    "1080+10 run(bool (*)(int, geometry::Shape<int> const&), char[8]) cold part of 1000",
    "1100+20 caller | 0 b.cpp:1 | 4 b.cpp:7 geometry::Shape<int>::method() const < b.cpp:1 | c b.cpp:1 | 20 -",
    "1200+6 jump thunk",
    "1200+20 jumped_to public",
    "1210+5 jumped_to thunk",
    "1300+10 memcpy public | 0 memcpy.asm:30 | 10 -",
    "1310+30 memcpy_tail public | 0 memcpy.asm:31 | 30 -",
};

TEST(FromPdb, RefusesWhatOnlyNamesObjectFiles) {
  constexpr std::uint32_t kVc110 = 20091201, kVc140 = 20140508, kMini = 0x494E494D;
  struct Row {
    std::string_view why;
    std::vector<std::uint32_t> features;
    bool refused;
  };
  const Row rows[] = {
      {"a full PDB", {kVc140}, false},
      {"made with /DEBUG:FASTLINK", {kVc140, 0x4D544F4E, kMini}, true},
      {"nothing counts behind the mark of the older linker", {kVc110, kMini}, false},
  };
  for (const Row& r : rows) {
    PdbImage image = testkit::rich_pdb();
    image.features = r.features;
    const auto found = translated(image);
    if (!r.refused) EXPECT_THAT(found, ElementsAreArray(kRich)) << r.why;
    else EXPECT_THAT(found, ElementsAre(testing::HasSubstr("link with /DEBUG:FULL"))) << r.why;
  }
}

TEST(FromPdb, OneOfEverythingInEveryContainer) {
  const testkit::MsfLayout layouts[] = {
      {}, {.scattered = true}, {.block_size = 4096}, {.block_size = 65536, .scattered = true}};
  for (const auto& layout : layouts)
    EXPECT_THAT(translated(testkit::rich_pdb(), layout), ElementsAreArray(kRich)) << layout.block_size;
}

TEST(FromPdb, SaysWhatTheFileIs) {
  ModelText text;
  ASSERT_TRUE(translate_pdb(testkit::assemble(testkit::rich_pdb()), text));
  EXPECT_EQ(text.module().debug_id.breakpad(), "0403020106050807090A0B0C0D0E0F103");
  EXPECT_EQ(text.module().arch, model::Arch::x86_64);
  EXPECT_EQ(text.module().producer_kind, "pdb");
}

TEST(FromPdb, LinesOfAFunction) {
  struct Row {
    std::string_view why;
    Subsections c13;
    std::string_view want;
  };
  const Row rows[] = {
      {"a row runs to the next one", Subsections().lines({1, 0}, 0x20, {{0, {{0, 1}, {8, 2}}}}),
       "1000+20 f | 0 a.cpp:1 | 8 a.cpp:2 | 20 -"},
      {"no lines: a name alone", Subsections(), "1000+20 f"},
      {"the rows of all file blocks are one table",
       Subsections().lines({1, 0}, 0x20, {{0, {{0, 1}, {0x10, 3}}}, {8, {{8, 2}, {0x18, 4}}}}),
       "1000+20 f | 0 a.cpp:1 | 8 a.h:2 | 10 a.cpp:3 | 18 a.h:4 | 20 -"},
      {"of rows at one offset the last holds the bytes",
       Subsections().lines({1, 0}, 0x20, {{0, {{0, 1}, {0, 2}, {8, 3}}}}), "1000+20 f | 0 a.cpp:2 | 8 a.cpp:3 | 20 -"},
      {"marks of the debugger are no lines",
       Subsections().lines({1, 0}, 0x20, {{0, {{0, 0xF00F00}, {8, 0xFEEFEE}, {16, 7}}}}),
       "1000+20 f | 0 a.cpp:0 | 10 a.cpp:7 | 20 -"},
      {"rows that do not rise are put in order", Subsections().lines({1, 0}, 0x20, {{0, {{8, 2}, {0, 1}}}}),
       "1000+20 f | 0 a.cpp:1 | 8 a.cpp:2 | 20 -"},
      {"columns", Subsections().lines({1, 0}, 0x20, {{0, {{0, 1, 5}, {8, 1, 9}}}}, true),
       "1000+20 f | 0 a.cpp:1:5 | 8 a.cpp:1:9 | 20 -"},
      {"rows past the end of the function are left out", Subsections().lines({1, 0}, 0x40, {{0, {{0, 1}, {0x20, 9}}}}),
       "1000+20 f | 0 a.cpp:1 | 20 -"},
      {"the table ends before the function", Subsections().lines({1, 0}, 8, {{0, {{0, 1}}}}),
       "1000+20 f | 0 a.cpp:1 | 8 -"},
      {"a table that starts before the function", Subsections().lines({1, 0}, 0x20, {{0, {{0, 1}, {4, 2}}}}),
       "1000+20 f | 0 a.cpp:1 | 4 a.cpp:2 | 20 -"},
      {"of two tables at one place the first counts",
       Subsections().lines({1, 0}, 0x20, {{0, {{0, 1}}}}).lines({1, 0}, 0x20, {{8, {{0, 2}}}}),
       "1000+20 f | 0 a.cpp:1 | 20 -"},
      {"several tables in a row",
       Subsections().lines({1, 0}, 0x10, {{0, {{0, 1}}}}).lines({1, 0x10}, 0x10, {{8, {{0, 2}}}}),
       "1000+20 f | 0 a.cpp:1 | 10 a.h:2 | 20 -"},
      {"a file outside of the checksums", Subsections().lines({1, 0}, 0x20, {{800, {{0, 1}}}}),
       "1000+20 f | 0 :1 | 20 -"},
      {"lines of discarded code", Subsections().lines({0, 0}, 0x20, {{0, {{0, 1}}}}), "1000+20 f"},
  };
  for (const Row& r : rows)
    EXPECT_THAT(translated(one_module(Symbols().proc("f", {1, 0}, 0x20).end(), r.c13)), ElementsAre(r.want)) << r.why;
}

TEST(FromPdb, OneTableOfManyFunctions) {
  Symbols symbols;
  symbols.proc("f", {1, 0x10}, 8).end().proc("g", {1, 0x18}, 8).end();
  const auto c13 = Subsections().lines({1, 0}, 0x40, {{0, {{0, 1}, {0x14, 2}, {0x1C, 3}, {0x30, 4}}}});
  EXPECT_THAT(translated(one_module(symbols, c13)),
              ElementsAre("1010+8 f | 0 a.cpp:1 | 4 a.cpp:2 | 8 -", "1018+8 g | 0 a.cpp:2 | 4 a.cpp:3 | 8 -"));
}

TEST(FromPdb, InlinedCalls) {
  struct Row {
    std::string_view why;
    Symbols symbols;
    std::string_view want;
  };
  const auto f = [] { return Symbols().proc("f", {1, 0}, 0x20); };
  const Row rows[] = {
      {"each frame's line is from its own table",
       f().inline_site(0x1001, {3, 0, 6, 4, 0xB, 8, 4, 8})
           .inline_site(0x1000, {0xB, 0x24, 4, 4})
           .end_site()
           .end_site()
           .end(),
       "1000+20 f | 0 a.h:50 middle < a.cpp:1 | 4 a.h:101 leaf < a.h:50 middle < a.cpp:1 | 8 a.h:52 middle < a.cpp:2 | "
       "10 a.cpp:2 | 20 -"},
      {"only where the caller is too",
       f().inline_site(0x1001, {3, 8, 4, 4}).inline_site(0x1000, {3, 0, 4, 32}).end_site().end_site().end(),
       "1000+20 f | 0 a.cpp:1 | 8 a.h:100 leaf < a.h:50 middle < a.cpp:2 | c a.cpp:2 | 20 -"},
      {"two calls in one function",
       f().inline_site(0x1000, {3, 0, 4, 4}).end_site().inline_site(0x1000, {3, 4, 4, 4}).end_site().end(),
       "1000+20 f | 0 a.h:100 leaf < a.cpp:1 | 4 a.h:100 leaf < a.cpp:1 | 8 a.cpp:2 | 20 -"},
      {"a call of a function without lines", f().inline_site(0x1002, {3, 0, 4, 4}).end_site().end(),
       "1000+20 f | 0 -  < a.cpp:1 | 4 a.cpp:1 | 8 a.cpp:2 | 20 -"},
      {"another file in the middle", f().inline_site(0x1000, {3, 0, 5, 16, 0xB, 0x22, 4, 2}).end_site().end(),
       "1000+20 f | 0 a.h:100 leaf < a.cpp:1 | 2 b.h:101 leaf < a.cpp:1 | 4 a.cpp:1 | 8 a.cpp:2 | 20 -"},
      {"a line below zero is unknown", f().inline_site(0x1000, {6, 0x80 | 1, 0xFF, 3, 0, 4, 4}).end_site().end(),
       "1000+20 f | 0 a.h:0 leaf < a.cpp:1 | 4 a.cpp:1 | 8 a.cpp:2 | 20 -"},
      {"scopes between the calls", f().block({1, 0}, 8).inline_site(0x1000, {3, 0, 4, 4}).end_site().end().end(),
       "1000+20 f | 0 a.h:100 leaf < a.cpp:1 | 4 a.cpp:1 | 8 a.cpp:2 | 20 -"},
  };
  for (const Row& r : rows) {
    Subsections c13;
    c13.lines({1, 0}, 0x20, {{0, {{0, 1}, {8, 2}}}});
    c13.inlinees({{u32le(0x1000), u32le(8), u32le(100)}, {u32le(0x1001), u32le(8), u32le(50)}});
    EXPECT_THAT(translated(one_module(r.symbols, c13)), ElementsAre(r.want)) << r.why;
  }
}

TEST(FromPdb, InlinedCallsOfAFunctionWithoutLines) {
  const auto symbols = Symbols().proc("f", {1, 0}, 0x20).inline_site(0x1000, {3, 0, 4, 4}).end_site().end();
  const auto c13 = Subsections().inlinees({{u32le(0x1000), u32le(8), u32le(100)}});
  EXPECT_THAT(translated(one_module(symbols, c13)), ElementsAre("1000+20 f | 0 a.h:100 leaf < - | 4 -"));
}

TEST(FromPdb, FoldedFunctionsAreNamedByTheModuleThatOwnsTheCode) {
  PdbImage image =
      one_module(Symbols().proc("theirs", {1, 0}, 8).end(), Subsections().lines({1, 0}, 8, {{0, {{0, 1}}}}));
  const Subsections c13 =
      Subsections().lines({1, 0}, 8, {{8, {{0, 2}}}}).checksums({name_offset(image, 0), name_offset(image, 1)});
  image.modules.push_back(
      {"b.obj", Symbols().proc("ours", {1, 0}, 8).end().proc("ours too", {1, 0}, 8).end().finish(), c13.finish()});
  image.contributions = {{{1, 0}, 8, 1}};
  EXPECT_THAT(translated(image),
              ElementsAre("1000+8 ours too | 0 a.h:2 | 8 -", "1000+8 ours | 0 a.h:2 | 8 -", "1000+8 theirs"));
}

TEST(FromPdb, NamesOfInlineesFromOtherModules) {
  struct Row {
    std::string_view why;
    std::uint32_t id;
    std::string_view exporter;
    std::string_view want;
  };
  const Row rows[] = {
      {"found", 0x80000000, "C:\\X\\lib.OBJ", "middle"},
      {"no such entry", 0x80000001, "c:\\x\\lib.obj", ""},
      {"no such import", 0x80100000, "c:\\x\\lib.obj", ""},
      {"no such module", 0x80000000, "c:\\x\\other.obj", ""},
  };
  for (const Row& r : rows) {
    PdbImage image = one_module(Symbols(), {});
    image.names.emplace_back(r.exporter);
    const auto symbols = Symbols().proc("f", {1, 0}, 0x20).inline_site(r.id, {3, 0, 4, 4}).end_site().end();
    const auto c13 = Subsections()
                         .imports(name_offset(image, 3), {77})
                         .inlinees({{u32le(r.id), u32le(0), u32le(5)}})
                         .checksums({name_offset(image, 0)});
    image.modules = {{"a.obj", symbols.finish(), c13.finish()},
                     {"c:\\X\\Lib.obj", {}, Subsections().exports({{u32le(77), u32le(0x1001)}}).finish()}};
    const auto want = fmt::format("1000+20 f | 0 a.cpp:5 {} < - | 4 -", r.want);
    EXPECT_THAT(translated(image), ElementsAre(want)) << r.why;
  }
}

TEST(FromPdb, CodeThatIsNotAPlainFunction) {
  const std::string kNext = "1080+f80 next public | 0 a.cpp:90 | 8 -";
  struct Row {
    std::string_view why;
    Symbols symbols;
    std::vector<std::string> want;
  };
  const Row rows[] = {
      {"separated code belongs to its function",
       Symbols().proc("f", {1, 0}, 8).separated({1, 0x80}, 8, {1, 0}).end().end(),
       {"1000+8 f", "1080+8 f cold part of 1000 | 0 a.cpp:90 | 8 -"}},
      {"a thunk", Symbols().thunk("jump", {1, 0x10}, 6).end(), {"1010+6 jump thunk"}},
      {"a trampoline is named as its target",
       Symbols().trampoline({1, 0x20}, 5, {1, 0x40}),
       {"1020+5 target thunk", "1040+40 target public", kNext}},
      {"a trampoline to nowhere",
       Symbols().trampoline({1, 0x20}, 5, {1, 0x44}),
       {"1020+5 [thunk] thunk", "1040+40 target public", kNext}},
      {"discarded by the linker", Symbols().proc("f", {0, 0}, 8).end(), {}},
      {"in no section", Symbols().proc("f", {9, 0}, 8).end(), {}},
      {"without code", Symbols().proc("f", {1, 0}, 0).end(), {}},
      {"never closed", Symbols().proc("f", {1, 0}, 8), {}},
      {"closed twice", Symbols().proc("f", {1, 0}, 8).end().end(), {"1000+8 f"}},
  };
  for (const Row& r : rows) {
    PdbImage image = one_module(r.symbols, Subsections().lines({1, 0x80}, 8, {{0, {{0, 90}}}}));
    if (r.why.starts_with("a trampoline")) image.publics.global("target", {1, 0x40}).global("next", {1, 0x80});
    EXPECT_THAT(translated(image), ElementsAreArray(r.want)) << r.why;
  }
}

TEST(FromPdb, FunctionsOfDotnetHaveNoAddresses) {
  const Symbols managed = Symbols().proc("Main", {0, 0}, 8, pdb::SymKind::gmanproc).end();
  EXPECT_THAT(translated(one_module(managed, {})),
              ElementsAre(testing::HasSubstr("a Windows PDB of a .NET module, which is unsupported")));
  EXPECT_THAT(translated(one_module(Symbols(managed).proc("native", {1, 0}, 8).end(), {})),
              ElementsAre("1000+8 native"));
}

TEST(FromPdb, Publics) {
  struct Row {
    std::string_view why;
    Symbols symbols, publics;
    std::vector<std::string> want;
  };
  const auto f = [](std::string_view name) { return Symbols().proc(name, {1, 0}, 8).end(); };
  const Row rows[] = {
      {"the decorated name", f("n::f"), Symbols().global("?f@n@@YAXXZ", {1, 0}), {"1000+8 n::f [?f@n@@YAXXZ]"}},
      {"the same name", f("f"), Symbols().global("f", {1, 0}), {"1000+8 f"}},
      {"of several the one that fits",
       f("f"),
       Symbols().global("?e@@YAXXZ", {1, 0}).global("?f@@YAXXZ", {1, 0}),
       {"1000+8 f [?f@@YAXXZ]", "1000+1000 ?e@@YAXXZ public"}},
      {"inside a function: no symbol", f("f"), Symbols().global("inside", {1, 4}), {"1000+8 f"}},
      {"up to the next public",
       {},
       Symbols().global("a", {1, 0x10}).global("b", {1, 0x18}, 0),
       {"1010+8 a public", "1018+fe8 b public | 68 a.cpp:90 | 70 -"}},
      {"up to the next function",
       f("f").proc("g", {1, 0x30}, 8).end(),
       Symbols().global("a", {1, 0x10}),
       {"1000+8 f", "1010+20 a public", "1030+8 g"}},
      {"with lines", {}, Symbols().global("a", {1, 0x82}), {"1082+f7e a public | 0 a.cpp:90 | 6 -"}},
      {"data", {}, Symbols().global("a", {2, 0}), {}},
      {"outside of all contributions", {}, Symbols().global("a", {1, 0x1800}), {"2800+800 a public"}},
  };
  for (const Row& r : rows) {
    PdbImage image = one_module(r.symbols, Subsections().lines({1, 0x80}, 8, {{0, {{0, 90}}}}));
    image.sections = {{0x1000, 0x2000}, {0x4000, 0x100, 0x40000040}};
    image.publics = r.publics;
    EXPECT_THAT(translated(image), ElementsAreArray(r.want)) << r.why;
  }
}

TEST(FromPdb, AStrippedFileHasPublicsAlone) {
  PdbImage image{.flags = 2};
  image.publics.global("?a@@YAXXZ", {1, 0x10}).global("b", {1, 0x20});
  EXPECT_THAT(translated(image), ElementsAre("1010+10 ?a@@YAXXZ public", "1020+fe0 b public"));
}

TEST(FromPdb, PublicsOfX86WithoutTheirCallingConvention) {
  PdbImage image{.machine = 0x14c, .flags = 2};
  image.publics.global("?a@@YAXXZ", {1, 0}).global("_b", {1, 0x10}).global("_c@8", {1, 0x20});
  image.publics.global("@d@8", {1, 0x30}).global("e@@16", {1, 0x40}).global("f", {1, 0x50});
  EXPECT_THAT(translated(image),
              ElementsAre("1000+10 ?a@@YAXXZ public", "1010+10 b [_b] public", "1020+10 c [_c@8] public",
                          "1030+10 d [@d@8] public", "1040+10 e [e@@16] public", "1050+fb0 f public"));
  image.machine = 0x8664;
  EXPECT_THAT(translated(image), testing::Contains("1010+10 _b public"));
}

TEST(FromPdb, WithoutADbiStreamThereIsNothing) {
  PdbImage image{.info_age = 7, .has_dbi = false};
  ModelText text;
  ASSERT_TRUE(translate_pdb(testkit::assemble(image), text));
  EXPECT_TRUE(text.text().empty());
  EXPECT_EQ(text.module().debug_id.age, 7u);
}

TEST(FromPdb, AnonymousNamespacesInWords) {
  struct Row {
    std::string_view name, want;
  };
  const Row rows[] = {
      {"?A0x1234abcd::f", "`anonymous namespace'::f"},
      {"n::?A0xFF::?A0x0::f", "n::`anonymous namespace'::`anonymous namespace'::f"},
      {"`anonymous namespace'::f", "`anonymous namespace'::f"},
      {"?A0x", "`anonymous namespace'"},
      {"??_EA@?A0xABDDB2C6@@WBJI@EAAPEAXI@Z", "??_EA@?A0xABDDB2C6@@WBJI@EAAPEAXI@Z"},
  };
  for (const Row& r : rows)
    EXPECT_THAT(translated(one_module(Symbols().proc(r.name, {1, 0}, 8).end(), {})),
                ElementsAre("1000+8 " + std::string(r.want)));
}

TEST(FromPdb, CodeMovedAfterLinking) {
  struct Row {
    std::string_view why;
    std::vector<pdb::OmapEntry> omap;
    std::vector<std::string> want;
  };
  const auto e = [](std::uint32_t from, std::uint32_t to) { return pdb::OmapEntry{u32le(from), u32le(to)}; };
  const Row rows[] = {
      {"moved whole", {e(0x1000, 0x5000)}, {"5000+20 f | 0 a.cpp:1 | 8 a.cpp:2"}},
      {"split",
       {e(0x1000, 0x5000), e(0x1010, 0x7000)},
       {"5000+10 f | 0 a.cpp:1 | 8 a.cpp:2", "7000+10 f cold part of 5000 | 0 a.cpp:2"}},
      {"the middle is gone",
       {e(0x1000, 0x5000), e(0x1004, 0), e(0x100C, 0x5004)},
       {"5000+4 f | 0 a.cpp:1", "5004+14 f cold part of 5000 | 0 a.cpp:2"}},
      {"all of it is gone", {e(0x1000, 0)}, {}},
      {"before the first entry", {e(0x2000, 0x5000)}, {}},
  };
  for (const Row& r : rows) {
    PdbImage image =
        one_module(Symbols().proc("f", {1, 0}, 0x20).end(), Subsections().lines({1, 0}, 0x20, {{0, {{0, 1}, {8, 2}}}}));
    image.omap = r.omap;
    image.original_sections = image.sections;
    image.sections = {{0x9000, 0x1000}};
    EXPECT_THAT(translated(image), ElementsAreArray(r.want)) << r.why;
  }
}

TEST(FromPdb, Languages) {
  struct Row {
    std::uint8_t code;
    model::Language want;
  };
  const Row rows[] = {
      {0x00, model::Language::c},        {0x01, model::Language::cpp},    {0x02, model::Language::fortran},
      {0x03, model::Language::assembly}, {0x0a, model::Language::csharp}, {0x15, model::Language::rust},
      {0x13, model::Language::swift},    {0x44, model::Language::d},      {0x53, model::Language::unknown},
  };
  for (const Row& r : rows) {
    ModelText text;
    const auto image = one_module(Symbols().compiled_by(r.code).proc("f", {1, 0}, 8).end(), {});
    ASSERT_TRUE(translate_pdb(testkit::assemble(image), text));
    EXPECT_THAT(text.languages(), ElementsAre(r.want)) << int{r.code};
  }
}

bool names_a_field(const Read<void>& result) { return !result && !result.error().field.empty(); }

TEST(FromPdb, EveryCutAndEveryFlippedBitIsAnAnswer) {
  const auto whole = testkit::assemble(testkit::rich_pdb());
  const std::size_t used = whole.size() - 512 + testkit::PdbStreams(testkit::rich_pdb()).all.back().size();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    testkit::CheckingSink sink;
    const auto result = translate_pdb(testkit::Exact(Bytes(whole).first(n)).bytes(), sink);
    EXPECT_EQ(names_a_field(result), n < used) << n << " bytes";
  }
  testkit::Exact flipped(whole);
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    testkit::CheckingSink sink;
    const auto result = translate_pdb(flipped.bytes(), sink);
    EXPECT_TRUE(result || names_a_field(result));
    flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
  }
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(FromPdbFuzzCorpus, IsWhatTheAssemblerMakes) {
  PdbImage stripped{.flags = 2};
  stripped.publics.global("?a@@YAXXZ", {1, 0x10}).global("b", {1, 0x20});
  PdbImage moved = testkit::rich_pdb();
  moved.omap = {{u32le(0x1000), u32le(0x2000)}, {u32le(0x1008), u32le(0)}, {u32le(0x1010), u32le(0x3000)}};
  moved.original_sections = moved.sections;
  const auto scattered = testkit::assemble(testkit::rich_pdb(), {.scattered = true});
  auto cut = scattered;
  cut.resize(cut.size() / 2);
  const testkit::StoredInput files[] = {
      {"rich.pdb", testkit::assemble(testkit::rich_pdb())},
      {"scattered.pdb", scattered},
      {"moved.pdb", testkit::assemble(moved)},
      {"stripped.pdb", testkit::assemble(stripped)},
      {"cut.pdb", cut},
  };
  testkit::expect_stored("object/pdb/fuzz_corpus/translate_fuzz", files);
  const testkit::StoredInput streams[] = {
      {"rich.bin", testkit::pack_streams(testkit::PdbStreams(testkit::rich_pdb()).all)},
      {"moved.bin", testkit::pack_streams(testkit::PdbStreams(moved).all)},
      {"stripped.bin", testkit::pack_streams(testkit::PdbStreams(stripped).all)},
  };
  testkit::expect_stored("object/pdb/fuzz_corpus/streams_fuzz", streams);
}

}  // namespace
}  // namespace symcached::object
