#include "formats/pe/exports.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/pe/image.hpp"

namespace symcached::pe {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::PeImage;

PeImage with_exports() {
  return {.exports = {{.name = "b", .slot = 2, .rva = 0x1010},
                      {.name = "a", .slot = 0, .rva = 0x1020},
                      {.name = "gone", .slot = 1, .forwarder = "KERNEL32.Sleep"},
                      {.name = "alias_of_b", .slot = 2, .rva = 0x1010},
                      {.slot = 5, .rva = 0x1030}}};
}

TEST(PeExports, NamesThenOrdinalsWithoutForwarders) {
  for (const bool is_64bit : {true, false}) {
    PeImage spec = with_exports();
    spec.is_64bit = is_64bit;
    const auto bytes = testkit::assemble(spec).finish();
    const auto exports = read_exports(*Image::open(bytes));
    ASSERT_TRUE(exports) << to_string(exports.error());
    EXPECT_THAT(*exports, ElementsAre(Export{"b", 9, 0x1010}, Export{"a", 7, 0x1020}, Export{"alias_of_b", 9, 0x1010},
                                      Export{"", 12, 0x1030}));
  }
}

TEST(PeExports, NoneAreNoError) {
  const auto bytes = testkit::assemble(PeImage{}).finish();
  EXPECT_THAT(*read_exports(*Image::open(bytes)), IsEmpty());
}

TEST(PeExports, WrongDirectoriesAreNamed) {
  struct Row {
    std::string_view why;
    std::size_t at;  ///< in the directory
    std::uint32_t value;
    std::string_view want;
  };
  const Row rows[] = {
      {"more addresses than ordinals", 20, 0x10001, "pe.exports.address_count"},
      {"names without end", 24, 0x7FFFFFFF, "pe.exports.name_count"},
      {"addresses in no section", 28, 0x900000, "pe.exports.addresses"},
      {"names behind the section", 32, 0x23FE, "pe.exports.names"},
      {"ordinals in no section", 36, 0xFFFFFFFF, "pe.exports.ordinals"},
      {"a name that is no index", 20, 1, "pe.export.ordinal"},
  };
  const auto out = testkit::assemble(with_exports());
  for (const Row& r : rows) {
    auto bytes = out.finish();
    testkit::patch(bytes, out.at("exports") + r.at, u32le(r.value));
    const auto exports = read_exports(*Image::open(bytes));
    ASSERT_FALSE(exports) << r.why;
    EXPECT_EQ(exports.error().field, r.want) << r.why;
  }
  auto bytes = out.finish();
  testkit::patch(bytes, out.at("names"), u32le(0xFFFFFFF0));
  EXPECT_EQ(read_exports(*Image::open(bytes)).error().field, "pe.export.name");
}

}  // namespace
}  // namespace symcached::pe
