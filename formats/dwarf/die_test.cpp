/// Entries: each form read as what it is, and stepped over in the same number of bytes.
#include "formats/dwarf/die.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/dwarf/unit.hpp"
#include "testing/dwarf/image.hpp"

namespace symcached::dwarf {
namespace {

using testkit::Attribute;
using testkit::data;
using testkit::DwarfImage;
using testkit::entry;
using testkit::Exact;
using testkit::indirect;
using testkit::string;

constexpr std::uint8_t kOffsetSizes[] = {4, 8}, kAddressSizes[] = {2, 4, 8};
constexpr std::uint64_t kWide = 0x8877665544332211;

/// What is left of a number in so many bytes.
std::uint64_t cut(std::uint64_t value, unsigned bytes) {
  return bytes >= 8 ? value : value & ((std::uint64_t{1} << 8 * bytes) - 1);
}

struct Row {
  Attribute attribute;
  std::uint64_t want;
};

std::vector<Row> every_form(const DwarfImage::Format& format) {
  const auto block = [](Form form, std::size_t size) {
    return Row{{.at = At::name, .form = form, .text = std::string(size, 'x')}, 0};
  };
  std::vector<Row> rows = {
      {string(At::name, "abc"), 3},
      {string(At::name, ""), 0},
      {data(At::name, 0, Form::flag_present), 1},
      {data(At::name, static_cast<std::uint64_t>(-77), Form::sdata), static_cast<std::uint64_t>(-77)},
      {data(At::name, static_cast<std::uint64_t>(-300), Form::implicit_const), static_cast<std::uint64_t>(-300)},
      {data(At::name, 7, Form::data16), 0},
      {data(At::name, 5 | 0x77ull << 32, Form::llvm_addrx_offset), 5 | 0x77ull << 32},
      block(Form::block1, 0),
      block(Form::block1, 255),
      block(Form::block2, 300),
      block(Form::block4, 300),
      block(Form::block, 200),
      block(Form::exprloc, 1),
  };
  for (const Form form : {Form::udata, Form::ref_udata, Form::strx, Form::addrx, Form::loclistx, Form::rnglistx,
                          Form::gnu_addr_index, Form::gnu_str_index})
    rows.push_back({data(At::name, kWide, form), kWide});
  const Encoding encoding{format.version, format.address_size, format.offset_size};
  for (std::uint16_t form = 1; form <= 0x1f21; ++form)
    if (const int size = is_known(Form{form}) ? fixed_size_of(Form{form}, encoding) : -1; size > 0 && size <= 8)
      rows.push_back({data(At::name, kWide, Form{form}), cut(kWide, static_cast<unsigned>(size))});
  const std::size_t plain = rows.size();
  for (std::size_t i = 0; i < plain; ++i)
    if (rows[i].attribute.form != Form::implicit_const) rows.push_back({indirect(rows[i].attribute), rows[i].want});
  return rows;
}

/// The root's attributes are a name of the form in question and a language behind it.
template <bool Big>
void check(const DwarfImage::Format& format, const Row& row) {
  DwarfImage image(format);
  image.unit(entry(Tag::compile_unit, {row.attribute, data(At::language, 0x1234, Form::data2)}));
  const auto done = image.finish();
  const auto headers = read_unit_headers(done.info, Big);
  ASSERT_TRUE(headers);
  const UnitHeader& header = headers->at(0);
  const auto table = AbbrevTable::read(done.abbrev, 0, header.encoding);
  ASSERT_TRUE(table);
  const Exact info(done.info);
  Cursor<Big> in(info.bytes(), header.entries);
  const Abbrev& abbrev = *table->find(in.uleb());
  Cursor<Big> over = in;
  Values values;
  read_values(in, *table, abbrev, header.encoding, values);
  EXPECT_TRUE(in.at_end() && !in.failed());
  EXPECT_EQ(values.number(Slot::language), 0x1234u);
  EXPECT_EQ(values.number(Slot::name), row.want);
  const bool is_indirect = row.attribute.form == Form::indirect;
  EXPECT_EQ(values.find(Slot::name)->form, is_indirect ? row.attribute.inner : row.attribute.form);
  skip_values(over, *table, abbrev, header.encoding);
  EXPECT_TRUE(over.at_end() && !over.failed());
  for (std::uint64_t n = header.entries; n < done.info.size(); ++n) {  // every cut fails
    const Exact part(Bytes(done.info).first(n));
    Cursor<Big> cut_in(part.bytes(), header.entries), cut_over = cut_in;
    cut_in.uleb();
    cut_over.uleb();
    read_values(cut_in, *table, abbrev, header.encoding, values);
    skip_values(cut_over, *table, abbrev, header.encoding);
    EXPECT_TRUE(cut_in.failed() && cut_over.failed()) << n;
  }
}

TEST(DwarfDie, EveryFormInEveryEncoding) {
  for (std::uint16_t version = 2; version <= 5; ++version)
    for (const bool big : {false, true})
      for (const auto offset_size : kOffsetSizes)
        for (const auto address_size : kAddressSizes) {
          const DwarfImage::Format format{version, big, offset_size, address_size};
          for (const Row& row : every_form(format)) {
            SCOPED_TRACE(fmt::format("version {} big {} offset {} address {} form {:x} in {:x}", version, big,
                                     offset_size, address_size, static_cast<int>(row.attribute.form),
                                     static_cast<int>(row.attribute.inner)));
            big ? check<true>(format, row) : check<false>(format, row);
          }
        }
}

TEST(DwarfDie, FormsThatCannotStandInAnEntry) {
  for (const std::uint16_t form : std::initializer_list<std::uint16_t>{0, 2, 0x16, 0x21, 0x2d, 0x1f03}) {
    DwarfImage image;
    Attribute attribute = indirect(data(At::name, 1, Form::data8));
    attribute.inner = Form{form};
    image.unit(entry(Tag::compile_unit, {attribute}));
    const auto done = image.finish();
    const auto headers = read_unit_headers(done.info, false);
    ASSERT_TRUE(headers);
    const auto table = AbbrevTable::read(done.abbrev, 0, headers->at(0).encoding);
    ASSERT_TRUE(table);
    LittleCursor in(done.info, headers->at(0).entries + 1), over = in;
    Values values;
    read_values(in, *table, *table->find(1), headers->at(0).encoding, values);
    skip_values(over, *table, *table->find(1), headers->at(0).encoding);
    EXPECT_TRUE(in.failed() && over.failed()) << form;
  }
}

}  // namespace
}  // namespace symcached::dwarf
