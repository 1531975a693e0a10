#include "object/wasm/translate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/wasm/describe.hpp"
#include "testing/checking_sink.hpp"
#include "testing/dwarf/tiny.hpp"
#include "testing/model_text.hpp"
#include "testing/stored_inputs.hpp"
#include "testing/wasm/image.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::assemble;
using testkit::rich_wasm;
using testkit::WasmImage;

FileInfo describe(Bytes file) {
  FileInfo info;
  describe_wasm(info, file);
  return info;
}
Read<void> translate(const Original& original, model::ModuleSink& sink) { return translate_wasm(original, sink); }
std::vector<NeedFile> needed_files(Bytes file, std::span<const Companion> companions = {}) {
  return needed_files_wasm(file, companions);
}

/// Each function with the code section's offset taken off, so that a row does not hang on what stands before it.
std::vector<std::string> text_of(Bytes file, std::span<const Companion> companions = {}) {
  ModelText sink;
  const auto done = translate({.file = file, .companions = companions}, sink);
  if (!done) return {to_string(done.error())};
  const std::uint64_t code = wasm::Module::open(file)->code_offset();
  std::vector<std::string> out;
  for (const std::string& line : sink.text()) {
    std::size_t used = 0;
    const std::uint64_t start = std::stoull(line, &used, 16);
    out.push_back(fmt::format("code+{:x}", start - code) + line.substr(used));
  }
  return out;
}

void add_dwarf(WasmImage& image, const std::vector<testkit::TinyFunction>& functions) {
  const auto dwarf = testkit::tiny_dwarf(functions, 4);
  image.custom.push_back({".debug_abbrev", dwarf.abbrev});
  image.custom.push_back({".debug_info", dwarf.info});
}

TEST(FromWasm, NamesOfFunctions) {
  const auto bytes = assemble(rich_wasm());
  ModelText sink;
  ASSERT_TRUE(translate({.file = bytes}, sink));
  EXPECT_EQ(sink.module().arch, model::Arch::wasm32);
  EXPECT_EQ(sink.module().debug_id.dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10");
  EXPECT_EQ(sink.module().debug_file, "demo.wasm");
  EXPECT_EQ(sink.module().producer_kind, "wasm");
  EXPECT_THAT(text_of(bytes), ElementsAre("code+2+4 _Z3addii public", "code+8+c8 run public"))
      << "of the third nothing is known";
}

TEST(FromWasm, AddressesOfDwarfCountFromTheCodeSection) {
  WasmImage image = rich_wasm();
  image.names = {{2, "_Z3addii"}, {3, "ns::pretty(int)"}, {4, "ns::other(int)"}};
  add_dwarf(image, {{"dropped", 0, 4}, {"_Z3addii", 2, 4}, {"_ZN2ns6prettyEi", 8, 200}, {"gone", 0xFFFFFFFF, 4}});
  EXPECT_THAT(text_of(assemble(image)), ElementsAre("code+2+4 _Z3addii", "code+2+4 _Z3addii public",
                                                    "code+8+c8 _ZN2ns6prettyEi", "code+d1+3 ns::other(int) public"));
}

TEST(FromWasm, StatedAddressesCountFromTheCodeSection) {
  const auto bytes = assemble(rich_wasm());
  const auto base = image_base_wasm(bytes);
  ASSERT_TRUE(base);
  EXPECT_EQ(2 - *base, wasm::Module::open(bytes)->code_offset() + 2);
  EXPECT_FALSE(image_base_wasm(Bytes(bytes).first(6)));
}

TEST(FromWasm, DebugDataOfAnotherModule) {
  WasmImage image = rich_wasm();
  image.names = {};
  image.custom.push_back({"external_debug_info", testkit::Section().u8(7).text("a.debug").finish()});
  const auto bytes = assemble(image);
  const auto needed = needed_files(bytes);
  ASSERT_EQ(needed.size(), 1u);
  EXPECT_EQ(needed[0].kind, NeedFile::Kind::external_debug);
  EXPECT_EQ(needed[0].path, "a.debug");
  EXPECT_THAT(text_of(bytes), ElementsAre("code+2+4 add public", "code+8+c8 run public"));
  WasmImage debug = rich_wasm();
  debug.names = {};
  debug.exports = {};
  add_dwarf(debug, {{"run", 8, 200}});
  const auto other = assemble(debug);
  const Companion companion{needed[0], other};
  EXPECT_THAT(text_of(bytes, {&companion, 1}),
              ElementsAre("code+2+4 add public", "code+8+c8 run", "code+8+c8 run public"));
  EXPECT_THAT(needed_files(bytes, {&companion, 1}), IsEmpty());
  const FileInfo info = describe(bytes);
  ASSERT_EQ(info.links.size(), 1u);
  EXPECT_EQ(info.links[0].path, "a.debug");
}

TEST(FromWasm, LinesOfASourceMap) {
  WasmImage image = rich_wasm();
  image.custom.push_back({"sourceMappingURL", testkit::Section().u8(9).text("d/x.map?1").finish()});
  const auto bytes = assemble(image);
  const auto needed = needed_files(bytes);
  ASSERT_EQ(needed.size(), 1u);
  EXPECT_EQ(needed[0].kind, NeedFile::Kind::source_map);
  EXPECT_EQ(needed[0].path, "d/x.map?1");
  // a.c:1:1 from the module's start, a.c:2:1 from 10 bytes into the code, but for 8 bytes from 14 on
  const std::uint64_t code = wasm::Module::open(bytes)->code_offset();
  const auto digits = [](std::uint64_t number) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (number *= 2; number > 31; number >>= 5) text += kDigits[number % 32 + 32];
    return text + kDigits[number];
  };
  const std::string map =
      fmt::format(R"({{"version":3,"sources":["a.c"],"mappings":"AAAA,{}ACA,I,QAAA"}})", digits(code + 10));
  const Companion companion{needed[0], as_bytes(map)}, damaged{needed[0], as_bytes("{}")};
  EXPECT_THAT(text_of(bytes, {&companion, 1}),
              ElementsAre("code+2+4 _Z3addii | 0 a.c:1:1", "code+8+c8 run | 0 a.c:1:1 | 2 a.c:2:1 | 6 - | e a.c:2:1",
                          "code+d1+3  | 0 a.c:2:1"));
  EXPECT_THAT(needed_files(bytes, {&companion, 1}), IsEmpty());
  EXPECT_THAT(text_of(bytes, {&damaged, 1}), ElementsAre("code+2+4 _Z3addii public", "code+8+c8 run public"));
}

TEST(FromWasm, DwarfOfObjectFilesStandsAsItIs) {
  WasmImage image = rich_wasm();
  image.custom.push_back({"linking", {std::byte{2}}});
  add_dwarf(image, {{"x", 2, 4}});
  EXPECT_THAT(text_of(assemble(image)),
              ElementsAre("code+2+4 _Z3addii", "code+2+4 _Z3addii public", "code+8+c8 run public"));
  EXPECT_THAT(describe(assemble(image)).features, ElementsAre("object", "symbols", "exports", "dwarf"));
}

TEST(FromWasm, WhatIsToldOfAModule) {
  WasmImage image = rich_wasm();
  image.memory64 = true;
  image.custom.push_back({"sourceMappingURL", testkit::Section().u8(5).text("a.map").finish()});
  add_dwarf(image, {{"x", 2, 4}});
  const FileInfo info = describe(assemble(image));
  EXPECT_EQ(info.arch, model::Arch::wasm32);
  EXPECT_EQ(info.debug_id->dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10");
  EXPECT_EQ(info.code_id, "0102030405060708090a0b0c0d0e0f1011121314");
  EXPECT_EQ(info.debug_file, "demo.wasm");
  EXPECT_THAT(info.features, ElementsAre("memory64", "symbols", "exports", "dwarf", "source-map"));
  EXPECT_FALSE(info.error);
  image.custom = {{"build_id", std::vector<std::byte>(4)}};
  EXPECT_FALSE(describe(assemble(image)).debug_id) << "too short for one";
  EXPECT_EQ(describe(as_bytes(std::string_view("\0asm\2\0\0\0", 8))).error->field, "wasm.version");
}

std::vector<testkit::StoredInput> fuzz_inputs() {
  WasmImage with_dwarf = rich_wasm();
  with_dwarf.names.push_back({3, "ns::pretty(int)"});
  add_dwarf(with_dwarf, {{"_Z3addii", 2, 4}, {"far", 0xF0000000, 4}});
  auto cut = assemble(with_dwarf);
  cut.resize(cut.size() - 9);
  return {{"names.wasm", assemble(rich_wasm())}, {"dwarf.wasm", assemble(with_dwarf)}, {"cut.wasm", cut}};
}

TEST(FromWasm, EveryFlippedBitIsRefusedOrTranslated) {
  for (const testkit::StoredInput& input : fuzz_inputs()) {
    for (std::size_t bit = 0; bit < input.bytes.size() * 8; ++bit) {
      testkit::Exact flipped(input.bytes);
      flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      testkit::CheckingSink sink;
      [[maybe_unused]] const auto done = translate_wasm({.file = flipped.bytes()}, sink);
    }
  }
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(FromWasmFuzzCorpus, IsWhatTheAssemblerMakes) {
  testkit::expect_stored("object/wasm/fuzz_corpus/translate_fuzz", fuzz_inputs());
}

}  // namespace
}  // namespace symcached::object
