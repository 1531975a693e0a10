#include "profiling/proto.hpp"

#include <gmock/gmock.h>

#include "base/decompress.hpp"
#include "testing/pprof/fake_sources.hpp"

namespace symcached::pprof {
namespace {

/// Field numbers with what stands there; fields in order, messages as bytes.
struct Decoded {
  std::multimap<unsigned, std::uint64_t> numbers;
  std::multimap<unsigned, std::string> texts;

  std::uint64_t number(unsigned field) const {
    const auto found = numbers.find(field);
    return found == numbers.end() ? 0 : found->second;
  }
  std::vector<Decoded> messages(unsigned field) const {
    std::vector<Decoded> all;
    for (auto [at, end] = texts.equal_range(field); at != end; ++at) all.push_back(decode(at->second));
    return all;
  }
  static Decoded decode(std::string_view bytes);
};

std::uint64_t take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.at(0));
    bytes.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
}

Decoded Decoded::decode(std::string_view bytes) {
  Decoded out;
  while (!bytes.empty()) {
    const std::uint64_t key = take_varint(bytes), field = key >> 3;
    const std::uint64_t value = take_varint(bytes);
    if ((key & 7) == 0) out.numbers.emplace(field, value);
    else out.texts.emplace(field, bytes.substr(0, value)), bytes.remove_prefix(value);
  }
  return out;
}

std::vector<std::int64_t> packed(std::string_view bytes) {
  std::vector<std::int64_t> values;
  while (!bytes.empty()) values.push_back(static_cast<std::int64_t>(take_varint(bytes)));
  return values;
}

/// A profile as a test reads it.
struct Read {
  Decoded whole;
  std::vector<std::string> strings;

  explicit Read(const std::string& body) {
    const auto plain = decompress_whole(Codec::gzip, as_bytes(body), 1 << 20, "test");
    EXPECT_TRUE(plain);
    whole = Decoded::decode(as_text(plain->bytes()));
    for (auto [at, end] = whole.texts.equal_range(6); at != end; ++at) strings.push_back(at->second);
  }
  std::string string_of(const Decoded& message, unsigned field) const { return strings.at(message.number(field)); }
  /// "type/unit" of each
  std::vector<std::string> types(unsigned field) const {
    std::vector<std::string> all;
    for (const Decoded& type : whole.messages(field)) all.push_back(string_of(type, 1) + "/" + string_of(type, 2));
    return all;
  }
  /// Functions of a location, "name file:line"
  std::vector<std::string> lines(std::uint64_t location) const {
    std::vector<std::string> all;
    for (const Decoded& at : whole.messages(4)) {
      if (at.number(1) != location) continue;
      for (const Decoded& line : at.messages(4))
        for (const Decoded& function : whole.messages(5))
          if (function.number(1) == line.number(1))
            all.push_back(string_of(function, 2) + " " + string_of(function, 4) + ":" + std::to_string(line.number(2)));
    }
    return all;
  }
};

Read encoded(const Profile& profile, ProtoOptions options = {}) {
  const auto naming = fake_naming();
  return Read(proto(profile, fake_modules(), *naming, options));
}

Profile cpu() {
  return {.samples = {{.stack = {0x1100, 0x2000}, .count = 3, .value = 30}, {.stack = {0x2000, 0x9000}, .count = 1}},
          .period = 10'000'000,
          .start = std::chrono::system_clock::time_point(std::chrono::seconds(5)),
          .duration = std::chrono::seconds(2)};
}

TEST(Proto, StacksHaveNamesLinesAndInlines) {
  const Read got = encoded(cpu());
  EXPECT_EQ(got.strings.front(), "");
  EXPECT_EQ(got.types(1), (std::vector<std::string>{"samples/count", "cpu/nanoseconds"}));
  EXPECT_EQ(got.types(11), (std::vector<std::string>{"cpu/nanoseconds"}));
  EXPECT_EQ(got.whole.number(12), 10'000'000u);
  EXPECT_EQ(got.whole.number(9), 5'000'000'000u);
  EXPECT_EQ(got.whole.number(10), 2'000'000'000u);
  const auto samples = got.whole.messages(2);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(packed(samples[0].texts.find(2)->second), (std::vector<std::int64_t>{3, 30}));
  const auto ids = packed(samples[0].texts.find(1)->second);
  EXPECT_EQ(got.lines(ids.at(0)), (std::vector<std::string>{"inner /src/a.h:7", "_ZN2ns5outerEv /src/a.cpp:20"}));
  EXPECT_EQ(got.lines(ids.at(1)), (std::vector<std::string>{"main /src/a.cpp:99"}));  // 0x1fff: the call, not behind it
  std::vector<std::uint64_t> addresses, mappings;
  for (const Decoded& at : got.whole.messages(4)) addresses.push_back(at.number(3)), mappings.push_back(at.number(2));
  EXPECT_EQ(addresses, (std::vector<std::uint64_t>{0x1100, 0x1fff, 0x2000, 0x8fff}));
  EXPECT_EQ(mappings, (std::vector<std::uint64_t>{1, 1, 1, 0}));
}

TEST(Proto, MappingsSayWhatIsKnown) {
  const Read got = encoded(cpu());
  const auto mappings = got.whole.messages(3);
  ASSERT_EQ(mappings.size(), 2u);
  const auto flags = [](const Decoded& m) {
    return std::vector<std::uint64_t>{m.number(7), m.number(8), m.number(9), m.number(10)};
  };
  EXPECT_EQ(got.string_of(mappings[0], 5), "/bin/app");
  EXPECT_EQ(got.string_of(mappings[0], 6), "abcd");
  EXPECT_EQ(mappings[0].number(4), 0x400u);
  EXPECT_EQ(flags(mappings[0]), (std::vector<std::uint64_t>{1, 1, 1, 1}));
  EXPECT_EQ(flags(mappings[1]), (std::vector<std::uint64_t>{1, 0, 0, 0}));
}

TEST(Proto, TypesOfEachKind) {
  struct Row {
    Kind kind;
    bool knows_all, allocated;
    std::vector<std::string> types;
    const char* shown;
  };
  const std::vector<std::string> all = {"alloc_objects/count", "alloc_space/bytes", "inuse_objects/count",
                                        "inuse_space/bytes"};
  const Row rows[] = {
      {Kind::heap, true, false, all, "inuse_space"},
      {Kind::heap, true, true, all, "alloc_space"},
      {Kind::heap, false, true, {"inuse_objects/count", "inuse_space/bytes"}, "inuse_space"},
      {Kind::growth, false, false, {"objects/count", "space/bytes"}, "space"},
      {Kind::contention, false, false, {"contentions/count", "delay/nanoseconds"}, "delay"},
      {Kind::threads, false, false, {"threads/count"}, "threads"},
      {Kind::pmu, false, false, {"samples/count", "page-faults/count"}, "page-faults"},
  };
  for (const Row& r : rows) {
    Profile profile = cpu();
    profile.kind = r.kind;
    profile.event = r.kind == Kind::pmu ? "page-faults" : "";
    if (r.knows_all) profile.samples.front().allocated_bytes = 1;
    const Read got = encoded(profile, {.allocated = r.allocated});
    EXPECT_EQ(got.types(1), r.types);
    EXPECT_EQ(got.strings.at(got.whole.number(14)), r.shown);
    for (const Decoded& sample : got.whole.messages(2))
      EXPECT_EQ(packed(sample.texts.find(2)->second).size(), r.types.size());
  }
}

TEST(Proto, SaysWhatWasLostAndLess) {
  Profile profile = cpu();
  profile.kind = Kind::heap;
  profile.lost = 7;
  profile.samples.front().value = -40;  // of a difference
  const Read got = encoded(profile);
  const auto comments = packed(got.whole.texts.find(13)->second);
  EXPECT_EQ(got.strings.at(static_cast<std::size_t>(comments.at(0))), "samples that were lost: 7");
  EXPECT_EQ(packed(got.whole.messages(2)[0].texts.find(2)->second), (std::vector<std::int64_t>{3, -40}));
}

TEST(Proto, ReadableNamesOnDemand) {
  const Read got = encoded(cpu(), {.demangle = true});
  std::vector<std::string> names;
  for (const Decoded& function : got.whole.messages(5)) names.push_back(got.string_of(function, 2));
  EXPECT_THAT(names, testing::Contains("ns::outer()"));
}

TEST(Proto, OfNothing) {
  const Read got = encoded({});
  EXPECT_EQ(got.whole.messages(2).size(), 0u);
  EXPECT_EQ(got.whole.messages(3).size(), 2u);
}

}  // namespace
}  // namespace symcached::pprof
