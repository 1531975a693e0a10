#include "formats/breakpad/reader.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/breakpad/names.hpp"
#include "testing/stored_inputs.hpp"
#include "testing/text/breakpad_text.hpp"

namespace symcached::breakpad {
namespace {

std::string ranges_of(const InlineRecord& call, std::uint64_t line) {
  std::string out;
  RangeReader ranges(call.ranges, line);
  for (;;) {
    const auto range = ranges.next();
    if (!range) return out + " error " + std::string(range.error().field);
    if (!*range) return out;
    out += fmt::format(" {:x}+{:x}", (*range)->address, (*range)->size);
  }
}

/// The record just read, with every field.
std::string text_of(const Reader& r, RecordKind kind) {
  switch (kind) {
    case RecordKind::module:
      return fmt::format("module os={} arch={} id={} name={}", r.module().os, r.module().arch, r.module().id,
                         r.module().name);
    case RecordKind::info: return fmt::format("info {}={}", r.info().key, r.info().value);
    case RecordKind::file: return fmt::format("file {} {}", r.name().number, r.name().name);
    case RecordKind::inline_origin: return fmt::format("origin {} {}", r.name().number, r.name().name);
    case RecordKind::func:
      return fmt::format("func{} {:x}+{:x} parameters={:x} {}", r.func().multiple ? " m" : "", r.func().address,
                         r.func().size, r.func().parameter_size, r.func().name);
    case RecordKind::public_symbol:
      return fmt::format("public{} {:x} parameters={:x} {}", r.public_symbol().multiple ? " m" : "",
                         r.public_symbol().address, r.public_symbol().parameter_size, r.public_symbol().name);
    case RecordKind::line:
      return fmt::format("line {:x}+{:x} {} in {}", r.line().address, r.line().size, r.line().line,
                         r.line().file == kNoFile ? "none" : std::to_string(r.line().file));
    case RecordKind::inline_call:
      return fmt::format("inline {} from {}:{} origin {}{}", r.inline_call().depth, r.inline_call().call_file,
                         r.inline_call().call_line, r.inline_call().origin, ranges_of(r.inline_call(), r.offset()));
    case RecordKind::stack: return fmt::format("stack {:x}+{:x}", r.stack().address, r.stack().size);
    case RecordKind::other: return "other";
    case RecordKind::end: return "end";
  }
  return "?";
}

/// The only record of a text, or what is wrong with it.
std::string only(std::string_view text) {
  Reader reader(as_bytes(text));
  const auto kind = reader.next();
  if (!kind) return fmt::format("error {} at {}", kind.error().field, kind.error().offset);
  std::string out = text_of(reader, *kind);
  const auto after = reader.next();
  return after && *after == RecordKind::end ? out : out + " and more";
}

TEST(BreakpadReader, EveryFormOfEveryRecord) {
  struct Row {
    std::string_view why, line, want;
  };
  const Row rows[] = {
      {"module", "MODULE Linux x86 D3096ED481217FD4C16B29CD9BC208BA0 firefox-bin\n",
       "module os=Linux arch=x86 id=D3096ED481217FD4C16B29CD9BC208BA0 name=firefox-bin"},
      {"a name with blanks", "MODULE mac arm64 0 a b  c\n", "module os=mac arch=arm64 id=0 name=a b  c"},
      {"no name", "MODULE mac arm64 0", "module os=mac arch=arm64 id=0 name="},
      {"no id", "MODULE mac arm64", "error breakpad.module.id at 0"},
      {"code id", "INFO CODE_ID 5AB380779000 crash.exe\n", "info CODE_ID=5AB380779000 crash.exe"},
      {"file", "FILE 2 /home/a b.cpp\n", "file 2 /home/a b.cpp"},
      {"file, largest number", "FILE 4294967295 x", "file 4294967295 x"},
      {"file, a number too large", "FILE 4294967296 x", "error breakpad.file.number at 0"},
      {"file, no number", "FILE a.cpp", "error breakpad.file.number at 0"},
      {"file, no name", "FILE 1", "file 1 "},
      {"origin", "INLINE_ORIGIN 2 f(int) const\n", "origin 2 f(int) const"},
      {"func", "FUNC c184 30 10 f(int, void**) const\n", "func c184+30 parameters=10 f(int, void**) const"},
      {"func, shared", "FUNC m c184 30 0 f", "func m c184+30 parameters=0 f"},
      {"func, CR LF", "FUNC c184 30 0 f g\r\n", "func c184+30 parameters=0 f g"},
      {"func, blanks behind", "FUNC c184 30 0 f \t \n", "func c184+30 parameters=0 f"},
      {"func, blanks between", "FUNC  c184   30 0  f g\n", "func c184+30 parameters=0 f g"},
      {"func, capital digits", "FUNC C184 3F 0 f\n", "func c184+3f parameters=0 f"},
      {"func, 64 bits", "FUNC ffffffffffffffff ffffffffffffffff 0 f",
       "func ffffffffffffffff+ffffffffffffffff parameters=0 f"},
      {"func, 65 bits", "FUNC 10000000000000000 1 0 f", "error breakpad.func.address at 0"},
      {"func, 65 bits of which one is zero", "FUNC 00000000000000001 1 0 f", "func 1+1 parameters=0 f"},
      {"func, no name", "FUNC c184 30 0", "func c184+30 parameters=0 "},
      {"func, no parameter size", "FUNC c184 30 main(int, char**)", "func c184+30 parameters=0 main(int, char**)"},
      {"func, a name of hexadecimal letters", "FUNC c184 30 face", "func c184+30 parameters=0 face"},
      {"func, no size", "FUNC c184", "error breakpad.func.size at 0"},
      {"func, negative", "FUNC -1 30 0 f", "error breakpad.func.address at 0"},
      {"func, 0x", "FUNC 0x10 30 0 f", "error breakpad.func.address at 0"},
      {"public", "PUBLIC 2160 4 Public2_1", "public 2160 parameters=4 Public2_1"},
      {"public, shared", "PUBLIC m 2160 0 a b", "public m 2160 parameters=0 a b"},
      {"public, no parameter size", "PUBLIC 2160 main b", "public 2160 parameters=0 main b"},
      {"public, no address", "PUBLIC", "error breakpad.public.address at 0"},
      {"line", "c184 7 59 4\n", "line c184+7 59 in 4"},
      {"line, capital digits", "C184 7 59 4\n", "line c184+7 59 in 4"},
      {"line, no file", "c184 7 59\n", "line c184+7 59 in none"},
      {"line, no line", "c184 7\n", "error breakpad.line.line at 0"},
      {"line, no size", "c184\n", "error breakpad.line.size at 0"},
      {"line, more than there is", "c184 7 59 4 5\n", "error breakpad.line.file at 0"},
      {"line, no number", "c184x 7 59 4\n", "error breakpad.line.address at 0"},
      {"inline", "INLINE 1 10 3 4 d30 2a fa1 b\n", "inline 1 from 3:10 origin 4 d30+2a fa1+b"},
      {"inline, no range", "INLINE 0 10 3 4\n", "error breakpad.inline.ranges at 0"},
      {"inline, half a range", "INLINE 0 10 3 4 d30 2a fa1",
       "inline 0 from 3:10 origin 4 d30+2a error breakpad.inline.size"},
      {"inline, no address", "INLINE 0 10 3 4 x", "inline 0 from 3:10 origin 4 error breakpad.inline.address"},
      {"inline, no origin", "INLINE 0 10 3", "error breakpad.inline.origin at 0"},
      {"rules for a range", "STACK CFI INIT 804c4b0 40 .cfa: $esp 4 +", "stack 804c4b0+40"},
      {"rules from an address", "STACK CFI 804c4b1 .cfa: $esp 8 +", "stack 804c4b1+0"},
      {"rules of Windows", "STACK WIN 4 2170 14 1 0 0 0 0 0 1 $eip =", "stack 2170+14"},
      {"rules of a kind to come", "STACK NEW 1", "stack 0+0"},
      {"rules without address", "STACK CFI INIT", "error breakpad.stack.address at 0"},
      {"a record to come", "NEWER 1 2 3", "other"},
      {"a record to come that starts like a number", "DATA x", "other"},
      {"blank lines", "\n \r\n\t\nFILE 1 a\n\n", "file 1 a"},
      {"a NUL byte", std::string_view("FILE 1 a\0b", 10), std::string_view("file 1 a\0b", 10)},
      {"nothing", "", "end and more"},
  };
  for (const Row& r : rows) EXPECT_EQ(only(r.line), r.want == "end and more" ? "end" : r.want) << r.why;
}

TEST(BreakpadReader, ErrorsSayWhere) {
  Reader reader(as_bytes("FILE 1 a\r\nFUNC x\n"));
  ASSERT_TRUE(reader.next());
  const auto bad = reader.next();
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().offset, 10u);
  EXPECT_EQ(bad.error().field, "breakpad.func.address");
}

TEST(BreakpadReader, EveryCutIsReadOrRefused) {
  std::size_t before = 0;
  for (std::size_t n = 0; n < testkit::kRichSymbols.size(); ++n) {
    const std::string cut(testkit::kRichSymbols.substr(0, n));
    Reader reader(as_bytes(cut));
    std::size_t records = 0;
    for (auto kind = reader.next(); kind && *kind != RecordKind::end; kind = reader.next(), ++records)
      EXPECT_LT(reader.offset(), n);
    EXPECT_GE(records + 1, before) << n << " bytes: only the last record can be cut";
    before = records;
  }
  EXPECT_GT(before, 10u);
}

TEST(BreakpadModule, IsTheFirstLine) {
  EXPECT_TRUE(read_module(as_bytes("MODULE Linux x86 0 a\n")));
  EXPECT_FALSE(read_module(as_bytes("FILE 0 a\nMODULE Linux x86 0 a\n")));
  EXPECT_FALSE(read_module(as_bytes("")));
}

TEST(BreakpadNames, AreFoundByNumber) {
  const auto names =
      read_names(as_bytes("FILE 5 five\nFILE 0 zero\r\nFUNC 1 1 0 FILE\nFILENAME 7 no\nFILE 5 again\n"
                          "INLINE_ORIGIN 4000000000 far\nFILE 4294967295 last"));
  ASSERT_TRUE(names);
  EXPECT_EQ(names->files.size(), 3u);
  const auto file = [&](std::uint32_t number) {
    const std::uint32_t at = names->files.find(number);
    return at == NumberedNames::kNone ? "none" : names->files[at];
  };
  EXPECT_EQ(file(0), "zero");
  EXPECT_EQ(file(5), "five") << "the first of two";
  EXPECT_EQ(file(0xFFFFFFFF), "last");
  for (const std::uint32_t number : {1u, 4u, 6u, 5000u, 0xFFFFFFFEu}) EXPECT_EQ(file(number), "none") << number;
  EXPECT_EQ(names->origins[names->origins.find(4000000000)], "far");
  EXPECT_EQ(names->origins.find(0), NumberedNames::kNone);
  const auto bad = read_names(as_bytes("\nFILE x\n"));
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().offset, 1u);
  EXPECT_EQ(read_names({})->files.find(0), NumberedNames::kNone);
}

/// See fuzz_corpus/README.md for the command that writes them.
TEST(BreakpadFuzzCorpus, IsWhatTheTestsHold) {
  const auto bytes = [](std::string_view text) {
    const Bytes view = as_bytes(text);
    return std::vector<std::byte>(view.begin(), view.end());
  };
  const testkit::StoredInput inputs[] = {
      {"rich.sym", bytes(testkit::kRichSymbols)},
      {"nonsense.sym", bytes(testkit::kNonsenseSymbols)},
      {"cut.sym", bytes(testkit::kRichSymbols.substr(0, 500))},
  };
  testkit::expect_stored("formats/breakpad/fuzz_corpus/reader_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::breakpad
