#include "formats/pdb/types.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/pdb/codeview_records.hpp"
#include "testing/pdb/msf_file.hpp"

namespace symcached::pdb {
namespace {

using testkit::MsfLayout;
using testkit::Section;
using testkit::TypeRecords;

/// Stream 0 types, 1 items, 2 their samples.
struct Tables {
  Tables(const TypeRecords& types, const TypeRecords& items, const Section& samples = {}, const MsfLayout& layout = {})
      : bytes(testkit::msf_file(
            std::vector{types.finish(), items.finish(2, static_cast<std::uint32_t>(samples.size())), samples.finish()},
            layout)),
        msf(*Msf::open(bytes)) {}
  std::string name_of(TypeIndex id) const {
    auto types = TypeStream::open(msf, 0);
    auto items = TypeStream::open(msf, 1);
    if (!types || !items) return std::string((types ? items : types).error().field);
    TypeScratch scratch;
    std::string name;
    const auto ok = append_inlinee_name(*items, *types, id, scratch, name);
    return ok ? name : std::string(ok.error().field);
  }
  std::vector<std::byte> bytes;
  Msf msf;
};

TEST(InlineeNames, ScopeAndName) {
  TypeRecords types, items;
  types.structure("n::S").structure("n::C<int>", Section().u16(0x8004).u32(70000), Leaf::class_);
  types.record(Leaf::union_, Section().zeros(8).u16(0x8002).u16(9).c_string("U"));
  types.record(Leaf::enum_, Section().zeros(12).c_string("E"))
      .structure("I", Section().u16(0x800a).u64(1), Leaf::interface);
  types.record(Leaf{0x1001}, Section().zeros(8)).structure("odd", Section().u16(0x8005));
  items.string_id("a::b").func_id(0x1000, "f").func_id(0, "g").member_id(0x1000, "m").member_id(0x1001, "{ctor}");
  items.member_id(0x1002, "u").member_id(0x1003, "e").member_id(0x1004, "i").member_id(0x1005, "t");
  items.member_id(0x1006, "o").member_id(0x2000, "far").func_id(0x1001, "h").func_id(5, "low");
  items.record(Leaf::func_id, Section().u32(0).u32(0).text("long")).record(Leaf::func_id, Section().u32(0));
  struct Row {
    std::string_view why;
    TypeIndex id;
    std::string_view want;
  };
  const Row rows[] = {
      {"no function", 0x1000, ""},
      {"in a namespace", 0x1001, "a::b::f"},
      {"in none", 0x1002, "g"},
      {"of a structure", 0x1003, "n::S::m"},
      {"of a class with a large size", 0x1004, "n::C<int>::{ctor}"},
      {"of a union", 0x1005, "U::u"},
      {"of an enum", 0x1006, "E::e"},
      {"of an interface", 0x1007, "I::i"},
      {"of a type without a name", 0x1008, "t"},
      {"a size of no known form", 0x1009, "pdb.type.number"},
      {"of a type that is not there", 0x100A, "far"},
      {"in a scope that is a function", 0x100B, "h"},
      {"in a scope below the first item", 0x100C, "low"},
      {"a name without end", 0x100D, "pdb.item.function.name"},
      {"cut short", 0x100E, "pdb.item.function"},
      {"not there", 0x100F, ""},
      {"below the first", 0xFFF, ""},
  };
  const Tables tables(types, items);
  for (const Row& r : rows) EXPECT_EQ(tables.name_of(r.id), r.want) << r.why;
}

TEST(TypeStream, SampledIndexPresentAbsentOrWrong) {
  constexpr std::uint32_t kCount = 3000;  // several blocks and several of our own samples
  TypeRecords items;
  for (std::uint32_t i = 0; i < kCount; ++i) items.func_id(0, fmt::format("function{}", i));
  const auto sample = [&](std::uint32_t index) { return Section().u32(index).u32(items.start_of(index)).finish(); };
  struct Row {
    std::string_view why;
    Section samples;
  };
  const Row rows[] = {
      {"none", {}},
      {"right", Section().bytes(sample(0x1000)).bytes(sample(0x1100)).bytes(sample(0x1800))},
      {"the first is missing", Section().bytes(sample(0x1100))},
      {"not rising", Section().bytes(sample(0x1000)).bytes(sample(0x1200)).bytes(sample(0x1100))},
      {"past the records", Section().bytes(sample(0x1000)).u32(0x1100).u32(0x7FFFFFFF)},
      {"past the last index", Section().bytes(sample(0x1000)).u32(0x1000 + kCount).u32(20)},
  };
  for (const Row& r : rows)
    for (const bool scattered : {false, true}) {
      const Tables tables({}, items, r.samples, {.scattered = scattered});
      for (const std::uint32_t i : {0u, 1u, 63u, 64u, 255u, 256u, 257u, 2047u, 2048u, kCount - 1})
        EXPECT_EQ(tables.name_of(0x1000 + i), fmt::format("function{}", i)) << r.why;
      EXPECT_EQ(tables.name_of(0x1000 + kCount), "") << r.why;
    }
}

TEST(TypeStream, NamesTheFieldThatIsWrong) {
  struct Row {
    std::string_view why;
    std::size_t at;
    std::uint32_t value;
    std::string_view want;
  };
  const Row rows[] = {
      {"another version", 0, 1, "pdb.types.version"},
      {"a header past the stream", 4, 9999, "pdb.types.record_bytes"},
      {"an end before the first", 12, 0, "pdb.types.end"},
      {"more records than bytes", 12, 0x1100, "pdb.types.end"},
      {"an index without end", 12, 0xFFFFFFFF, "pdb.types.end"},
      {"records past the stream", 16, 9999, "pdb.types.record_bytes"},
      {"a record past the records", 56, 0x7FFF, "pdb.type.length"},
  };
  for (const Row& r : rows) {
    auto types = TypeRecords().structure("S").structure("T").finish();
    testkit::patch(types, r.at, u32le(r.value));
    const auto bytes = testkit::msf_file(std::vector<std::vector<std::byte>>{types});
    const auto msf = Msf::open(bytes);
    const auto opened = TypeStream::open(*msf, 0);
    EXPECT_EQ(opened ? "" : opened.error().field, r.want) << r.why;
  }
  const auto none = testkit::msf_file(std::vector<std::vector<std::byte>>(1));
  const auto msf = Msf::open(none);
  EXPECT_EQ(TypeStream::open(*msf, 0)->count(), 0u) << "an empty stream is an empty table";
  EXPECT_EQ(TypeStream::open(*msf, 9)->count(), 0u) << "as is one that is not there";
}

}  // namespace
}  // namespace symcached::pdb
