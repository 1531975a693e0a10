/// Headers of line number tables: parameters, directories, files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "formats/dwarf/line.hpp"
#include "testing/dwarf/line.hpp"

namespace symcached::dwarf {
namespace {

using testkit::assemble;
using testkit::described_tables;
using testkit::DwarfBytes;
using testkit::Exact;
using testkit::LineTableSpec;
using testkit::plain_tables;
using testkit::rich_program;

std::string names_of(const LineHeader& header) {
  std::string out;
  for (const std::string_view directory : header.directories) out += fmt::format("[{}]", directory);
  for (const LineFile& file : header.files) out += fmt::format(" {}:{}", file.directory, file.name);
  return out;
}

/// The names, or the field that failed.
std::string names_of(const Sections& sections, std::uint64_t str_offsets_base = 0) {
  LineHeader header;
  const auto read = read_line_header(sections, 0, header, str_offsets_base);
  return read ? names_of(header) : std::string(read.error().field);
}

std::vector<LineTableSpec> every_kind() {
  std::vector<LineTableSpec> all;
  for (std::uint16_t version = 2; version <= 5; ++version)
    for (const bool big : {false, true})
      for (std::uint8_t offset_size = 4; offset_size <= 8; offset_size += 4) {
        auto tables = version >= 5 ? described_tables(big) : plain_tables();
        all.push_back({.version = version, .big = big, .offset_size = offset_size, .tables = std::move(tables)});
      }
  return all;
}

TEST(DwarfLineHeader, ReadsEveryVersion) {
  for (LineTableSpec spec : every_kind()) {
    SCOPED_TRACE(fmt::format("version {} big {} offset {}", spec.version, spec.big, spec.offset_size));
    spec.address_size = 4;
    spec.minimum_instruction_length = 2;
    spec.maximum_operations = 3;
    spec.default_is_stmt = false;
    spec.line_base = -3;
    spec.line_range = 12;
    spec.lengths = {0, 1, 1, 1, 1, 0, 0, 0, 1};
    spec.program = rich_program(spec.big);
    auto bytes = assemble(spec);
    const std::size_t size = bytes.size();
    bytes.insert(bytes.begin(), 3, std::byte{0xEE});
    bytes.insert(bytes.end(), 3, std::byte{0xEE});
    LineHeader header;
    const auto read = read_line_header({.line = bytes, .big_endian = spec.big}, 3, header);
    ASSERT_TRUE(read) << to_string(read.error());
    EXPECT_EQ(header.version, spec.version);
    EXPECT_EQ(header.offset_size, spec.offset_size);
    EXPECT_EQ(header.address_size, spec.version >= 5 ? 4 : 0);
    EXPECT_EQ(header.minimum_instruction_length, 2);
    EXPECT_EQ(header.maximum_operations, spec.version >= 4 ? 3 : 1);
    EXPECT_FALSE(header.default_is_stmt);
    EXPECT_EQ(header.line_base, -3);
    EXPECT_EQ(header.line_range, 12);
    EXPECT_EQ(header.opcode_base, 10);
    EXPECT_EQ(header.standard_opcode_lengths.size(), 9u);
    EXPECT_EQ(header.standard_opcode_lengths[8], std::byte{1});
    EXPECT_EQ(header.next, 3 + size);
    EXPECT_EQ(header.program_offset, 3 + size - spec.program.size());
    EXPECT_EQ(as_text(header.program), as_text(spec.program));
    EXPECT_EQ(names_of(header),
              spec.version >= 5 ? "[/src][include][/usr] 0:a.c 0:a.c 2:b.h" : "[][include][/usr] 0: 0:a.c 2:b.h");
  }
}

TEST(DwarfLineHeader, ForgetsTheTableBefore) {
  const auto first = assemble({.big = true, .tables = described_tables(true), .program = rich_program()});
  const auto second = assemble({.version = 3, .program = {}});
  LineHeader header;
  ASSERT_TRUE(read_line_header({.line = first, .big_endian = true}, 0, header));
  ASSERT_TRUE(read_line_header({.line = second}, 0, header));
  EXPECT_EQ(names_of(header), "[] 0:");
  EXPECT_EQ(header.address_size, 0);
  EXPECT_TRUE(header.program.empty());
  EXPECT_FALSE(read_line_header({.line = second}, second.size() + 1, header));
  EXPECT_EQ(header.next, 0u);
  EXPECT_EQ(names_of(header), "");
}

TEST(DwarfLineHeader, TablesThatTheHeaderEndsAreWhole) {
  struct Row {
    std::string_view why;
    DwarfBytes tables;
    std::string_view want;
  };
  const Row rows[] = {
      {"no files", DwarfBytes().c_string("d").c_string(""), "[][d] 0:"},
      {"not even the end of the directories", DwarfBytes().c_string("d"), "[][d] 0:"},
      {"no end of the files", DwarfBytes().c_string("").c_string("f").uleb(1).uleb(2).uleb(3), "[] 0: 1:f"},
      {"a directory of more than 32 bits", DwarfBytes().c_string("").c_string("f").uleb(1ULL << 32).uleb(2).uleb(3),
       "[] 0: 4294967295:f"},
      {"bytes after the tables", DwarfBytes().u16(0).u32(0x01010101), "[] 0:"},
      {"a cut directory", DwarfBytes().u8('d'), "dwarf.line.file_names"},
      {"a cut file", DwarfBytes().c_string("").c_string("f").uleb(1).uleb(2), "dwarf.line.file_names"},
  };
  for (const Row& r : rows) {
    const auto bytes = assemble({.version = 4, .tables = r.tables.finish()});
    EXPECT_EQ(names_of({.line = bytes}), r.want) << r.why;
  }
}

/// One directory "d", then files of a name in `form` and a directory in data1.
std::vector<std::byte> one_file(std::uint64_t form, const DwarfBytes& name, LineTableSpec spec = {}) {
  DwarfBytes out(spec.big);
  out.u8(1).uleb(DW_LNCT_path).uleb(0x08).uleb(1).c_string("d");
  out.u8(2).uleb(DW_LNCT_path).uleb(form).uleb(DW_LNCT_directory_index).uleb(0x0B).uleb(1).bytes(name.finish()).u8(9);
  spec.tables = out.finish();
  return assemble(spec);
}

TEST(DwarfLineHeader, FindsNamesInOtherSections) {
  struct Row {
    std::string_view why;
    std::uint64_t form;
    DwarfBytes name;
    std::string_view want;
  };
  const Row rows[] = {
      {"string", 0x08, DwarfBytes().c_string("f"), "9:f"},
      {"line_strp", 0x1F, DwarfBytes().u32(2), "9:ne"},
      {"line_strp in a text", 0x1F, DwarfBytes().u32(3), "9:e"},
      {"line_strp past the end", 0x1F, DwarfBytes().u32(5), "9:"},
      {"line_strp far past the end", 0x1F, DwarfBytes().u32(0xFFFFFFFF), "9:"},
      {"strp", 0x0E, DwarfBytes().u32(3), "9:cd"},
      {"strp without a NUL byte", 0x0E, DwarfBytes().u32(6), "9:"},
      {"strx", 0x1A, DwarfBytes().uleb(1), "9:cd"},
      {"strx1", 0x25, DwarfBytes().u8(0), "9:ab"},
      {"strx2", 0x26, DwarfBytes().u16(1), "9:cd"},
      {"strx3", 0x27, DwarfBytes().u8(1).u16(0), "9:cd"},
      {"strx4", 0x28, DwarfBytes().u32(1), "9:cd"},
      {"strx past the end", 0x1A, DwarfBytes().uleb(2), "9:"},
      {"strx far past the end", 0x1A, DwarfBytes().uleb(~std::uint64_t{0}), "9:"},
      {"in a supplementary file", 0x1D, DwarfBytes().u32(1), "9:"},
      {"the same as GNU wrote it first", 0x1F21, DwarfBytes().u32(1), "9:"},
  };
  const Exact line_str(as_bytes(std::string_view("l\0ne\0", 5)));
  const auto offsets = testkit::Section().u32(8).u32(0).u32(3).finish();
  const Exact str(as_bytes(std::string_view("ab\0cd\0xyz", 9)));
  for (const Row& r : rows) {
    const Exact bytes(one_file(r.form, r.name));
    const Sections sections{
        .line = bytes.bytes(), .str = str.bytes(), .line_str = line_str.bytes(), .str_offsets = offsets};
    EXPECT_EQ(names_of(sections, 4), "[d] " + std::string(r.want)) << r.why;
  }
  const auto wide = testkit::Section().u64_big(3).finish();
  const auto bytes = one_file(0x1A, DwarfBytes().uleb(0), {.big = true, .offset_size = 8});
  EXPECT_EQ(names_of({.line = bytes, .str = str.bytes(), .str_offsets = wide, .big_endian = true}), "[d] 9:cd");
  const auto far = one_file(0x1A, DwarfBytes().uleb(0));
  EXPECT_EQ(names_of({.line = far, .str = str.bytes(), .str_offsets = offsets}, 13), "[d] 9:") << "base past the end";
}

TEST(DwarfLineHeader, SkipsFieldsByTheirForm) {
  struct Row {
    std::uint64_t form;
    DwarfBytes field;
  };
  const Row rows[] = {
      {0x03, DwarfBytes().u16(3).u16(1).u8(1)},  // block2
      {0x04, DwarfBytes().u32(1).u8(1)},         // block4
      {0x05, DwarfBytes().u16(1)},               // data2
      {0x06, DwarfBytes().u32(1)},               // data4
      {0x07, DwarfBytes().u64(1)},               // data8
      {0x08, DwarfBytes().c_string("text")},     // string
      {0x09, DwarfBytes().uleb(2).u16(1)},       // block
      {0x0A, DwarfBytes().u8(2).u16(1)},         // block1
      {0x0B, DwarfBytes().u8(1)},                // data1
      {0x0C, DwarfBytes().u8(1)},                // flag
      {0x0D, DwarfBytes().sleb(-300)},           // sdata
      {0x0F, DwarfBytes().uleb(300)},            // udata
      {0x17, DwarfBytes().u32(1)},               // sec_offset
      {0x1E, DwarfBytes().u64(1).u64(1)},        // data16
      {0x25, DwarfBytes().u8(1)},                // strx1
      {0x27, DwarfBytes().u16(1).u8(1)},         // strx3
  };
  const std::uint64_t contents[] = {DW_LNCT_timestamp, DW_LNCT_size, 0x2001, 1ULL << 40};
  for (const std::uint64_t content : contents)
    for (const Row& r : rows) {
      DwarfBytes out;
      out.u8(0).uleb(0).u8(2).uleb(content).uleb(r.form).uleb(DW_LNCT_path).uleb(0x08).uleb(2);
      out.bytes(r.field.finish()).c_string("f").bytes(r.field.finish()).c_string("g");
      const Exact bytes(assemble({.tables = out.finish()}));
      EXPECT_EQ(names_of({.line = bytes.bytes()}), " 0:f 0:g") << r.form;
    }
}

TEST(DwarfLineHeader, ReadsDirectoryNumbersOfEverySize) {
  struct Row {
    std::uint64_t form;
    DwarfBytes field;
    std::string_view want;
  };
  const Row rows[] = {
      {0x0B, DwarfBytes().u8(7), " 7:f"},
      {0x05, DwarfBytes().u16(0x700), " 1792:f"},
      {0x06, DwarfBytes().u32(7), " 7:f"},
      {0x07, DwarfBytes().u64(1ULL << 32), " 4294967295:f"},
      {0x0F, DwarfBytes().uleb(700), " 700:f"},
      {0x0A, DwarfBytes().u8(1).u8(7), " 0:f"},  // a form that numbers do not have
  };
  for (const Row& r : rows) {
    DwarfBytes out;
    out.u8(0).uleb(0).u8(2).uleb(DW_LNCT_directory_index).uleb(r.form).uleb(DW_LNCT_path).uleb(0x08).uleb(1);
    const auto bytes = assemble({.tables = out.bytes(r.field.finish()).c_string("f").finish()});
    EXPECT_EQ(names_of({.line = bytes}), r.want) << r.form;
  }
}

TEST(DwarfLineHeader, RefusesCountsThatTheBytesCannotHold) {
  struct Row {
    std::string_view why;
    DwarfBytes tables;
    std::string_view want;
  };
  const Row rows[] = {
      {"directories of no fields", DwarfBytes().u8(0).uleb(1).u8(0).uleb(0), "dwarf.line.directories"},
      {"files of no fields", DwarfBytes().u8(0).uleb(0).u8(0).uleb(~std::uint64_t{0}), "dwarf.line.file_names"},
      {"more files than bytes", DwarfBytes().u8(0).uleb(0).u8(1).uleb(1).uleb(8).uleb(4).u16(0).u8(0),
       "dwarf.line.file_names"},
      {"a form of no width", DwarfBytes().u8(0).uleb(0).u8(1).uleb(9).uleb(0x19).uleb(1).u8(0),
       "dwarf.line.file_names"},
      {"a form we do not know", DwarfBytes().u8(1).uleb(1).uleb(0x21).uleb(1).u8(0), "dwarf.line.directories"},
      {"a form of 17 bits", DwarfBytes().u8(1).uleb(1).uleb(0x10008).uleb(1).u8(0), "dwarf.line.directories"},
      {"a cut format", DwarfBytes().u8(2).uleb(1).uleb(8), "dwarf.line.directories"},
      {"nothing after the directories", DwarfBytes().u8(0).uleb(0), "dwarf.line.file_names"},
      {"a block past the end", DwarfBytes().u8(1).uleb(9).uleb(0x04).uleb(1).u32(0xFFFFFFFF), "dwarf.line.directories"},
  };
  for (const Row& r : rows) {
    const Exact bytes(assemble({.tables = r.tables.finish()}));
    EXPECT_EQ(names_of({.line = bytes.bytes()}), r.want) << r.why;
  }
}

TEST(DwarfLineHeader, LimitsTheTextItLooksThrough) {
  std::string text(kMaxLineNameSize + 1, 'x');
  text.push_back('\0');
  const auto name = [&](std::uint32_t offset) {
    const auto bytes = one_file(0x1F, DwarfBytes().u32(offset));
    LineHeader header;
    EXPECT_TRUE(read_line_header({.line = bytes, .line_str = as_bytes(text)}, 0, header));
    return header.files.at(0).name.size();
  };
  EXPECT_EQ(name(0), 0u) << "a byte too long";
  EXPECT_EQ(name(1), kMaxLineNameSize);

  DwarfBytes tables;
  tables.u8(0).uleb(0).u8(1).uleb(DW_LNCT_path).uleb(0x1F).uleb(1000);
  for (int i = 0; i < 1000; ++i) tables.u32(1);
  const auto bytes = assemble({.tables = tables.finish()});
  LineHeader header;
  ASSERT_TRUE(read_line_header({.line = bytes, .line_str = as_bytes(text)}, 0, header));
  std::size_t sum = 0;
  for (const LineFile& file : header.files) sum += file.name.size();
  EXPECT_GE(sum, 125 * kMaxLineNameSize) << "256 bytes for each of the header's 4000 and more";
  EXPECT_LE(sum, 130 * kMaxLineNameSize);
}

TEST(DwarfLineHeader, RefusesWhatItCannotRead) {
  struct Row {
    std::string_view why;
    std::size_t at;  ///< of a 16-bit number in a version 4 table
    std::uint16_t value;
    std::string_view want;
  };
  const Row rows[] = {
      {"version 1", 4, 1, "dwarf.line.version"},
      {"version 6", 4, 6, "dwarf.line.version"},
      {"more bytes than there are", 0, 0xFFFF, "dwarf.line.unit_length"},
      {"a length without room for a version", 0, 1, "dwarf.line.version"},
      {"a length without room for a header's length", 0, 5, "dwarf.line.header_length"},
      {"a header past the table", 6, 0xFFF, "dwarf.line.header_length"},
      {"a header without room for its parameters", 6, 7, "dwarf.line.standard_opcode_lengths"},
      {"a header that ends in the files", 6, 40, "dwarf.line.file_names"},
      {"a header that ends in the lengths", 6, 10, "dwarf.line.standard_opcode_lengths"},
      {"an opcode base of 0", 15, 0, "dwarf.line.opcode_base"},
  };
  for (const Row& r : rows) {
    auto bytes = assemble({.version = 4, .tables = plain_tables(), .program = rich_program()});
    testkit::patch(bytes, r.at, u16le(r.value));
    EXPECT_EQ(names_of({.line = bytes}), r.want) << r.why;
  }
  const auto reserved = testkit::Section().u32(0xFFFFFFF0).zeros(64).finish();
  EXPECT_EQ(names_of({.line = reserved}), "dwarf.line.unit_length");
}

TEST(DwarfLineHeader, SaysWhereTheNextTableIsWhenItRefusesOne) {
  auto bytes = assemble({.version = 4});
  const std::size_t size = bytes.size();
  testkit::patch(bytes, 4, u16le(9));
  LineHeader header;
  EXPECT_FALSE(read_line_header({.line = bytes}, 0, header));
  EXPECT_EQ(header.next, size);
}

TEST(DwarfLineHeader, EveryCutIsRefused) {
  for (const LineTableSpec& spec : every_kind()) {
    const auto whole = assemble(spec);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const Exact cut{Bytes(whole).first(n)};
      LineHeader header;
      EXPECT_FALSE(read_line_header({.line = cut.bytes(), .big_endian = spec.big}, 0, header)) << n;
      EXPECT_EQ(header.next, 0u) << n;
    }
  }
}

}  // namespace
}  // namespace symcached::dwarf
