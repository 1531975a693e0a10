#include "symcache/row_encoder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "symcache/row_decoder.hpp"
#include "testing/assembler.hpp"
#include "testing/caches/own_module.hpp"

namespace symcached::symcache {
namespace {

struct Program {
  std::vector<EncodedFrame> frames;
  std::vector<EncodedRow> rows;
};

/// Compares a decoded frame and its callers with the encoded ones.
void expect_frame(const RowDecoder& decoder, std::uint32_t position, const Program& program, std::uint32_t frame) {
  while (frame != kFunctionFrame) {
    const EncodedFrame& want = program.frames[frame];
    FrameDefinition found;
    ASSERT_TRUE(decoder.definition(position, found));
    ASSERT_EQ(found.subprogram, want.subprogram);
    ASSERT_EQ(found.call_file, want.call_file);
    ASSERT_EQ(found.call_line, static_cast<std::uint32_t>(want.call_line));
    ASSERT_EQ(found.call_column, want.call_column);
    position = found.caller;
    frame = want.caller;
  }
  ASSERT_EQ(position, 0u);
}

/// Decodes from row `first` to the end.
void expect_rows(RowDecoder& decoder, const Program& program, std::size_t first) {
  RowState state;
  for (std::size_t i = first; i < program.rows.size(); ++i) {
    const EncodedRow& want = program.rows[i];
    ASSERT_TRUE(decoder.next(state)) << "row " << i;
    ASSERT_EQ(state.offset, want.offset) << "row " << i;
    ASSERT_EQ(state.file, want.file) << "row " << i;
    ASSERT_EQ(state.line, static_cast<std::uint32_t>(want.line)) << "row " << i;
    ASSERT_EQ(state.column, want.column) << "row " << i;
    expect_frame(decoder, state.frame, program, want.frame);
  }
  ASSERT_FALSE(decoder.next(state));
  ASSERT_FALSE(decoder.failed());
}

/// Encodes, then decodes from the start and from every restart.
void expect_round_trip(const Program& program, bool columns) {
  RowEncoder encoder(columns);
  encoder.encode(program.rows, program.frames);
  const testkit::Exact bytes(encoder.program());
  RowDecoder from_start(bytes.bytes(), columns);
  expect_rows(from_start, program, 0);
  const bool is_long = program.rows.size() > kLongestRun;
  ASSERT_EQ(encoder.restarts().size(), is_long ? (program.rows.size() - 1) / kRowsPerRestart : 0u);
  for (std::size_t i = 0; i < encoder.restarts().size(); ++i) {
    RowDecoder decoder(bytes.bytes(), columns);
    decoder.restart_at(encoder.restarts()[i]);
    expect_rows(decoder, program, (i + 1) * kRowsPerRestart);
  }
}

constexpr std::uint32_t kTop = kFunctionFrame;

TEST(RowEncoder, RoundTripsEveryShapeOfRow) {
  struct Row {
    std::string_view why;
    Program program;
  };
  const std::int64_t most = 0xFFFFFFFF;
  const Row rows[] = {
      {"no rows", {}},
      {"frames nobody uses", {{{.subprogram = 5}}, {}}},
      {"one row at the start", {{}, {{.line = 3}}}},
      {"first row behind the start", {{}, {{.offset = 9, .line = -3}}}},
      {"short steps at their limits",
       {{}, {{.line = 10}, {.offset = 1, .line = 6}, {.offset = 9, .line = 17}, {.offset = 10, .line = 12}}}},
      {"largest offsets and lines",
       {{}, {{.line = 0}, {.offset = 0xFFFFFFFE, .line = most}, {.offset = 0xFFFFFFFF, .line = -most}}}},
      {"a gap, then on", {{}, {{.line = 0}, {.offset = 2, .file = kNoFile, .line = -7}, {.offset = 4, .line = 1}}}},
      {"files go to and fro",
       {{}, {{.file = 9, .line = 0}, {.offset = 2, .file = 4, .line = 1}, {.offset = 3, .line = 2}, {.offset = 5}}}},
      {"into a call and back up",
       {{{.subprogram = 300, .call_file = 77, .call_line = -2, .call_column = 0}},
        {{.line = 1},
         {.offset = 2, .frame = 0, .line = 4},
         {.offset = 4, .file = 77, .line = -2},
         {.offset = 6, .frame = 0}}}},
      {"straight into a deep call, whose callers have no rows",
       {{{.subprogram = 1},
         {.caller = 0, .subprogram = 2},
         {.caller = 1, .subprogram = 3},
         {.caller = 2, .subprogram = 4}},
        {{.frame = 3, .line = 8}, {.offset = 1, .frame = 1}, {.offset = 40, .frame = 2, .line = 9}, {.offset = 41}}}},
      {"siblings, and back to the first",
       {{{.subprogram = 1, .call_line = 5}, {.subprogram = 1, .call_line = 6}},
        {{.frame = 0}, {.offset = 20, .frame = 1}, {.offset = 30, .frame = 0, .line = 1}, {.offset = 31, .frame = 1}}}},
      {"call lines at their limits",
       {{{.subprogram = 0xFFFFFFFF, .call_file = 0xFFFFFFFF, .call_line = most}, {.caller = 0, .call_line = -most}},
        {{.frame = 1}, {.offset = 1, .frame = 0, .line = -most}, {.offset = 2, .frame = kTop, .line = most}}}},
  };
  for (const Row& r : rows) {
    SCOPED_TRACE(r.why);
    expect_round_trip(r.program, false);
    Program with_columns = r.program;
    std::uint32_t column = 0xFFFFFFFF;
    for (EncodedRow& row : with_columns.rows) row.column = column /= 2;
    for (EncodedFrame& frame : with_columns.frames) frame.call_column = column += 9;
    expect_round_trip(with_columns, true);
  }
}

Program random_program(testkit::RandomSource& random, bool columns) {
  Program program;
  const auto line = [&]() -> std::int64_t {
    return random.below(9) == 0 ? std::int64_t{random.below(0xFFFFFFFF)} * (random.below(2) == 0 ? 1 : -1)
                                : random.below(12);
  };
  const auto file = [&] { return random.below(5) == 0 ? random.below(6) : std::uint32_t{kOwnFile}; };
  const auto column = [&] { return columns ? random.below(random.below(9) == 0 ? 0xFFFFFFFF : 90) : 0; };
  const std::uint32_t frames = random.below(random.below(4) == 0 ? 100 : 6);
  const bool deep = random.below(2) == 0;
  for (std::uint32_t i = 0; i < frames; ++i)
    program.frames.push_back({.caller = i == 0 ? kTop
                                        : deep ? i - 1
                                               : random.below(i),
                              .subprogram = random.below(1000),
                              .call_file = file(),
                              .call_line = line(),
                              .call_column = column()});
  const std::uint32_t rows = random.below(random.below(5) == 0 ? 400 : 20);
  std::uint32_t offset = random.below(3), frame = kTop;
  for (std::uint32_t i = 0; i < rows; ++i) {
    if (frames != 0 && random.below(2) == 0) frame = random.below(frames + 1) - 1u;
    else if (frame != kTop && random.below(2) == 0) frame = program.frames[frame].caller;
    program.rows.push_back({.offset = offset, .frame = frame, .file = file(), .line = line(), .column = column()});
    offset += 1 + random.below(random.below(9) == 0 ? 1'000'000 : 12);
  }
  return program;
}

TEST(RowEncoder, RoundTripsThousandsOfRandomFunctions) {
  for (std::uint32_t seed = 0; seed < 4000; ++seed) {
    testkit::RandomSource random(seed);
    const bool columns = random.below(2) == 0;
    expect_round_trip(random_program(random, columns), columns);
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

TEST(RowEncoder, PutsARestartEvery48RowsOfLongFunctions) {
  for (const std::uint32_t rows : {1u, 48u, 72u, 73u, 96u, 97u, 1000u}) {
    Program program;
    for (std::uint32_t i = 0; i < rows; ++i) program.rows.push_back({.offset = i * 3, .line = i % 7});
    expect_round_trip(program, false);
  }
}

/// The worked example of docs/formats/symcache.md, section 5.6: the bytes there are these.
TEST(RowEncoder, WritesTheExampleOfTheSpecification) {
  const std::vector<EncodedFrame> frames{{.subprogram = 20, .call_line = 2}};
  const std::vector<EncodedRow> rows{{.offset = 0, .line = 0},
                                     {.offset = 4, .line = 1},
                                     {.offset = 9, .frame = 0, .line = 0},
                                     {.offset = 12, .frame = 0, .line = 1},
                                     {.offset = 15, .line = 2},
                                     {.offset = 40, .file = 3, .line = 30}};
  RowEncoder encoder(false);
  encoder.encode(rows, frames);
  std::string hex;
  for (const std::byte b : encoder.program())
    fmt::format_to(std::back_inserter(hex), "{:02X} ", std::to_integer<int>(b));
  EXPECT_EQ(hex, "E0 00 00 2B 8B 14 00 08 2A A7 E2 03 E0 19 38 ");
  expect_round_trip({frames, rows}, false);
}

TEST(RowDecoder, StopsAtWhatIsWrong) {
  const auto op = [](int kind, int low) { return static_cast<std::uint8_t>(kShortRows | kind << 5 | low); };
  struct Row {
    std::string_view why;
    std::vector<std::uint8_t> bytes;
  };
  const Row rows[] = {
      {"long row without operands", {op(kOther, kLongRow)}},
      {"number that never ends", {op(kOther, kLongRow), 0x80, 0x80}},
      {"number of more than 64 bits",
       {op(kOther, kLongRow), 1, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2}},
      {"offset of more than 32 bits", {op(kOther, kLongRow), 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 0}},
      {"operation we do not know", {op(kOther, 3)}},
      {"up from the function itself", {op(kUp, 3)}},
      {"jump to before the program", {op(kJump, 3), 9}},
      {"caller before the program", {op(kNewFrame, 3), 0, 9, 0}},
      {"definition cut short", {op(kOther, kDefineFrame), 1}},
      {"file without its number", {op(kOther, kSetFile)}},
  };
  for (const Row& r : rows) {
    const testkit::Exact bytes(std::as_bytes(std::span(r.bytes)));
    RowDecoder decoder(bytes.bytes(), false);
    RowState state;
    EXPECT_FALSE(decoder.next(state)) << r.why;
    EXPECT_TRUE(decoder.failed()) << r.why;
    EXPECT_FALSE(decoder.next(state)) << r.why;
  }
}

}  // namespace
}  // namespace symcached::symcache
