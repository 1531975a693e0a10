#include "symcache/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include "testing/assembler.hpp"
#include "testing/caches/small_symcache.hpp"
#include "testing/caches/symcache_walk.hpp"
#include "testing/number_inputs.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::symcache {
namespace {

using testkit::Exact;
using testkit::OwnFunction;

/// Every byte of the module and some around it, against the functions asked the plain way.
void expect_every_byte(const std::vector<OwnFunction>& functions) {
  const Exact file(testkit::write(functions));
  const auto cache = Symcache::open(file.bytes());
  ASSERT_TRUE(cache) << to_string(cache.error());
  const auto verified = cache->verify();
  ASSERT_TRUE(verified) << to_string(verified.error());
  std::uint64_t first = ~std::uint64_t{0}, end = 0;
  for (const OwnFunction& f : functions) first = std::min(first, f.start), end = std::max(end, f.start + f.size);
  FrameBuffer buffer;
  for (std::uint64_t rva = first - 3; rva < end + 3; ++rva) {
    const OwnFunction* want = testkit::function_at(functions, rva);
    const auto found = cache->lookup({rva}, buffer, Parameters::read);
    ASSERT_EQ(found.has_value(), want != nullptr) << rva;
    if (want == nullptr) continue;
    ASSERT_EQ(found->start, model::Rva{want->start}) << rva;
    ASSERT_EQ(found->size, want->size) << rva;
    ASSERT_EQ(found->kind, want->kind) << rva;
    ASSERT_EQ(found->language, want->language) << rva;
    ASSERT_EQ(cache->linkage_name(*found, buffer), want->linkage_name) << rva;
    ASSERT_EQ(testkit::owned(*found), testkit::frames_at(*want, rva)) << rva;
  }
}

TEST(Symcache, AnswersEveryByteOfASmallModule) { expect_every_byte(testkit::small_functions()); }

TEST(Symcache, AnswersEveryByteOfRandomModules) {
  for (std::uint32_t seed = 0; seed < 150; ++seed) {
    testkit::RandomSource random(seed);
    testkit::ModuleMaker maker(random, seed % 2 == 0, 1u << seed % 3, seed % 4 < 2);
    expect_every_byte(maker.functions(1 + random.below(60)));
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
  }
}

TEST(Symcache, ParametersStandBehindTheNameWhereTheyAreAskedFor) {
  OwnFunction f{.start = 0x10, .size = 8, .name = "ns::f", .parameters = "(int) const"};
  f.calls = {{.name = "ns::f", .parameters = "(char)"}, {.caller = 0, .name = "g"}};
  f.lines = {{.line = 1, .inlinee = 1}};
  const auto file = testkit::write({f});
  const auto cache = Symcache::open(file);
  ASSERT_TRUE(cache && cache->verify());
  FrameBuffer buffer;
  const auto told = [&](Parameters parameters) {
    std::vector<std::string> names;
    const auto found = cache->lookup({0x10}, buffer, parameters);
    for (std::size_t i = 0; found && i < found->frames.size(); ++i) names.emplace_back(found->frames[i].signature());
    return names;
  };
  EXPECT_EQ(told(Parameters::read), (std::vector<std::string>{"g", "ns::f(char)", "ns::f(int) const"}));
  EXPECT_EQ(told(Parameters::skip), (std::vector<std::string>{"g", "ns::f", "ns::f"}));
}

TEST(Symcache, AnswersTheSameWhateverTheBufferKeeps) {
  std::vector<std::vector<std::byte>> files;
  std::vector<Symcache> caches;
  for (std::uint32_t seed = 0; seed < 4; ++seed) {
    testkit::RandomSource random(seed);
    files.push_back(testkit::write(testkit::ModuleMaker(random, true, 1, true).functions(40)));
    caches.push_back(*Symcache::open(files.back()));
  }
  FrameBuffer nothing(0), little(500), much;
  testkit::RandomSource random(9);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const Symcache& cache = caches[random.below(4)];
    const model::Rva rva{random.below(5'000)};
    const Parameters parameters = random.below(2) != 0 ? Parameters::read : Parameters::skip;
    FrameBuffer fresh;
    const auto want = cache.lookup(rva, fresh, parameters);
    for (FrameBuffer* buffer : {&nothing, &little, &much}) {
      const auto found = cache.lookup(rva, *buffer, parameters);
      ASSERT_EQ(found.has_value(), want.has_value());
      if (!found) continue;
      ASSERT_EQ(testkit::owned(*found), testkit::owned(*want));
    }
  }
}

TEST(Symcache, KeepsWhatWasMadeOfANameWithIt) {
  const auto file = testkit::write(testkit::small_functions());
  const auto cache = Symcache::open(file);
  FrameBuffer buffer;
  const auto first = cache->lookup({0x1000}, buffer);
  ASSERT_TRUE(first && first->frames[0].derived != nullptr && first->frames[0].derived->kind == 0);
  const std::string_view made = buffer.keep("made of app::main");
  *first->frames[0].derived = {made.data(), static_cast<std::uint32_t>(made.size()), 7};
  ASSERT_TRUE(cache->lookup({0x2000}, buffer));
  const auto again = cache->lookup({0x1001}, buffer);
  ASSERT_TRUE(again && again->frames[0].derived->kind == 7);
  EXPECT_EQ(again->frames[0].derived->text(), "made of app::main");
}

TEST(Symcache, ListsFunctionsByRisingAddress) {
  const auto file = testkit::write(testkit::small_functions());
  const auto cache = Symcache::open(file);
  ASSERT_TRUE(cache);
  FrameBuffer buffer;
  std::vector<std::string> found;
  for (std::uint32_t i = 0; i < cache->function_count(); ++i) {
    const auto f = cache->function(i, buffer);
    ASSERT_TRUE(f) << to_string(f.error());
    found.push_back(std::string(f->name) + " " + std::to_string(f->row_count) + " " +
                    std::to_string(f->aliases.size()));
  }
  EXPECT_THAT(found,
              testing::ElementsAre("app::main 6 0", "A::empty 1 1", "outer 200 0", "inner 0 0", "app::main 0 0"));
  EXPECT_FALSE(cache->function(cache->function_count(), buffer));
}

TEST(Symcache, CutsCallsDeeperThanItsLimitAtTheOuterEnd) {
  OwnFunction f{.start = 0, .size = 1, .name = "f"};
  for (std::uint32_t i = 0; i < 2000; ++i)
    f.calls.push_back({.caller = i - 1u, .name = "call" + std::to_string(i), .file = "a.c", .line = i + 1});
  f.lines = {{.line = 5, .file = "a.c", .inlinee = 1999}};
  const auto file = testkit::write({f});
  const auto cache = Symcache::open(file);
  FrameBuffer buffer;
  const auto found = cache->lookup({0}, buffer);
  ASSERT_TRUE(found && found->frames.size() == kMaxFrames);
  EXPECT_EQ(found->frames.front().function, "call1999");
  EXPECT_EQ(found->frames[kMaxFrames - 2].function, "call1489");
  EXPECT_EQ(found->frames.back().function, "f");
  EXPECT_EQ(found->frames.back().line, 0u) << "the call into what was cut is not known to be here";
}

TEST(Symcache, EveryCutIsRefusedOrSeen) {
  const auto whole = testkit::write(testkit::tiny_functions(), testkit::named_module());
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const Exact cut(Bytes(whole).first(n));
    const auto cache = Symcache::open(cut.bytes());
    if (!cache) continue;
    EXPECT_FALSE(cache->verify()) << n << " bytes";
    testkit::walk_everything(*cache, 16);
  }
  EXPECT_FALSE(Symcache::open(Bytes(whole).first(sizeof(Header) - 1)));
}

TEST(Symcache, EveryFlippedBitIsSeenAndHarmless) {
  const auto whole = testkit::write(testkit::tiny_functions(), testkit::named_module());
  for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
    Exact flipped(whole);
    flipped.owned[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
    const auto cache = Symcache::open(flipped.bytes());
    if (!cache) continue;
    EXPECT_FALSE(cache->verify()) << "bit " << bit;
    testkit::walk_everything(*cache, 16);
  }
}

Header header_of(Bytes file) { return *read_at<Header>(file, 0, "header"); }

/// Puts a changed header into a copy, with checksums that fit.
std::vector<std::byte> with_header(std::vector<std::byte> file, Header header) {
  header.payload_checksum = XXH3_64bits(file.data() + sizeof header, file.size() - sizeof header);
  header.header_checksum = 0;
  header.header_checksum = XXH3_64bits(&header, sizeof header);
  testkit::patch(file, 0, header);
  return file;
}

TEST(Symcache, NamesTheFieldOfTheHeaderThatIsWrong) {
  struct Row {
    std::string_view field;
    void (*spoil)(Header&);
  };
  const Row rows[] = {
      {"symcache.magic", [](Header& h) { h.magic[3] = 'X'; }},
      {"symcache.version", [](Header& h) { h.version = kFormatVersion + 1; }},
      {"symcache.offset_unit", [](Header& h) { h.offset_unit = 3; }},
      {"symcache.samples", [](Header& h) { h.samples.offset = ~std::uint64_t{0}; }},
      {"symcache.samples.size", [](Header& h) { h.samples.size = h.samples.size - 1; }},
      {"symcache.starts", [](Header& h) { h.starts.size = ~std::uint64_t{0}; }},
      {"symcache.starts.size", [](Header& h) { h.function_count = 0xFFFFFFFF; }},
      {"symcache.records", [](Header& h) { h.records.size = 4; }},
      {"symcache.functions", [](Header& h) { h.functions.offset = 1 << 20; }},
      {"symcache.text", [](Header& h) { h.text.offset = 1 << 20; }},
      {"symcache.text", [](Header& h) { h.text.size = kTextPadding - 1; }},
      {"symcache.module.file", [](Header& h) { h.module.size = 4; }},
  };
  const auto whole = testkit::write(testkit::tiny_functions(), testkit::named_module());
  ASSERT_TRUE(Symcache::open(with_header(whole, header_of(whole)))->verify());
  for (const Row& r : rows) {
    Header header = header_of(whole);
    r.spoil(header);
    const auto cache = Symcache::open(with_header(whole, header));
    ASSERT_FALSE(cache) << r.field;
    EXPECT_EQ(cache.error().field, r.field);
  }
}

/// One byte of a section changed, and the checksums made to fit: what verify() has to find by itself.
std::vector<std::byte> with_byte(std::vector<std::byte> file, Section Header::* section, std::size_t at,
                                 std::uint8_t value) {
  const Header header = header_of(file);
  file.at((header.*section).offset + at) = std::byte{value};
  return with_header(std::move(file), header);
}

TEST(Symcache, VerifyFindsWhatTheChecksumsDoNot) {
  struct Row {
    std::string_view field;
    Section Header::* section;
    std::size_t at;
    std::uint8_t value;
  };
  const Row rows[] = {
      {"symcache.starts", &Header::starts, 4, 0},
      {"symcache.samples", &Header::samples, 0, 1},
      {"symcache.function", &Header::records, 3, 0x7F},
      {"symcache.function.name", &Header::functions, 2, 0x7F},
      {"symcache.function.linkage_name", &Header::functions, 3, 0x7F},
      {"symcache.function.aliases", &Header::functions, 5, 0x7F},
      {"symcache.function.rows", &Header::functions, 7, 0xFF},
      {"symcache.subprograms", &Header::subprograms, 0, 0x7F},
      {"symcache.names", &Header::names, 2, 0x7F},
      {"symcache.files", &Header::files, 0, 0x7F},
  };
  const auto whole = testkit::write(testkit::tiny_functions(), testkit::named_module());
  for (const Row& r : rows) {
    const auto file = with_byte(whole, r.section, r.at, r.value);
    const auto cache = Symcache::open(file);
    ASSERT_TRUE(cache) << r.field;
    const auto verified = cache->verify();
    ASSERT_FALSE(verified) << r.field;
    EXPECT_EQ(verified.error().field, r.field);
    testkit::walk_everything(*cache, 16);
  }
}

TEST(Symcache, ANameBeyondTheLimitOfAnAnswerIsAMiss) {
  OwnFunction f{.start = 0, .size = 1, .name = "f"};
  const std::string name(1 << 20, 'x');
  for (std::uint32_t i = 0; i < 200; ++i) f.calls.push_back({.caller = i - 1u, .name = name});
  f.lines = {{.line = 5, .inlinee = 199}};
  const auto file = testkit::write({f, {.start = 9, .size = 1, .name = "g"}});
  const auto cache = Symcache::open(file);
  FrameBuffer buffer;
  EXPECT_FALSE(cache->lookup({0}, buffer));
  EXPECT_TRUE(cache->lookup({9}, buffer));
}

TEST(SymcacheFuzzCorpus, IsWhatTheTestsWrite) {
  const auto module = testkit::named_module();
  const auto tiny = testkit::write(testkit::tiny_functions(), module);
  auto far = testkit::small_functions();
  far.back().start += std::uint64_t{1} << 40;
  testkit::RandomSource random(7);
  auto columns = testkit::ModuleMaker(random, true, 1).functions(30);
  const std::vector<testkit::StoredInput> inputs{
      {"empty.symcache", testkit::write({})},
      {"tiny.symcache", tiny},
      {"small.symcache", testkit::write(testkit::small_functions(), module)},
      {"wide_addresses.symcache", testkit::write(far, module)},
      {"columns.symcache", testkit::write(columns, module)},
      {"cut.symcache", {tiny.begin(), tiny.begin() + static_cast<std::ptrdiff_t>(tiny.size() / 2)}},
      {"bad_row.symcache", with_byte(tiny, &Header::functions, 7, 0xFF)},
      {"bad_name.symcache", with_byte(tiny, &Header::functions, 2, 0x7F)},
  };
  testkit::expect_stored("symcache/fuzz_corpus/reader_fuzz", inputs);
}

TEST(SymcacheFuzzCorpus, HoldsNumbersForTheWriter) {
  testkit::expect_stored("symcache/fuzz_corpus/writer_fuzz", testkit::number_inputs(50));
}

}  // namespace
}  // namespace symcached::symcache
