#include "object/go/translate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/go/debug_id.hpp"
#include "testing/checking_sink.hpp"
#include "testing/go/program.hpp"
#include "testing/model_text.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::assemble;
using testkit::GoCall;
using testkit::GoModuleSpec;
using testkit::GoRelease;
using testkit::GoTableSpec;
using testkit::kGoBase;
using testkit::kGoContainers;
using testkit::kGoData;
using testkit::kGoReleases;
using testkit::kGoTable;
using testkit::kGoText;
using testkit::kGoTrees;
using testkit::small_go_table;
using Data = std::vector<std::byte>;

constexpr const GoRelease& k20 = kGoReleases[6];
constexpr const GoRelease& k26 = kGoReleases[7];

/// A program's bytes, and the image that views them.
struct Scene {
  Data code = Data(0x100), table, trees, data;
  go::Container container;
  std::uint64_t entry_point = 0;
  bool chained = false;

  explicit Scene(const GoTableSpec& spec) : container(spec.container) {
    const auto made = assemble(spec);
    table = made.table;
    trees = made.trees;
  }
  Scene& with(GoModuleSpec module) {
    module.functions_at = go::Table::open(table, container, true)->functions_at();
    module.count = go::Table::open(table, container, true)->size();
    data = module_data(module, container);
    return *this;
  }
  GoImage image() const {
    GoImage image;
    image.container = container;
    image.base = kGoBase;
    image.entry_point = entry_point;
    image.chained_pointers = chained;
    image.add({kGoText, code, true, false});
    image.add({kGoTable, table, false, false});
    image.add({kGoTrees, trees, false, false});
    image.add({kGoData, data, false, true});
    image.finish();
    return image;
  }
  GoTable go_table() const { return {*go::Table::open(table, container, true), kGoTable}; }
  std::vector<std::string> text() const {
    ModelText sink;
    const auto program = GoProgram::open(image(), go_table());
    if (!program) return {"no program"};
    const auto covered = translate_go(*program, kGoBase, sink);
    if (!covered) return {to_string(covered.error())};
    return sink.text();
  }
};

constexpr std::string_view kMain =
    "1000+30 main.main | 0 a/main.go:5 | 10 a/main.go:31 main.outer < a/main.go:5"
    " | 18 a/other.go:31 main.inner < a/main.go:31 main.outer < a/main.go:5"
    " | 20 a/other.go:42 main.inner < a/main.go:31 main.outer < a/main.go:5 | 28 a/main.go:6";
constexpr std::string_view kMainAlone =
    "1000+30 main.main | 0 a/main.go:5 | 10 a/main.go:31 | 18 a/other.go:31 | 20 a/other.go:42 | 28 a/main.go:6";
constexpr std::string_view kSum = "1040+20 main.sum[go.shape.int] | 0 a/other.go:50";
constexpr std::string_view kSumOfRuntime = "1040+20 main.sum[...] public";
constexpr std::string_view kOfC = "1080+80 c_code";

TEST(FromGo, EveryReleaseByteOrderAndPointerSize) {
  for (const GoRelease& release : kGoReleases)
    for (const go::Container container : kGoContainers) {
      Scene scene(small_go_table(release, container, kGoText));
      if (release.trees_inside) scene.trees.clear();
      else scene.with({.columns = testkit::columns_of(release.form)});
      if (release.trees_inside) scene.with({.columns = {"", 16, 20, 22, 0, 60}, .text_map = {}});
      EXPECT_THAT(scene.text(), ElementsAre(release.has_inlines ? kMain : kMainAlone, kSum, kSumOfRuntime, kOfC))
          << release.name << ", " << int{container.pointer_size} << (container.big_endian ? " big" : " little");
    }
}

TEST(FromGo, ModuleDataOfEveryReleaseSince20) {
  for (const auto& columns : {testkit::kGoColumns25, testkit::kGoColumns26, testkit::kGoColumns27})
    EXPECT_THAT(Scene(small_go_table(k20, {}, kGoText)).with({.columns = columns}).text(),
                ElementsAre(kMain, kSum, kSumOfRuntime, kOfC))
        << columns.name;
}

TEST(FromGo, PointersWithLinksOfApplesLoader) {
  Scene scene(small_go_table(k20, {}, kGoText));
  scene.chained = true;
  scene.with({.columns = testkit::kGoColumns25, .pointer_bias = std::uint64_t{0x0010} << 48});
  EXPECT_THAT(scene.text(), ElementsAre(kMain, kSum, kSumOfRuntime, kOfC));
  scene.with({.columns = testkit::kGoColumns25, .pointer_bias = (std::uint64_t{0x0010} << 48) - kGoBase});
  EXPECT_THAT(scene.text(), ElementsAre(kMain, kSum, kSumOfRuntime, kOfC)) << "offsets from the base";
}

TEST(FromGo, WhereTheCodeBegins) {
  GoTableSpec spec = small_go_table(k26, {}, kGoText);
  EXPECT_THAT(Scene(spec).text(), ElementsAre("no program")) << "nothing tells";
  spec.text_start = kGoText;
  EXPECT_EQ(Scene(spec).text().front(), kMainAlone) << "the table itself; before 1.26, whose trees are elsewhere";
  spec.text_start = 0x300000;
  EXPECT_THAT(Scene(spec).text(), ElementsAre("no program")) << "no code there";
  spec.text_start = 0;
  spec.functions[1].name = "_rt0_amd64_linux";
  Scene entered(spec);
  entered.entry_point = kGoText + 0x40;
  EXPECT_EQ(entered.text().front(), kMain);
  for (const char* other : {"_rt0_amd64", "_rt0_amd64_lib", "_rt0_amd64_linux_lib"}) {
    spec.functions[1].name = other;
    Scene scene(spec);
    scene.entry_point = kGoText + 0x40;
    EXPECT_THAT(scene.text(), ElementsAre("no program")) << other;
  }
  spec.functions[0].name = "go:buildid";
  Scene marked(spec);
  marked.code = testkit::Section().text("\xFF Go build ID: \"A/B\"\n \xFF").zeros(0x100).finish();
  EXPECT_TRUE(marked.text().front().starts_with("1000+30 go:buildid"));
}

TEST(FromGo, SeveralTextSections) {
  Scene scene(small_go_table(k20, {}, kGoText));
  scene.with({.columns = testkit::kGoColumns26,
              .text_map = {{0, 0x40, kGoText}, {0x40, 0x80, kGoText + 0x80}, {0x80, 0x100, kGoText + 0xC0}}});
  EXPECT_THAT(scene.text(), ElementsAre(kMain, "1080+20 main.sum[go.shape.int] | 0 a/other.go:50",
                                        "1080+20 main.sum[...] public", "10c0+40 c_code"));
}

TEST(FromGo, GarbledPrograms) {
  GoTableSpec spec = small_go_table(k20, {}, kGoText);
  spec.magic = 0xABADCAFE;
  spec.hidden_entries = 0x9E3779B9;
  EXPECT_THAT(Scene(spec).with({}).text(), ElementsAre(kMain, kSum, kSumOfRuntime, kOfC));
}

TEST(FromGo, NamesOfTheRuntime) {
  struct Row {
    std::string_view stored, runtime;
  };
  const Row rows[] = {
      {"main.f[go.shape.[]int].func1", "main.f[...].func1"},
      {"main.(*T[go.shape.int,go.shape.map[string]int]).M", "main.(*T[...]).M"},
      {"main.f[...]", ""},
      {"type:.eq.[4]string", ""},
      {"main.]f[", ""},
      {"main.f", ""},
  };
  for (const Row& r : rows) {
    GoTableSpec spec = small_go_table(k20, {}, kGoText);
    spec.functions[1].name = r.stored;
    const auto text = Scene(spec).with({}).text();
    ASSERT_GE(text.size(), 3u);
    EXPECT_EQ(text[1], fmt::format("1040+20 {} | 0 a/other.go:50", r.stored));
    EXPECT_EQ(text[2], r.runtime.empty() ? kOfC : fmt::format("1040+20 {} public", r.runtime));
  }
}

/// Calls nested `depth` deep at the end of main.main.
GoTableSpec nested(int depth, go::InlineSpec inlines) {
  GoTableSpec spec = small_go_table(k20, {}, kGoText);
  spec.inlines = inlines;
  auto& main = spec.functions[0];
  main.lines = main.files = main.tree = {};
  main.calls.clear();
  spec.functions.resize(1);
  for (int i = 0; i < depth; ++i) {
    const auto end = static_cast<std::uint64_t>(i) + 1;
    main.lines.push_back({end, i + 1});
    main.tree.push_back({end, i - 1});
    main.calls.push_back({fmt::format("f{}", i), i - 1, i, 0, i});
  }
  main.tree.push_back({main.tree.back().end + 1, depth - 1});
  main.lines.push_back({main.lines.back().end + 1, 7});
  main.files.push_back({main.lines.back().end, 0});
  spec.end_pc = main.lines.back().end;
  return spec;
}

TEST(FromGo, CallsInsideCallsHaveABound) {
  for (const int depth : {3, 200, 3000}) {
    Scene scene(nested(depth, k20.inlines));
    scene.code.resize(0x2000);
    scene.with({});
    testkit::CheckingSink sink;
    sink.module({.producer_kind = "test"});
    const auto program = GoProgram::open(scene.image(), scene.go_table());
    ASSERT_TRUE(program && translate_go(*program, kGoBase, sink));
    EXPECT_EQ(sink.inlinees, static_cast<unsigned>(std::min(depth, 256)));
  }
}

TEST(FromGo, DamagedTrees) {
  struct Row {
    std::string_view why, want;
    GoCall call;
  };
  const Row rows[] = {
      {"is its own caller", " | 10 a/main.go:31 g < a/main.go:31 |", {"g", -1, 0x12}},
      {"called from outside the function", " | 10 a/main.go:31 g < - |", {"g", -1, 0x100}},
      {"called from before the function", " | 10 a/main.go:31 g < - |", {"g", -1, -1}},
  };
  for (const Row& r : rows) {
    GoTableSpec spec = small_go_table(k20, {}, kGoText);
    spec.functions[0].calls[0] = r.call;
    EXPECT_THAT(Scene(spec).with({}).text().front(), testing::HasSubstr(r.want)) << r.why;
  }
  Scene cut(small_go_table(k20, {}, kGoText));
  cut.trees.resize(20);
  EXPECT_THAT(cut.with({}).text().front(), testing::EndsWith("| 18 a/other.go:31 | 20 a/other.go:42 | 28 a/main.go:6"));
}

TEST(FromGo, OneTableOfManyFunctionsIsReadUpToTheNextFunction) {
  GoTableSpec spec = small_go_table(k20, {}, kGoText);
  spec.functions.clear();
  constexpr std::uint64_t kFunctions = 20000;
  for (std::uint64_t i = 0; i < kFunctions; ++i)
    spec.functions.push_back({.pc = i, .name = "f", .lines = {}, .files = {}, .tree = {}});
  for (std::uint64_t i = 1; i <= kFunctions; ++i) spec.functions[0].lines.push_back({i, static_cast<int>(i % 100)});
  spec.end_pc = kFunctions;
  Scene scene(spec);
  scene.code.resize(kFunctions);
  const auto table = *go::Table::open(scene.table, {});
  const auto first = *table.function(table.entry(0));
  const testkit::ElfBytes pcln = testkit::ElfBytes({}).u32(first.pcln);
  for (std::uint32_t i = 0; i < table.size(); ++i)
    std::ranges::copy(pcln.finish(), scene.table.begin() + static_cast<std::ptrdiff_t>(table.entry(i).function + 24));
  scene.with({.text_end = kGoText + kFunctions, .text_map = {{0, kFunctions, kGoText}}});
  testkit::CheckingSink sink;
  sink.module({.producer_kind = "test"});
  const auto program = GoProgram::open(scene.image(), scene.go_table());
  ASSERT_TRUE(program && translate_go(*program, kGoBase, sink));
  EXPECT_EQ(sink.functions, kFunctions);
  EXPECT_EQ(sink.rows, kFunctions) << "each has one byte";
}

TEST(FromGo, IdentityIsTheBuildIdElseTheCode) {
  Scene scene(small_go_table(k20, {}, kGoText));
  scene.code = testkit::Section().text("\xFF Go build ID: \"A/B/C/D\"\n \xFF").zeros(0x100).finish();
  const DebugId id = go_debug_id(scene.image(), scene.go_table());
  EXPECT_EQ(id.guid.hex_lower(), "137ae21d93e40b8c26f1a28461a9a6c6") << "SHA-256 of A/B/C/D";
  scene.code.back() = std::byte{1};
  EXPECT_EQ(go_debug_id(scene.image(), scene.go_table()), id);
  scene.code[16] = std::byte{'"'};
  const DebugId hashed = go_debug_id(scene.image(), scene.go_table());
  EXPECT_NE(hashed, id);
  scene.code.back() = std::byte{2};
  EXPECT_NE(go_debug_id(scene.image(), scene.go_table()), hashed);
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(FromGoFuzzCorpus, IsWhatTheAssemblerMakes) {
  std::vector<testkit::StoredInput> inputs;
  for (const GoRelease& release : kGoReleases) {
    const bool big = &release - kGoReleases == 4;
    const go::Container container{static_cast<std::uint8_t>(big ? 4 : 8), big};
    Scene scene(small_go_table(release, container, kGoText));
    scene.with({.columns = testkit::columns_of(release.form)});
    testkit::Section out;
    out.u8(big ? 3 : 0).u16(static_cast<std::uint16_t>(scene.data.size())).bytes(scene.data);
    out.u16(static_cast<std::uint16_t>(scene.trees.size())).bytes(scene.trees).bytes(scene.table);
    inputs.push_back({release.name, out.finish()});
  }
  testkit::expect_stored("object/go/fuzz_corpus/translate_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
