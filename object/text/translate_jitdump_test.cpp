#include "object/text/translate_jitdump.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/assembler.hpp"
#include "testing/model_text.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::Section;

Section jit_file() { return Section().u32(0x4A695444).u32(1).u32(40).u32(62).u32(0).u32(77).u64(0).u64(0); }

/// A record with its prefix.
void put_record(Section& out, std::uint32_t id, const Section& body) {
  const auto bytes = body.finish();
  out.u32(id).u32(static_cast<std::uint32_t>(16 + bytes.size())).u64(0).bytes(bytes);
}

void load(Section& out, std::string_view name, std::uint64_t at, std::uint64_t size, std::uint64_t index) {
  put_record(out, 0, Section().u32(77).u32(78).u64(at).u64(at).u64(size).u64(index).c_string(name).zeros(size % 8));
}

void move_code(Section& out, std::uint64_t from, std::uint64_t to, std::uint64_t size, std::uint64_t index) {
  put_record(out, 1, Section().u32(77).u32(78).u64(to).u64(from).u64(to).u64(size).u64(index));
}

struct Entry {
  std::uint64_t address;
  std::uint32_t line;
  std::string_view file;
};
void lines(Section& out, std::uint64_t at, std::initializer_list<Entry> entries) {
  Section body;
  body.u64(at).u64(entries.size());
  for (const Entry& entry : entries) body.u64(entry.address).u32(entry.line).u32(0).c_string(entry.file);
  put_record(out, 2, body);
}

std::vector<std::string> text_of(Bytes file) {
  ModelText sink;
  const auto result = translate_jitdump({.file = file}, sink);
  if (!result) return {std::string(result.error().field)};
  EXPECT_EQ(sink.module().producer_kind, "jitdump");
  EXPECT_EQ(sink.module().arch, model::Arch::x86_64);
  return sink.text();
}

std::vector<std::byte> whole_file() {
  Section out = jit_file();
  lines(out, 0x2000, {{0x2008, 11, "\xFF"}, {0x2000, 10, "a.js"}, {0x2008, 12, "b.js"}});
  load(out, "first", 0x2000, 0x20, 1);
  put_record(out, 4, Section().zeros(24));
  load(out, "second", 0x3000, 0x10, 2);
  move_code(out, 0x3000, 0x4000, 0x10, 2);
  put_record(out, 3, Section());
  return out.finish();
}

TEST(JitDump, LoadsMovesAndLines) {
  EXPECT_THAT(text_of(whole_file()), ElementsAre("2000+20 first | 0 a.js:10 | 8 b.js:12", "4000+10 second"));
}

TEST(JitDump, WhatIsThereAtTheEnd) {
  Section out = jit_file();
  load(out, "old", 0x2000, 0x20, 1);
  load(out, "new", 0x2010, 0x20, 2);
  load(out, "empty", 0x5000, 0, 3);
  load(out, "beyond the end", ~std::uint64_t{0}, 2, 4);
  move_code(out, 0x2000, 0x6000, 0x20, 1);   // is there no more
  move_code(out, 0x2010, 0x7000, 0x20, 99);  // not what was loaded there
  EXPECT_THAT(text_of(out.finish()), ElementsAre("2010+20 new"));
}

TEST(JitDump, LinesThatCountFromAnElfHeader) {
  Section out = jit_file();
  lines(out, 0x2000, {{0x2040, 10, "a.js"}, {0x204C, 11, "a.js"}, {0x2060, 12, "a.js"}});
  load(out, "f", 0x2000, 0x20, 1);
  EXPECT_THAT(text_of(out.finish()), ElementsAre("2000+20 f | 0 a.js:10 | c a.js:11"));
}

TEST(JitDump, GarbageInsteadOfNames) {
  Section out = jit_file();
  lines(out, 0x2000,
        {{0x2000, 10, "a.js"},
         {0x2004, 11,
          "\x0B"
          "8"}});
  load(out, "f", 0x2000, 0x20, 1);
  EXPECT_THAT(text_of(out.finish()), ElementsAre("2000+20 f"));
}

TEST(JitDump, CutsAndDamage) {
  const auto whole = whole_file();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const testkit::Exact cut(Bytes(whole).first(n));
    ModelText sink;
    EXPECT_EQ(translate_jitdump({.file = cut.bytes()}, sink).has_value(), n >= 40) << n;
  }
  EXPECT_THAT(text_of(Section().u32(0x4A695444).u32(2).u32(40).zeros(28).finish()), ElementsAre("jitdump.version"));
  EXPECT_THAT(text_of(Section().u32(0x4A695444).u32(1).u32(400).zeros(28).finish()),
              ElementsAre("jitdump.header_size"));
  Section many = jit_file();
  put_record(many, 2, Section().u64(0x2000).u64(~std::uint64_t{0}));
  put_record(many, 2, Section().u64(0x2000).u64(1).u64(0x2000).u32(1).u32(0).text("no end"));
  EXPECT_THAT(text_of(many.finish()), IsEmpty());
}

TEST(JitDump, InTheOtherByteOrder) {
  Section out;
  out.u32_big(0x4A695444).u32_big(1).u32_big(40).u32_big(62).u32_big(0).u32_big(77).u64_big(0).u64_big(0);
  out.u32_big(0).u32_big(16 + 40 + 2).u64_big(0);
  out.u32_big(77).u32_big(78).u64_big(0x2000).u64_big(0x2000).u64_big(0x20).u64_big(1).c_string("f");
  EXPECT_THAT(text_of(out.finish()), ElementsAre("2000+20 f"));
  FileInfo info;
  describe_jitdump(info, whole_file());
  EXPECT_EQ(info.arch, model::Arch::x86_64);
  EXPECT_THAT(info.features, ElementsAre("symbols", "lines"));
}

/// See fuzz_corpus/README.md for the command that writes them.
TEST(FromJitDumpFuzzCorpus, IsWhatTheTestsHold) {
  const testkit::StoredInput inputs[] = {{"whole.dump", whole_file()}};
  testkit::expect_stored("object/text/fuzz_corpus/translate_jitdump_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
