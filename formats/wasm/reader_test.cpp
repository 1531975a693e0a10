#include "formats/wasm/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/assembler.hpp"
#include "testing/stored_inputs.hpp"
#include "testing/wasm/image.hpp"
#include "testing/wasm/walk.hpp"

namespace symcached::wasm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::assemble;
using testkit::Exact;
using testkit::rich_wasm;
using testkit::WasmImage;

std::vector<std::string> texts(const std::vector<FunctionName>& names) {
  std::vector<std::string> out;
  for (const FunctionName& name : names) out.push_back(std::to_string(name.index) + " " + std::string(name.name));
  return out;
}

TEST(Wasm, FunctionsAndTheirNames) {
  const auto bytes = assemble(rich_wasm());
  const auto module = Module::open(bytes);
  ASSERT_TRUE(module) << to_string(module.error());
  EXPECT_EQ(*module->imported_function_count(), 2u);
  const auto functions = module->functions();
  ASSERT_TRUE(functions);
  ASSERT_EQ(functions->size(), 3u);
  const std::uint64_t code = module->code_offset();
  EXPECT_EQ((*functions)[0].offset, code + 2) << "behind the count and the size";
  EXPECT_EQ((*functions)[0].size, 4u);
  EXPECT_EQ((*functions)[1].offset, code + 2 + 4 + 2) << "200 takes two bytes";
  EXPECT_EQ((*functions)[2].offset + 3, code + module->find(SectionId::code)->data.size());
  EXPECT_THAT(texts(*module->function_names()), ElementsAre("0 imported", "2 _Z3addii"));
  EXPECT_THAT(texts(*module->exported_functions()), ElementsAre("2 add", "3 run")) << "the memory is no function";
  EXPECT_EQ(*module->module_name(), "demo.wasm");
  EXPECT_FALSE(module->is_memory64());
}

TEST(Wasm, AModuleOfNothing) {
  const auto bytes = testkit::Section().text(kMagic).u32(1).finish();
  const auto module = Module::open(bytes);
  ASSERT_TRUE(module);
  bool whole = false;
  testkit::walk_everything(*module, whole);
  EXPECT_TRUE(whole);
  EXPECT_EQ(module->code_offset(), 0u);
  EXPECT_THAT(*module->functions(), IsEmpty());
  EXPECT_EQ(module->find_custom("name"), nullptr);
}

TEST(Wasm, BuildIds) {
  const auto run = [](std::size_t size, int first = -1) {
    std::vector<std::byte> out;
    if (first >= 0) out.push_back(static_cast<std::byte>(first));
    while (out.size() < size) out.push_back(static_cast<std::byte>(out.size() + 1));
    return out;
  };
  struct Row {
    std::string_view why;
    std::vector<std::byte> section;
    std::size_t size, first;
  };
  const Row rows[] = {
      {"a length and as many bytes", run(21, 20), 20, 2},
      {"a bare UUID", run(16), 16, 1},
      {"a bare UUID whose first byte could be its length", run(16, 15), 16, 15},
      {"a bare id of another size", run(20, 3), 20, 3},
      {"empty", {}, 0, 0},
  };
  for (const Row& r : rows) {
    WasmImage image = rich_wasm();
    image.custom = {{"build_id", r.section}};
    const auto bytes = assemble(image);
    const Bytes id = Module::open(bytes)->build_id();
    ASSERT_EQ(id.size(), r.size) << r.why;
    EXPECT_EQ(id.empty() ? 0 : static_cast<std::size_t>(id[0]), r.first) << r.why;
  }
  const auto without = assemble(WasmImage{});
  EXPECT_TRUE(Module::open(without)->build_id().empty());
}

TEST(Wasm, CustomSectionsOfOneString) {
  WasmImage image = rich_wasm();
  image.memory64 = true;
  image.custom = {{"external_debug_info", testkit::Section().u8(7).text("a.debug").finish()},
                  {"sourceMappingURL", testkit::Section().u8(200).text("a.map").finish()}};
  const auto bytes = assemble(image);
  const auto module = Module::open(bytes);
  EXPECT_EQ(module->string_in("external_debug_info"), "a.debug");
  EXPECT_EQ(module->string_in("sourceMappingURL"), "") << "longer than its section";
  EXPECT_EQ(module->string_in("none"), "");
  EXPECT_TRUE(module->is_memory64());
}

TEST(Wasm, WhatIsRefused) {
  using testkit::Section;
  const auto head = [] { return Section().text(kMagic).u32(1); };
  struct Row {
    std::string_view why;
    std::vector<std::byte> file;
    std::string_view field;
  };
  const Row rows[] = {
      {"no magic", Section().text("asm").zeros(5).finish(), "wasm.magic"},
      {"cut in the version", Section().text(kMagic).u16(1).finish(), "wasm.version"},
      {"a component", Section().text(kMagic).u32(0x1000D).finish(), "wasm.version"},
      {"no size", head().u8(1).finish(), "wasm.section.size"},
      {"a section behind the end", head().u8(1).u8(9).finish(), "wasm.section.size"},
      {"a size of six bytes", head().u8(1).u32(0x80808080).u16(0x80).finish(), "wasm.section.size"},
      {"a size of 35 bits", head().u8(1).u32(0xFFFFFFFF).u8(0x7F).finish(), "wasm.section.size"},
      {"a name behind its section", head().u8(0).u8(2).u8(2).u8('a').finish(), "wasm.section.name"},
  };
  for (const Row& r : rows) {
    const auto module = Module::open(r.file);
    ASSERT_FALSE(module) << r.why;
    EXPECT_EQ(module.error().field, r.field) << r.why;
  }
  Section many = head();
  for (std::uint32_t i = 0; i <= kMaxSections; ++i) many.u8(1).u8(0);
  EXPECT_EQ(Module::open(many.finish()).error().field, "wasm.sections");
}

TEST(Wasm, EveryCutIsRefusedOrRead) {
  const auto whole = assemble(rich_wasm());
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    const Exact cut(Bytes(whole).first(n));
    bool ignored = false;
    if (const auto module = Module::open(cut.bytes())) testkit::walk_everything(*module, ignored);
  }
}

TEST(Wasm, EveryFlippedBitIsRefusedOrRead) {
  const auto whole = assemble(rich_wasm());
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Exact flipped(whole);
    flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    bool ignored = false;
    if (const auto module = Module::open(flipped.bytes())) testkit::walk_everything(*module, ignored);
  }
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(WasmFuzzCorpus, IsWhatTheAssemblerMakes) {
  const auto whole = assemble(rich_wasm());
  auto cut = whole;
  cut.resize(cut.size() - 7);
  WasmImage external = rich_wasm();
  external.memory64 = true;
  external.custom = {{"external_debug_info", testkit::Section().u8(7).text("a.debug").finish()},
                     {".debug_info", testkit::Section().u32(0).finish()}};
  const testkit::StoredInput inputs[] = {{"rich.wasm", whole},
                                         {"cut.wasm", cut},
                                         {"external.wasm", assemble(external)},
                                         {"empty.wasm", assemble(WasmImage{})}};
  testkit::expect_stored("formats/wasm/fuzz_corpus/reader_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::wasm
