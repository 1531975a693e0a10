#include "symcache/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "symcache/reader.hpp"
#include "testing/caches/small_symcache.hpp"

namespace symcached::symcache {
namespace {

using testkit::OwnFrame;
using testkit::OwnFunction;

/// The written module, opened and verified.
struct Written {
  explicit Written(const std::vector<OwnFunction>& functions, const model::Module& module = {})
      : file(testkit::write(functions, module)), cache(Symcache::open(file)) {
    const auto verified = cache->verify();
    EXPECT_TRUE(verified) << to_string(verified.error());
  }
  std::vector<OwnFrame> at(std::uint64_t rva) {
    const auto found = cache->lookup({rva}, buffer);
    return found ? testkit::owned(*found) : std::vector<OwnFrame>();
  }
  std::vector<std::byte> file;
  Read<Symcache> cache;
  FrameBuffer buffer;
};

TEST(Writer, SaysWhatTheModuleIs) {
  struct Row {
    std::string_view why;
    model::Module module;
    std::string_view file, kind;
  };
  const Row rows[] = {
      {"everything known", testkit::named_module(), "small.pdb", "pdb"},
      {"nothing known", {}, "", ""},
      {"a name with NUL ends there", {.debug_file = std::string("a\0b", 3), .producer_kind = "elf"}, "a", "elf"},
  };
  for (const Row& r : rows) {
    const Written written({}, r.module);
    EXPECT_EQ(written.cache->debug_file(), r.file) << r.why;
    EXPECT_EQ(written.cache->producer_kind(), r.kind) << r.why;
    EXPECT_EQ(written.cache->arch(), r.module.arch) << r.why;
    EXPECT_EQ(written.cache->debug_id(), r.module.debug_id) << r.why;
  }
}

TEST(Writer, KeepsTheSectionsOfRelocatableFiles) {
  model::Module module = testkit::named_module();
  module.sections = {{".text", {0}, 0x20},
                     {".init.text", {0x1'0000'0000}, 0x1'0000'0001},
                     {std::string("a\0b", 3), {0x30}, 0},
                     {"", {0x40}, 1}};
  const Written written({}, module);
  std::vector<model::CodeSection> found;
  for (const SectionPlace& section : written.cache->sections())
    found.push_back({std::string(section.name), section.start, section.size});
  module.sections[2].name = "a";
  EXPECT_EQ(found, module.sections);
  EXPECT_EQ(written.cache->debug_file(), "small.pdb");
  EXPECT_TRUE(Written({}, testkit::named_module()).cache->sections().empty());
}

TEST(Writer, AnEmptyModuleHoldsNothing) {
  Written written({});
  EXPECT_EQ(written.cache->function_count(), 0u);
  for (const std::uint64_t rva : {std::uint64_t{0}, std::uint64_t{0x1000}, ~std::uint64_t{0}})
    EXPECT_TRUE(written.at(rva).empty());
}

TEST(Writer, SameFunctionsInAnyOrderGiveTheSameBytes) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    testkit::RandomSource random(seed);
    auto functions = testkit::ModuleMaker(random, seed % 2 == 0, 1, seed % 3 == 0).functions(40);
    for (std::size_t i = 0; i + 1 < functions.size();
         i += 5) {  // the same code described twice, but for a line or a file
      OwnFunction twin = functions[i];
      if (!twin.lines.empty()) twin.lines.back().line ^= 1;
      functions.push_back(twin);
      if (!twin.lines.empty()) twin.lines.front().file = "other.h";
      functions.push_back(twin);
      if (seed % 3 == 0) twin.parameters = "(other)";
      functions.push_back(twin);
    }
    const auto want = testkit::write(functions, testkit::named_module());
    for (std::uint32_t round = 0; round < 4; ++round) {
      for (std::size_t i = functions.size(); i-- > 1;)
        std::swap(functions[i], functions[random.below(static_cast<std::uint32_t>(i) + 1)]);
      std::vector<std::string> texts{"a text that is never used"};
      for (const OwnFunction& f : functions) texts.insert(texts.end(), {f.linkage_name, f.name});
      ASSERT_TRUE(testkit::write(functions, testkit::named_module(), texts) == want) << "seed " << seed;
    }
  }
}

/// Of functions that share a start, many share a name too: those are compared by what comes behind the name.
TEST(Writer, EqualNamesInAnyOrderGiveTheSameBytes) {
  const std::string name(5000, 'n');
  std::vector<OwnFunction> functions;
  for (std::uint32_t i = 0; i < 600; ++i) {
    functions.push_back({.start = 0x1000, .size = 16, .name = name, .linkage_name = i % 3 == 0 ? name + "x" : name});
    functions.back().lines = {{.offset = i % 5, .line = 1 + i % 7, .file = i % 2 == 0 ? name : name + "y"}};
    if (i % 11 == 0) functions.back().name += std::to_string(i);
  }
  const auto want = testkit::write(functions, testkit::named_module());
  testkit::RandomSource random(3);
  for (std::uint32_t round = 0; round < 5; ++round) {
    for (std::size_t i = functions.size(); i-- > 1;)
      std::swap(functions[i], functions[random.below(static_cast<std::uint32_t>(i) + 1)]);
    std::vector<std::string> texts;
    for (const OwnFunction& f : functions) texts.push_back(f.name);
    ASSERT_TRUE(testkit::write(functions, testkit::named_module(), texts) == want) << round;
  }
}

TEST(Writer, TheLowestRankNamesTheCodeAndTheOthersAreAliases) {
  std::vector<OwnFunction> functions{
      {.start = 0x10, .size = 1, .name = "third", .rank = 9},
      {.start = 0x10, .size = 2, .name = "first", .rank = 1},
      {.start = 0x10, .size = 3, .name = "second", .linkage_name = "_second", .rank = 5}};
  Written written(functions);
  ASSERT_EQ(written.cache->function_count(), 1u);
  const auto f = written.cache->function(0, written.buffer);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->name, "first");
  EXPECT_EQ(f->size, 2u);
  ASSERT_EQ(f->aliases.size(), 2u);
  EXPECT_EQ(f->aliases[0].name, "second");
  EXPECT_EQ(f->aliases[0].linkage_name, "_second");
  EXPECT_EQ(f->aliases[1].name, "third");
}

TEST(Writer, ParametersChooseNoName) {
  const OwnFunction bare{.start = 0x10, .size = 2, .name = "f", .linkage_name = "_1"};
  OwnFunction one = bare, two = bare;
  one.parameters = "(int)";
  two.linkage_name = "_2";
  two.parameters = "(char)";
  Written written({two, one, bare});
  const auto f = written.cache->function(0, written.buffer);
  ASSERT_TRUE(f);
  EXPECT_EQ(f->linkage_name, "_1");
  ASSERT_EQ(f->aliases.size(), 2u) << "each is kept, by its name alone";
  EXPECT_EQ(f->aliases[0].name, "f");
  EXPECT_EQ(f->aliases[0].linkage_name, "_1");
  EXPECT_EQ(f->aliases[1].name, "f");
  EXPECT_EQ(f->aliases[1].linkage_name, "_2");
}

TEST(Writer, KeepsTenThousandNamesOfOneFoldedFunction) {
  std::vector<OwnFunction> functions;
  for (std::uint32_t i = 0; i < 10'000; ++i)
    functions.push_back({.start = 0x10, .size = 2, .name = "folded" + std::to_string(i), .rank = i});
  Written written(functions);
  EXPECT_EQ(written.at(0x11), (std::vector<OwnFrame>{{.function = "folded0"}}));
  EXPECT_EQ(written.cache->function(0, written.buffer)->aliases.back().name, "folded9999");
}

TEST(Writer, FindsTheFunctionThatGoesOnBehindAnother) {
  // outer |--------------------------|        rows: address, name ("" = miss)
  // tiny     ||                               before `wide`, inside `outer`
  // wide           |-------|                  reaches beyond `tail`'s start
  // tail                 |------|             ends behind `wide`, inside `outer`
  Written written({{.start = 100, .size = 100, .name = "outer"},
                   {.start = 110, .size = 2, .name = "tiny"},
                   {.start = 130, .size = 30, .name = "wide"},
                   {.start = 150, .size = 30, .name = "tail"},
                   {.start = 300, .size = 1, .name = "last"}});
  const std::pair<std::uint64_t, std::string_view> rows[] = {
      {99, ""},      {100, "outer"}, {110, "tiny"},  {112, "outer"}, {130, "wide"}, {149, "wide"}, {150, "tail"},
      {165, "tail"}, {179, "tail"},  {180, "outer"}, {199, "outer"}, {200, ""},     {300, "last"}, {301, ""}};
  for (const auto& [rva, name] : rows) {
    const auto frames = written.at(rva);
    EXPECT_EQ(frames.empty() ? "" : frames[0].function, name) << rva;
  }
}

TEST(Writer, KeepsTheParentOfAColdPart) {
  const std::uint64_t far = std::uint64_t{1} << 63;
  struct Row {
    std::string_view why;
    std::uint64_t start, parent;
  };
  const Row rows[] = {{"behind it", 0x5000, 0x1000}, {"before it", 0x1000, 0x5000}, {"itself", 9, 9},
                      {"far behind", far + 5, 0},    {"far before", 0, far + 5},    {"farthest", ~std::uint64_t{0}, 0}};
  for (const Row& r : rows) {
    Written written({{.start = r.start, .name = "f$cold", .kind = model::SymbolKind::cold_part, .parent = r.parent}});
    const auto f = written.cache->function(0, written.buffer);
    ASSERT_TRUE(f) << r.why;
    EXPECT_EQ(f->parent, model::Rva{r.parent}) << r.why;
    EXPECT_EQ(f->kind, model::SymbolKind::cold_part) << r.why;
  }
}

TEST(Writer, AddressesMayBeFarApart) {
  const std::uint64_t gib = std::uint64_t{1} << 30;
  struct Row {
    std::string_view why;
    std::uint64_t first, second;
  };
  const Row rows[] = {{"the last that 32 bits hold", 0x1000, 0x1000 + 0xFFFFFFFF},
                      {"the first beyond", 0x1000, 0x1000 + (std::uint64_t{1} << 32)},
                      {"near each other, far from 0", 900 * gib, 901 * gib},
                      {"the whole address space", 0, ~std::uint64_t{0}}};
  for (const Row& r : rows) {
    Written written({{.start = r.first, .name = "first"}, {.start = r.second, .name = "second"}});
    EXPECT_EQ(written.at(r.first), (std::vector<OwnFrame>{{.function = "first"}})) << r.why;
    EXPECT_EQ(written.at(r.second), (std::vector<OwnFrame>{{.function = "second"}})) << r.why;
    EXPECT_TRUE(written.at(r.first + 1).empty()) << r.why;
    EXPECT_TRUE(written.at(r.second - 1).empty()) << r.why;
  }
}

TEST(Writer, RoundsNoOffset) {
  for (const std::uint32_t unit : {1u, 2u, 4u}) {
    Written written(
        {{.start = 0x100, .size = 64, .name = "f", .lines = {{.line = 1}, {.offset = 12 + unit, .line = 2}}}});
    EXPECT_EQ(written.at(0x100 + 11 + unit)[0].line, 1u) << unit;
    EXPECT_EQ(written.at(0x100 + 12 + unit)[0].line, 2u) << unit;
  }
}

TEST(Writer, KeepsEveryText) {
  const std::string texts[] = {"",
                               "größe::naïve<日本語>",
                               std::string("nul\0inside", 10),
                               std::string(200'000, 'x'),
                               std::string(100'000, ':'),
                               "operator()<>::`anonymous namespace'::f@@YA"};
  for (const std::string& text : texts) {
    Written written({{.start = 1, .name = text, .linkage_name = text, .lines = {{.line = 1, .file = text}}}});
    const auto found = written.cache->lookup({1}, written.buffer);
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->frames[0].function == text && found->frames[0].file == text);
    EXPECT_EQ(written.cache->linkage_name(*found, written.buffer), text);
  }
}

TEST(Writer, KeepsLinesWithoutAFileAndGaps) {
  Written written({{.start = 0,
                    .size = 40,
                    .name = "f",
                    .lines = {{.offset = 4, .line = 7, .file = "a.c"}, {.offset = 8}, {.offset = 12, .line = 9}}}});
  const std::pair<std::uint64_t, OwnFrame> rows[] = {
      {0, {"f", "", 0, 0}}, {4, {"f", "a.c", 7, 0}}, {8, {"f", "", 0, 0}}, {39, {"f", "", 9, 0}}};
  for (const auto& [rva, want] : rows) EXPECT_EQ(written.at(rva), std::vector<OwnFrame>{want}) << rva;
}

std::vector<std::byte> written_without_columns(const std::vector<OwnFunction>& functions) {
  Writer writer(Columns::drop);
  for (const OwnFunction& f : functions) testkit::put(f, writer);
  return std::move(writer).finish();
}

TEST(Writer, LeavesColumnsOutWhenTold) {
  std::vector<OwnFunction> functions = testkit::small_functions();
  OwnFunction f{.start = 0x8000, .size = 40, .name = "f"};
  f.calls = {{.name = "g", .file = "f.c", .line = 4, .column = 9}};
  f.lines = {{.offset = 0, .line = 3, .column = 1, .file = "f.c"},
             {.offset = 8, .line = 3, .column = 7, .file = "f.c"},
             {.offset = 16, .line = 1, .column = 2, .file = "g.h", .inlinee = 0},
             {.offset = 24, .line = 1, .column = 2, .file = "f.c"},
             {.offset = 32, .line = 3, .column = 7, .file = "f.c"}};
  functions.push_back(f);
  const auto whole = testkit::write(functions), without = written_without_columns(functions);
  const auto cache = Symcache::open(without);
  ASSERT_TRUE(cache && cache->verify());
  EXPECT_FALSE(cache->has_columns());
  EXPECT_LT(without.size(), whole.size());
  FrameBuffer buffer;
  EXPECT_EQ(cache->function(cache->function_count() - 1, buffer)->row_count, 4u) << "two rows have become one";
  for (OwnFunction& plain : functions) {
    for (auto& call : plain.calls) call.column = 0;
    for (auto& line : plain.lines) line.column = 0;
  }
  for (const OwnFunction& plain : functions)
    for (std::uint64_t rva = plain.start; rva < plain.start + plain.size && plain.rank == 0; ++rva) {
      const OwnFunction& want = *testkit::function_at(functions, rva);
      ASSERT_EQ(testkit::owned(*cache->lookup({rva}, buffer, Parameters::read)), testkit::frames_at(want, rva)) << rva;
    }
}

TEST(Writer, KeepsColumns) {
  OwnFunction f{.start = 0, .size = 9, .name = "f"};
  f.calls = {{.name = "g", .file = "a.c", .line = 2, .column = 0xFFFFFFFF}};
  f.lines = {{.line = 1, .column = 5, .file = "a.c"},
             {.offset = 2, .line = 3, .column = 80, .file = "a.c", .inlinee = 0}};
  Written written({f});
  EXPECT_TRUE(written.cache->has_columns());
  EXPECT_EQ(written.at(1), (std::vector<OwnFrame>{{"f", "a.c", 1, 5}}));
  EXPECT_EQ(written.at(2), (std::vector<OwnFrame>{{"g", "a.c", 3, 80}, {"f", "a.c", 2, 0xFFFFFFFF}}));
}

}  // namespace
}  // namespace symcached::symcache
