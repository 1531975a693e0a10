#include "object/dwarf/in_elf.hpp"

#include <gtest/gtest.h>

#include "testing/elf/image.hpp"

namespace symcached::object {
namespace {

/// Sizes are stated, and cost nothing to state: they are counted before memory is taken for them.
TEST(ElfDwarf, SectionsMayNotUnpackToMoreThanAllowed) {
  const auto section = [](std::string name, std::uint64_t plain) {
    testkit::ElfBytes head(elf::Layout{});
    head.u32(1).u32(0).u64(plain).u64(1).bytes(std::vector<std::byte>(1000));  // no stream at all
    return testkit::ElfSection{.name = std::move(name), .flags = elf::kFlagCompressed, .data = head.finish()};
  };
  struct Row {
    std::string_view why;
    std::vector<testkit::ElfSection> sections;
    InflateLimits limits;
    ReadError::Kind want;
  };
  using Kind = ReadError::Kind;
  const Row rows[] = {
      {"within, and broken", {section(".debug_info", 1000)}, {}, Kind::bad_value},
      {"one byte more than is free", {section(".debug_info", (64 << 20) + 1)}, {}, Kind::unpacks_too_large},
      {"all together",
       {section(".debug_info", 40 << 20), section(".debug_str", 40 << 20)},
       {},
       Kind::unpacks_too_large},
      {"no size that wraps", {section(".debug_info", ~std::uint64_t{0})}, {}, Kind::unpacks_too_large},
      {"a sum that wraps",
       {section(".debug_info", 1000), section(".debug_str", ~std::uint64_t{0} - 100)},
       {},
       Kind::unpacks_too_large},
      {"allowed less", {section(".debug_info", 1001)}, InflateLimits::exactly(1000), Kind::unpacks_too_large},
      {"allowed more", {section(".debug_info", 1'000'000)}, InflateLimits::exactly(1'000'000), Kind::bad_value},
  };
  for (const Row& r : rows) {
    const auto bytes = assemble(testkit::ElfImage{.sections = r.sections});
    const auto dwarf = ElfDwarf::open(*elf::File::open(bytes), {.inflate = r.limits});
    ASSERT_FALSE(dwarf) << r.why;
    EXPECT_EQ(dwarf.error().kind, r.want) << r.why;
    EXPECT_EQ(dwarf.error().field, "elf.debug_section") << r.why;
  }
}

}  // namespace
}  // namespace symcached::object
