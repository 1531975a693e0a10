#include "traces/local/geometry.hpp"

#include <gtest/gtest.h>

#include "formats/elf/reader.hpp"
#include "testing/elf/image.hpp"

namespace symcached::traces {
namespace {

/// Data at 0x200000 and 16 bytes of code behind it, 0x1000 further on in memory than in the file.
std::vector<std::byte> program(elf::FileType type) {
  testkit::ElfImage image{.type = type};
  image.sections = {
      {.name = ".rodata", .flags = elf::kFlagAlloc, .address = 0x200000, .data = std::vector<std::byte>(32)},
      {.name = ".text",
       .flags = elf::kFlagAlloc | elf::kFlagExecInstr,
       .address = 0x201020,
       .data = std::vector<std::byte>(16)}};
  image.segments = {{.address = 0x200000, .memory_size = 32, .section = 1},
                    {.flags = elf::kSegmentExecutable, .address = 0x201020, .memory_size = 16, .section = 2}};
  return testkit::assemble(image);
}

TEST(Geometry, EachKindOfNumber) {
  const auto file = program(elf::FileType::shared);
  const auto opened = elf::File::open(file);
  const std::uint64_t code = opened->section(".text")->offset;
  const Geometry geometry = Geometry::of(file);
  struct Row {
    NumberKind kind;
    std::uint64_t value;
    std::optional<std::uint64_t> rva;
  };
  const Row rows[] = {
      {NumberKind::link, 0x201024, 0x1024},
      {NumberKind::link, 0x1fffff, {}},
      {NumberKind::image, 0x1024, 0x1024},
      {NumberKind::image, ~std::uint64_t{0}, {}},
      {NumberKind::file, code + 4, 0x1024},
      {NumberKind::file, code + 16, {}},
      {NumberKind::file, 0, {}},
      {NumberKind::runtime, 0x201024, {}},
  };
  for (const Row& r : rows) {
    const auto rva = geometry.rva_of(r.kind, r.value);
    EXPECT_EQ(rva.has_value(), r.rva.has_value()) << letter_of(r.kind) << r.value;
    EXPECT_EQ(rva.value_or(model::Rva{}).value, r.rva.value_or(0)) << letter_of(r.kind) << r.value;
  }
  EXPECT_EQ(geometry.link_of({0x1024}), 0x201024u);
  EXPECT_TRUE(geometry.is_code(0x20102f));
  EXPECT_FALSE(geometry.is_code(0x201030));
  EXPECT_FALSE(geometry.is_code(0x200000));
  EXPECT_FALSE(geometry.is_fixed());
  EXPECT_TRUE(Geometry::of(program(elf::FileType::executable)).is_fixed());
}

TEST(Geometry, OfWhatHasNone) {
  const Geometry geometry = Geometry::of({});
  EXPECT_EQ(geometry.rva_of(NumberKind::image, 5)->value, 5u);
  EXPECT_FALSE(geometry.rva_of(NumberKind::file, 5));
  EXPECT_FALSE(geometry.is_fixed());
}

}  // namespace
}  // namespace symcached::traces
