/// Object files that a linked image names in its stabs, alone and in libraries.
#include "object/macho/debug_map.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/macho/translate.hpp"
#include "symcache/writer.hpp"
#include "testing/ar/archive.hpp"
#include "testing/macho/mapped_object.hpp"
#include "testing/model_text.hpp"

namespace symcached::object {
namespace {

using macho::Stab;
using testing::ElementsAre;
using testkit::assemble;
using testkit::linked_image;
using testkit::MachoImage;
using testkit::object_file;

constexpr std::uint64_t kText = 0x100000400;

std::vector<std::byte> code(std::size_t size) { return std::vector<std::byte>(size); }

std::vector<std::string> functions_of(Bytes file, std::span<const Companion> companions = {}) {
  ModelText sink;
  const auto done = translate_macho({.file = file, .companions = companions}, sink);
  return done ? sink.text() : std::vector{to_string(done.error())};
}

TEST(DebugMap, ObjectFiles) {
  const auto image = assemble(linked_image("/out/a.o", 77));
  const auto needed = needed_files_macho(image, {});
  ASSERT_EQ(needed.size(), 2u);
  EXPECT_EQ(needed[0].kind, NeedFile::Kind::dsym);
  EXPECT_EQ(needed[1].kind, NeedFile::Kind::debug_map);
  EXPECT_EQ(needed[1].path, "/out/a.o");
  EXPECT_EQ(needed[1].modified, 77u);
  EXPECT_THAT(functions_of(image), ElementsAre("480+20 kept public", "4c0+40 after public"));
  for (const bool by_symbol : {false, true}) {
    const auto object = assemble(object_file(by_symbol));
    const Companion companion{needed[1], object};
    EXPECT_THAT(functions_of(image, {&companion, 1}),
                ElementsAre("480+18 kept", "480+20 kept public", "498+8 kept public", "4c0+40 after public"))
        << by_symbol;
    EXPECT_EQ(needed_files_macho(image, {&companion, 1}).size(), 1u);
  }
  MachoImage foreign = object_file(false);
  foreign.cpu = macho::Cpu::arm64;
  const auto other_cpu = assemble(foreign);
  const Companion companion{needed[1], other_cpu};
  EXPECT_EQ(functions_of(image, {&companion, 1}).front(), "480+20 kept public");
}

TEST(DebugMap, MembersOfLibraries) {
  const auto image = assemble(linked_image("/out/lib.a(a.o)", 77));
  const auto need = needed_files_macho(image, {})[1];
  testkit::Section library;
  library.text(ar::kMagic);
  testkit::ar_bsd_member(library, "b.o", code(3), "77");
  testkit::ar_bsd_member(library, "a.o", code(8), "76");
  testkit::ar_bsd_member(library, "a.o", assemble(object_file(false)), "77");
  const auto bytes = library.finish();
  const auto fat = testkit::assemble_fat({{.file = bytes}, {.cpu = macho::Cpu::arm64, .file = bytes}});
  const auto member = assemble(object_file(false));
  for (const Bytes file : {Bytes(bytes), Bytes(fat), Bytes(member)}) {
    const Companion companion{need, file};
    EXPECT_EQ(functions_of(image, {&companion, 1}).front(), "480+18 kept");
  }
  const auto older = assemble(linked_image("/out/lib.a(a.o)", 78));
  const Companion companion{need, bytes};
  EXPECT_EQ(functions_of(older, {&companion, 1}).front(), "480+20 kept public") << "built again since it was linked";
}

std::uint8_t stab_type(Stab type) { return static_cast<std::uint8_t>(type); }

/// An image of `count` functions, each from an object file of its own, and those files.
struct ManyObjects {
  explicit ManyObjects(std::size_t count) {
    MachoImage image;
    image.sections = {{.segment = "__TEXT",
                       .name = "__text",
                       .address = kText,
                       .data = code(0x20 * count),
                       .flags = testkit::kMachoCode}};
    for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("/out/{}.o", i));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t address = kText + 0x20 * i;
      image.symbols.push_back({.name = names[i], .type = stab_type(Stab::object), .section = 0});
      image.symbols.push_back({.name = "_kept", .type = stab_type(Stab::function), .value = address});
      image.symbols.push_back({.name = "", .type = stab_type(Stab::function), .value = 0x20});
      objects.push_back(assemble(object_file(i % 2 == 0)));
    }
    file = assemble(image);
    for (std::size_t i = 0; i < count; ++i)
      companions.push_back({{.kind = NeedFile::Kind::debug_map, .path = names[i]}, objects[i]});
  }
  /// Sets the highest byte of the length of the object's unit.
  void lengthen_unit(std::size_t object, std::byte value) {
    constexpr std::size_t kLength = 4, kHeader = 12;
    const std::size_t name = as_text(objects[object]).find("tiny.c");
    objects[object][name - kHeader + kLength - 1] = value;
  }

  std::vector<std::string> names;
  std::vector<std::vector<std::byte>> objects;
  std::vector<std::byte> file;
  std::vector<Companion> companions;
};

Read<std::vector<std::byte>> symcache_of(const ManyObjects& map, unsigned threads) {
  symcache::Writer writer;
  const auto done = translate_macho({.file = map.file, .companions = map.companions, .threads = threads}, writer);
  if (!done) return std::unexpected(done.error());
  return std::move(writer).finish();
}

TEST(DebugMap, SameBytesFromAnyNumberOfThreads) {
  const ManyObjects map(200);
  const auto want = symcache_of(map, 1);
  ASSERT_TRUE(want) << to_string(want.error());
  EXPECT_EQ(functions_of(map.file, map.companions).size(), 600u) << "a function, its public symbol, what is behind it";
  for (const unsigned threads : {2u, 4u, 64u}) EXPECT_TRUE(symcache_of(map, threads) == *want) << threads;
}

TEST(DebugMap, TheErrorOfTheFirstDamagedObject) {
  ManyObjects map(40);
  map.lengthen_unit(17, std::byte{0xEE});
  map.lengthen_unit(30, std::byte{0xDD});
  const auto want = symcache_of(map, 1);
  ASSERT_FALSE(want);
  for (const unsigned threads : {2u, 8u}) {
    const auto got = symcache_of(map, threads);
    ASSERT_FALSE(got) << threads;
    EXPECT_EQ(to_string(got.error()), to_string(want.error())) << threads;
  }
}

}  // namespace
}  // namespace symcached::object
