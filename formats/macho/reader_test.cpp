#include "formats/macho/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/macho/debug_map.hpp"
#include "formats/macho/fat.hpp"
#include "testing/macho/image.hpp"
#include "testing/macho/walk.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::macho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::assemble;
using testkit::Exact;
using testkit::MachoImage;
using testkit::rich_macho;

struct Form {
  bool is_64bit, big_endian;
};
constexpr Form kForms[] = {{true, false}, {true, true}, {false, false}, {false, true}};

TEST(Macho, ReadsBothWordSizesAndByteOrders) {
  for (const Form form : kForms) {
    const auto bytes = assemble(rich_macho(form.is_64bit, form.big_endian));
    const auto file = File::open(bytes);
    ASSERT_TRUE(file) << to_string(file.error());
    const std::uint64_t base = form.is_64bit ? 0x100000000 : 0x1000;
    EXPECT_EQ(file->header().is_64bit, form.is_64bit);
    EXPECT_EQ(file->header().big_endian, form.big_endian);
    EXPECT_EQ(file->header().type, FileType::execute);
    EXPECT_EQ(file->image_base(), base);
    ASSERT_TRUE(file->uuid());
    EXPECT_EQ(file->uuid()->hex_lower(), "0102030405060708090a0b0c0d0e0f10");
    ASSERT_EQ(file->segments().size(), 2u);
    EXPECT_EQ(file->segments()[1].name, "__DATA");
    ASSERT_EQ(file->sections().size(), 4u);
    const SectionInfo* const text = file->find_section("__TEXT", "__text");
    ASSERT_NE(text, nullptr);
    EXPECT_EQ(text->address, base + 0x400);
    EXPECT_TRUE(text->has_instructions());
    EXPECT_EQ(file->data_of(*text)->size(), 0x60u);
    EXPECT_THAT(*file->data_of(*file->find_section("__DATA", "__bss")), IsEmpty());
    EXPECT_EQ(file->find_section("__DATA", "__text"), nullptr);
    ASSERT_TRUE(file->build_version());
    EXPECT_EQ(file->build_version()->platform, 1u);
    EXPECT_FALSE(file->is_encrypted());
    EXPECT_THAT(*file->function_starts(), ElementsAre(base + 0x400, base + 0x420, base + 0x440));
  }
}

TEST(Macho, SymbolsAndStubs) {
  for (const Form form : kForms) {
    const auto bytes = assemble(rich_macho(form.is_64bit, form.big_endian));
    const auto file = File::open(bytes);
    const auto symbols = file->symbols();
    ASSERT_TRUE(symbols);
    ASSERT_EQ(symbols->size(), 13u);
    const Symbol main = symbols->at(9);
    EXPECT_EQ(main.name, "_main");
    EXPECT_TRUE(main.is_defined() && main.is_external() && !main.is_stab());
    EXPECT_EQ(main.value, file->image_base() + 0x400);
    EXPECT_TRUE(symbols->at(4).is_stab());
    EXPECT_FALSE(symbols->at(12).is_defined());
    const auto stubs = file->stubs(*symbols);
    ASSERT_TRUE(stubs) << to_string(stubs.error());
    ASSERT_EQ(stubs->size(), 1u) << "the other entry is of no symbol";
    EXPECT_EQ(stubs->front().address, file->image_base() + 0x460);
    EXPECT_EQ(stubs->front().size, 6u);
    EXPECT_EQ(symbols->at(stubs->front().symbol).name, "_puts");
  }
}

TEST(Macho, TheDebugMap) {
  const auto bytes = assemble(rich_macho(true, false));
  const auto file = File::open(bytes);
  const DebugMap map = read_debug_map(*file->symbols());
  ASSERT_EQ(map.objects.size(), 1u);
  EXPECT_EQ(map.objects[0].path, "/out/lib.a(a.o)");
  EXPECT_EQ(map.objects[0].modified, 0x5AB380CFu);
  EXPECT_EQ(map.objects[0].folder, "/src/");
  EXPECT_EQ(map.objects[0].source, "a.c");
  ASSERT_EQ(map.of(map.objects[0]).size(), 1u);
  EXPECT_EQ(map.functions[0].name, "_main");
  EXPECT_EQ(map.functions[0].address, 0x100000400u);
  EXPECT_EQ(map.functions[0].size, 0x18u);
}

TEST(Macho, StabsOutOfOrderMakeNoFunctionTwice) {
  const auto stab = [](Stab type) { return static_cast<std::uint8_t>(type); };
  MachoImage image;
  image.symbols = {
      {.name = "_early", .type = stab(Stab::function), .value = 1},
      {.name = "x.o", .type = stab(Stab::object)},
      {.name = "", .type = stab(Stab::function), .value = 8},
      {.name = "_a", .type = stab(Stab::function), .value = 0x10},
      {.name = "_b", .type = stab(Stab::function), .value = 0x20},
      {.name = "", .type = stab(Stab::function), .value = 4},
      {.name = "", .type = stab(Stab::function), .value = 5},
      {.name = "y.o", .type = stab(Stab::object)},
      {.name = "_c", .type = stab(Stab::function), .value = 0x30},
  };
  const auto bytes = assemble(image);
  const DebugMap map = read_debug_map(*File::open(bytes)->symbols());
  std::vector<std::string> text;
  for (const MappedObject& object : map.objects)
    for (const MappedFunction& function : map.of(object))
      text.push_back(std::string(object.path) + " " + std::string(function.name) + " " + std::to_string(function.size));
  EXPECT_THAT(text, ElementsAre("x.o _a 0", "x.o _b 4", "y.o _c 0"));
}

TEST(Macho, WhatElseTheCommandsSay) {
  MachoImage image = rich_macho(true, false);
  image.cpu = Cpu::arm64;
  image.cpu_subtype = 0x80000002;
  image.type = FileType::dylib;
  image.library_name = "@rpath/libm.dylib";
  image.encrypted = true;
  image.uuid.reset();
  image.function_starts.clear();
  const auto bytes = assemble(image);
  const auto file = File::open(bytes);
  ASSERT_TRUE(file);
  EXPECT_TRUE(file->header().is_arm64e());
  EXPECT_EQ(cpu_name(file->header().cpu, file->header().cpu_subtype), "arm64e");
  EXPECT_EQ(file->library_name(), "@rpath/libm.dylib");
  EXPECT_TRUE(file->is_encrypted());
  EXPECT_FALSE(file->uuid());
  EXPECT_THAT(*file->function_starts(), IsEmpty());
}

TEST(Macho, NamesOfProcessors) {
  struct Row {
    Cpu cpu;
    std::uint32_t subtype;
    std::string_view want;
  };
  const Row rows[] = {{Cpu::x86, 3, "i386"},          {Cpu::x86_64, 3, "x86_64"}, {Cpu::x86_64, 8, "x86_64h"},
                      {Cpu::arm, 9, "armv7"},         {Cpu::arm, 11, "armv7s"},   {Cpu::arm, 0, "arm"},
                      {Cpu::arm64, 0, "arm64"},       {Cpu::arm64, 1, "arm64"},   {Cpu::arm64, 0xC1000002, "arm64e"},
                      {Cpu::arm64_32, 1, "arm64_32"}, {Cpu::ppc, 0, "ppc"},       {Cpu::ppc64, 0, "ppc64"},
                      {static_cast<Cpu>(99), 0, ""}};
  for (const Row& r : rows) EXPECT_EQ(cpu_name(r.cpu, r.subtype), r.want);
}

TEST(Macho, Relocations) {
  for (const Form form : kForms) {
    MachoImage image = rich_macho(form.is_64bit, form.big_endian);
    image.sections[2].relocations = {{.offset = 4, .symbol = 1, .length = 2},
                                     {.offset = 0x80000004, .symbol = 1, .length = 2},
                                     {.offset = 0, .symbol = 9, .length = 3, .external = true, .type = 5}};
    const auto bytes = assemble(image);
    const auto file = File::open(bytes);
    const auto all = file->relocations(file->sections()[2]);
    ASSERT_TRUE(all);
    ASSERT_EQ(all->size(), 2u) << "scattered entries are left out";
    EXPECT_EQ((*all)[0].offset, 4u);
    EXPECT_EQ((*all)[0].symbol, 1u);
    EXPECT_EQ((*all)[0].bytes, 4u);
    EXPECT_FALSE((*all)[0].external || (*all)[0].pc_relative);
    EXPECT_EQ((*all)[1].symbol, 9u);
    EXPECT_EQ((*all)[1].bytes, 8u);
    EXPECT_EQ((*all)[1].type, 5u);
    EXPECT_TRUE((*all)[1].external);
  }
}

TEST(Macho, WhatIsRefused) {
  struct Row {
    std::string_view why;
    std::size_t at;
    std::uint32_t value;
    std::string_view field;
  };
  const Row rows[] = {
      {"no magic", 0, 0x12345678, "macho.header.magic"},
      {"commands behind the end", 20, 0x10000000, "macho.load_commands"},
      {"more commands than bytes", 16, 0x1000, "macho.load_command"},
      {"a command of no size", 36, 0, "macho.load_command.size"},
      {"a command behind the others", 36, 0x10000, "macho.load_command.size"},
      {"a 32-bit segment", 32, 1, "macho.load_command.segment"},
      {"more sections than bytes", 96, 1000, "macho.section"},
  };
  const auto whole = assemble(rich_macho(true, false));
  for (const Row& r : rows) {
    auto bytes = whole;
    testkit::patch(bytes, r.at, u32le(r.value));
    const auto file = File::open(bytes);
    ASSERT_FALSE(file) << r.why;
    EXPECT_EQ(file.error().field, r.field) << r.why;
  }
}

TEST(Macho, HostileTables) {
  MachoImage image = rich_macho(true, false);
  image.sections[1].reserved1 = 4;
  const auto far = assemble(image);
  const auto file = File::open(far);
  EXPECT_EQ(file->stubs(*file->symbols()).error().field, "macho.stubs.count");
  image = rich_macho(true, false);
  image.sections[1].size = 0xFFFFFFFFFFFFFFFF;
  const auto endless = assemble(image);
  const auto endless_file = File::open(endless);
  EXPECT_EQ(endless_file->stubs(*endless_file->symbols()).error().field, "macho.stubs.count");
  EXPECT_EQ(endless_file->data_of(endless_file->sections()[1]).error().field, "macho.section.data");
  image = rich_macho(true, false);
  image.function_starts = {0x100000400, 0x1000003FF};  // a step backward is a huge one forward
  const auto backward = assemble(image);
  EXPECT_EQ(File::open(backward)->function_starts().error().field, "macho.function_starts.step");
}

TEST(Macho, EveryCutIsRefusedOrRead) {
  for (const Form form : kForms) {
    const auto whole = assemble(rich_macho(form.is_64bit, form.big_endian));
    bool all_read = false;
    for (std::size_t n = 0; n <= whole.size(); ++n) {
      const Exact cut(Bytes(whole).first(n));
      all_read = false;
      if (const auto file = File::open(cut.bytes())) testkit::walk_everything(*file, all_read);
      EXPECT_EQ(all_read, n == whole.size()) << n << " bytes";
    }
    EXPECT_TRUE(all_read);
  }
}

TEST(Macho, EveryFlippedBitIsRefusedOrRead) {
  for (const Form form : kForms) {
    const auto whole = assemble(rich_macho(form.is_64bit, form.big_endian));
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      Exact flipped(whole);
      flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      bool ignored = false;
      if (const auto file = File::open(flipped.bytes())) testkit::walk_everything(*file, ignored);
    }
  }
}

TEST(Fat, SlicesOfBothWidths) {
  const auto first = assemble(rich_macho(true, false));
  const auto second = assemble({.cpu = Cpu::arm64, .cpu_subtype = 0});
  for (const bool is_64bit : {false, true}) {
    const auto bytes = testkit::assemble_fat({{Cpu::x86_64, 3, first}, {Cpu::arm64, 0, second}}, is_64bit);
    const auto slices = read_fat(bytes);
    ASSERT_TRUE(slices) << to_string(slices.error());
    ASSERT_EQ(slices->size(), 2u);
    EXPECT_EQ((*slices)[1].cpu, Cpu::arm64);
    EXPECT_EQ((*slices)[1].file.size(), second.size());
    EXPECT_EQ((*slices)[1].offset % 16, 0u);
    EXPECT_TRUE(File::open((*slices)[0].file));
  }
}

TEST(Fat, WhatIsRefused) {
  struct Row {
    std::string_view why;
    std::size_t at;
    std::uint32_t value;
    std::string_view field;
  };
  const Row rows[] = {
      {"another magic", 0, 0xCAFED00D, "macho.fat.magic"},
      {"none", 4, 0, "macho.fat.count"},
      {"a Java class", 4, 52, "macho.fat.count"},
      {"more than bytes", 4, 44, "macho.fat.slices"},
      {"inside the table", 16, 16, "macho.fat.slice.offset"},
      {"behind the end", 16, 0xFFFFFFF0, "macho.fat.slice"},
      {"longer than the file", 20, 0xFFFFFFF0, "macho.fat.slice"},
      {"on one another", 36, 48, "macho.fat.slice.overlap"},
  };
  const auto whole =
      testkit::assemble_fat({{.file = std::vector<std::byte>(32)}, {.file = std::vector<std::byte>(32)}});
  for (const Row& r : rows) {
    auto bytes = whole;
    testkit::patch(bytes, r.at, u32be(r.value));
    const auto slices = read_fat(bytes);
    ASSERT_FALSE(slices) << r.why;
    EXPECT_EQ(slices.error().field, r.field) << r.why;
  }
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(MachoFuzzCorpus, IsWhatTheAssemblerMakes) {
  const auto wide = assemble(rich_macho(true, false));
  auto far_symbols = wide;
  testkit::patch(far_symbols, far_symbols.size() / 2, u32le(0xFFFFFFFF));
  auto cut = wide;
  cut.resize(cut.size() - 40);
  const testkit::StoredInput inputs[] = {
      {"wide.bin", wide},
      {"wide_big.bin", assemble(rich_macho(true, true))},
      {"narrow.bin", assemble(rich_macho(false, false))},
      {"narrow_big.bin", assemble(rich_macho(false, true))},
      {"far_symbols.bin", far_symbols},
      {"cut.bin", cut},
      {"fat.bin", testkit::assemble_fat({{.file = wide}, {.cpu = Cpu::arm64, .file = {}}})},
      {"fat_wide.bin", testkit::assemble_fat({{.file = assemble(rich_macho(false, false))}}, true)},
      {"names.bcsymbolmap", testkit::Section()
                                .text("BCSymbolMap Version: 2.0\n_main\n\1-[A b]\n/src/a.m\n__hidden#0_/__hidden#2_\n")
                                .finish()},
  };
  testkit::expect_stored("formats/macho/fuzz_corpus/reader_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::macho
