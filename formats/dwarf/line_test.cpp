/// Programs: what rows each instruction makes. Headers are tested in line_header_test.cpp.
#include "formats/dwarf/line.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "testing/dwarf/line.hpp"
#include "testing/dwarf/line_walk.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::dwarf {
namespace {

using testkit::assemble;
using testkit::described_tables;
using testkit::DwarfBytes;
using testkit::Exact;
using testkit::LineProgram;
using testkit::LineTableSpec;
using testkit::plain_tables;
using testkit::rich_program;

/// "address line column file" of each row, "s" behind a statement, "end" for the end of a sequence, "cut" if the
/// program failed.
std::string rows_of(const LineTableSpec& spec) {
  const Exact bytes(assemble(spec));
  const Sections sections{.line = bytes.bytes(), .big_endian = spec.big};
  LineHeader header;
  if (const auto read = read_line_header(sections, 0, header); !read) return to_string(read.error());
  LineRows rows;
  const auto whole = run_line_program(header, spec.big, rows);
  std::string out;
  for (const LineRow& row : rows) {
    if (!out.empty()) out += ", ";
    if (row.end_sequence) out += fmt::format("{:x} end", row.address);
    else out += fmt::format("{:x} {} {} {}{}", row.address, row.line, row.column, row.file, row.is_stmt ? " s" : "");
  }
  return whole ? out : out + ", cut";
}

TEST(DwarfLineProgram, RunsEveryInstruction) {
  const std::string want =
      "1000 1 7 1 s, "
      "1004 2 7 1 s, "  // 0x4b: 62 above the base of 13 = 4 * 14 + 6
      "1004 4294967098 7 2 s, "
      "1005 4294967098 7 2, "  // 0x20: 19 = 1 * 14 + 5
      "1027 4294967097 7 2, "  // const_add_pc and 0xff: 242 = 17 * 14 + 4
      "1153 4294967097 7 2, "
      "2387 301 7 2, 2389 end, "
      "800 1 0 3 s, 801 end";
  for (const std::uint16_t version : std::vector<std::uint16_t>{2, 3, 4, 5})
    for (const bool big : {false, true})
      for (const std::uint8_t offset_size : std::vector<std::uint8_t>{4, 8})
        EXPECT_EQ(rows_of({.version = version, .big = big, .offset_size = offset_size, .program = rich_program(big)}),
                  want)
            << version << big << int{offset_size};
}

TEST(DwarfLineProgram, MakesTheseRows) {
  struct Row {
    std::string_view why;
    LineProgram program;
    std::string_view want;
  };
  const Row rows[] = {
      {"nothing", LineProgram(), ""},
      {"a sequence without rows", LineProgram().address(0x10).end_sequence(), "10 end"},
      {"rows at one address are all kept", LineProgram().address(0x10).copy().copy().pc(1).end_sequence(),
       "10 1 0 1 s, 10 1 0 1 s, 11 end"},
      {"the registers are reset after a sequence",
       LineProgram()
           .address(0x10)
           .file(4)
           .line(5)
           .column(6)
           .op(DW_LNS_negate_stmt)
           .copy()
           .end_sequence()
           .copy()
           .pc(1)
           .end_sequence(),
       "10 6 6 4, 10 end, 0 1 0 1 s, 1 end"},
      {"a sequence nobody ended", LineProgram().address(0x10).copy().pc(4).copy().pc(4),
       "10 1 0 1 s, 14 1 0 1 s, 14 end"},
      {"the address goes down: a sequence of its own",
       LineProgram().address(0x10).copy().pc(4).copy().address(2).line(1).copy().pc(4).end_sequence(),
       "10 1 0 1 s, 14 1 0 1 s, 14 end, 2 2 0 1 s, 6 end"},
      {"the end goes down",
       LineProgram().address(0x10).copy().address(2).end_sequence().address(1).copy().end_sequence(),
       "10 1 0 1 s, 10 end, 1 1 0 1 s, 1 end"},
      {"advance_pc wraps around", LineProgram().address(0x10).copy().pc(~std::uint64_t{0}).copy().end_sequence(),
       "10 1 0 1 s, 10 end, f 1 0 1 s, f end"},
      {"the address may move down before the first row", LineProgram().address(0x10).address(2).copy().end_sequence(),
       "2 1 0 1 s, 2 end"},
      {"an address of two bytes", LineProgram().address(0x1234, 2).copy().end_sequence(), "1234 1 0 1 s, 1234 end"},
      {"an address of one byte", LineProgram().address(0x12, 1).copy().end_sequence(), "12 1 0 1 s, 12 end"},
      {"an address of no size we know", LineProgram().address(1).copy().address(0, 5).copy(), "1 1 0 1 s, 1 end, cut"},
      {"an address of no bytes", LineProgram().address(1).copy().address(0, 0).copy(), "1 1 0 1 s, 1 end, cut"},
      {"empty extended instructions are padding", LineProgram().bytes({0, 0, 0, 0}).copy().end_sequence().bytes({0, 0}),
       "0 1 0 1 s, 0 end"},
      {"what is known of an extended instruction may be less than its length",
       LineProgram().copy().extended(DW_LNE_end_sequence, DwarfBytes().u32(0x01010101)).copy().end_sequence(),
       "0 1 0 1 s, 0 end, 0 1 0 1 s, 0 end"},
      {"an extended instruction past the end", LineProgram().copy().bytes({0, 5, 1}), "0 1 0 1 s, 0 end, cut"},
      {"its length is cut", LineProgram().copy().bytes({0, 0x80}), "0 1 0 1 s, 0 end, cut"},
      {"an operand is cut", LineProgram().copy().pc(3).copy().bytes({DW_LNS_advance_line, 0x80}),
       "0 1 0 1 s, 3 1 0 1 s, 3 end, cut"},
      {"a fixed operand is cut", LineProgram().copy().pc(3).bytes({DW_LNS_fixed_advance_pc, 0x80}),
       "0 1 0 1 s, 0 end, cut"},
      {"a file of more than 32 bits", LineProgram().file(0x100000001).copy().end_sequence(),
       "0 1 0 4294967295 s, 0 end"},
      {"a column of more than 32 bits", LineProgram().column(0x100000001).copy().end_sequence(),
       "0 1 4294967295 1 s, 0 end"},
      {"lines are counted in 32 bits", LineProgram().line(-2).copy().line(3).copy().end_sequence(),
       "0 4294967295 0 1 s, 0 2 0 1 s, 0 end"},
  };
  for (const Row& r : rows) EXPECT_EQ(rows_of({.program = r.program.finish()}), r.want) << r.why;
}

TEST(DwarfLineProgram, FollowsTheHeader) {
  struct Row {
    std::string_view why;
    LineTableSpec spec;
    LineProgram program;
    std::string_view want;
  };
  const Row rows[] = {
      {"instructions of four bytes",
       {.minimum_instruction_length = 4},
       LineProgram().pc(3).copy().op(0x20).op(DW_LNS_const_add_pc).fixed_pc(1).copy().end_sequence(),
       "c 1 0 1 s, 10 1 0 1 s, 55 1 0 1 s, 55 end"},
      {"statements are the exception",
       {.default_is_stmt = false},
       LineProgram().copy().op(DW_LNS_negate_stmt).copy().end_sequence().copy().end_sequence(),
       "0 1 0 1, 0 1 0 1 s, 0 end, 0 1 0 1, 0 end"},
      {"opcodes we do not know have operands to skip",
       {.lengths = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 3}},
       LineProgram().op(13).op(14).bytes({0x80, 0x01, 5, 0xFF, 0x7F}).copy().end_sequence(),
       "0 1 0 1 s, 0 end"},
      {"such an operand is cut",
       {.lengths = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 0, 3}},
       LineProgram().copy().op(14).bytes({0x80, 0x01, 5}),
       "0 1 0 1 s, 0 end, cut"},
      {"few standard opcodes: 4 is special here",
       {.line_base = 0, .line_range = 2, .lengths = {0, 1, 1}},
       LineProgram().op(4).op(5).op(6).end_sequence(),
       "0 1 0 1 s, 0 2 0 1 s, 1 2 0 1 s, 1 end"},
      {"all but opcode 0 are special",
       {.line_base = -1, .line_range = 4, .lengths = {}},
       LineProgram().op(1).op(2).op(3).op(255).end_sequence(),
       "0 0 0 1 s, 0 0 0 1 s, 0 1 0 1 s, 3f 2 0 1 s, 3f end"},
      {"a line range of 0 advances no address",
       {.line_base = 2, .line_range = 0},
       LineProgram().op(13).op(200).op(DW_LNS_const_add_pc).copy().end_sequence(),
       "0 3 0 1 s, 0 5 0 1 s, 0 5 0 1 s, 0 end"},
      {"a line range of 1",
       {.line_base = 0, .line_range = 1},
       LineProgram().op(14).op(255).end_sequence(),
       "1 1 0 1 s, f3 1 0 1 s, f3 end"},
      {"three operations in each 16 bytes",
       {.minimum_instruction_length = 16, .maximum_operations = 3},
       LineProgram().pc(2).copy().pc(2).copy().op(0x20).pc(4).copy().fixed_pc(8).pc(2).copy().pc(1).end_sequence(),
       "0 1 0 1 s, 10 1 0 1 s, 10 1 0 1 s, 30 1 0 1 s, 38 1 0 1 s, 48 end"},
      {"set_address begins an instruction",
       {.version = 4, .minimum_instruction_length = 16, .maximum_operations = 3},
       LineProgram().pc(2).address(0x100).pc(2).copy().op(DW_LNS_const_add_pc).copy().end_sequence(),
       "100 1 0 1 s, 160 1 0 1 s, 160 end"},
      {"no operations in an instruction is read as one",
       {.maximum_operations = 0},
       LineProgram().pc(2).copy().end_sequence(),
       "2 1 0 1 s, 2 end"},
  };
  for (Row r : rows) {
    r.spec.program = r.program.finish();
    EXPECT_EQ(rows_of(r.spec), r.want) << r.why;
  }
}

TEST(DwarfLineProgram, DefinesFiles) {
  LineProgram program;
  program.extended(DW_LNE_define_file, DwarfBytes().c_string("late.c").uleb(2).uleb(0).uleb(0));
  program.extended(DW_LNE_define_file, DwarfBytes().u8('x').u8('y'));  // no NUL byte: not a name
  const auto bytes = assemble({.version = 4, .tables = plain_tables(), .program = program.finish()});
  LineHeader header;
  ASSERT_TRUE(read_line_header({.line = bytes}, 0, header));
  LineRows rows;
  EXPECT_TRUE(run_line_program(header, false, rows));
  ASSERT_EQ(header.files.size(), 4u);
  EXPECT_EQ(header.files[3].name, "late.c");
  EXPECT_EQ(header.files[3].directory, 2u);
}

TEST(DwarfLineProgram, AppendsToWhatIsThere) {
  LineProgram program;
  for (int i = 0; i < 50'000; ++i) program.op(0x20);
  const auto bytes = assemble({.program = program.end_sequence().finish()});
  LineHeader header;
  ASSERT_TRUE(read_line_header({.line = bytes}, 0, header));
  LineRows rows;
  for (int round = 1; round <= 3; ++round) {
    ASSERT_TRUE(run_line_program(header, false, rows));
    ASSERT_EQ(rows.size(), round * 50'001u);
  }
  for (std::size_t i = 0; i < rows.size(); ++i)
    ASSERT_EQ(rows[i].address, i % 50'001 == 50'000 ? 50'000 : i % 50'001 + 1) << i;
  rows.clear();
  EXPECT_TRUE(rows.empty());
  header.program = {};
  EXPECT_TRUE(run_line_program(header, false, rows));
  EXPECT_TRUE(rows.empty()) << "the rows of an earlier program are not an open sequence";
}

TEST(DwarfLineProgram, EveryCutKeepsTheSequencesWhole) {
  for (const bool big : {false, true}) {
    const auto program = rich_program(big);
    std::size_t most = 0;
    for (std::size_t n = 0; n < program.size(); ++n) {
      const Exact cut{Bytes(program).first(n)};
      LineHeader header{.version = 5, .line_base = -5, .line_range = 14, .opcode_base = 10, .program = cut.bytes()};
      static constexpr std::byte kLengths[9] = {};
      header.standard_opcode_lengths = kLengths;
      LineRows rows;
      (void)run_line_program(header, big, rows);
      EXPECT_TRUE(testkit::are_whole_sequences(rows)) << n;
      most = std::max(most, rows.size());
    }
    EXPECT_GT(most, 0u) << "no cut had a whole sequence";
  }
}

TEST(DwarfLineFuzzCorpus, IsWhatTheAssemblerMakes) {
  // A first byte of flags, then .debug_line: see line_fuzz.cpp.
  const auto flagged = [](std::uint8_t flags, std::vector<std::byte> bytes) {
    bytes.insert(bytes.begin(), std::byte{flags});
    return bytes;
  };
  const auto plain = [](std::uint16_t version, bool big) {
    return LineTableSpec{.version = version, .big = big, .tables = plain_tables(), .program = rich_program(big)};
  };
  LineTableSpec rich{.tables = described_tables(), .program = rich_program()};
  LineTableSpec rich_big{
      .big = true, .offset_size = 8, .tables = described_tables(true), .program = rich_program(true)};
  LineTableSpec vliw = plain(4, false);
  vliw.maximum_operations = 3;
  LineTableSpec by_reference = rich;
  by_reference.tables = testkit::referring_tables();
  auto two = assemble(plain(3, false));
  const auto second = assemble(rich);
  two.insert(two.end(), second.begin(), second.end());
  auto cut = second;
  cut.resize(cut.size() - 9);
  testkit::patch(cut, 0, u32le(static_cast<std::uint32_t>(cut.size() - 4)));
  const testkit::StoredInput inputs[] = {
      {"version2.bin", flagged(0, assemble(plain(2, false)))},
      {"version2_big.bin", flagged(1, assemble(plain(2, true)))},
      {"version4_vliw.bin", flagged(0, assemble(vliw))},
      {"version5.bin", flagged(0, assemble(rich))},
      {"version5_big64.bin", flagged(1, assemble(rich_big))},
      {"version5_strings.bin", flagged(2, assemble(by_reference))},
      {"two_tables.bin", flagged(0, two)},
      {"cut_program.bin", flagged(0, cut)},
  };
  testkit::expect_stored("formats/dwarf/fuzz_corpus/line_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::dwarf
