#include "profiling/unwinding/unwind_rule.hpp"

#include <gtest/gtest.h>

#include "profiling/unwinding/rule_cache.hpp"
#include "testing/assembler.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::pprof {

inline void PrintTo(const UnwindRule& rule, std::ostream* out) {
  *out << "kind " << static_cast<int>(rule.kind) << ", cfa " << rule.cfa << ", rbp " << rule.rbp_slot;
}

namespace {

using testkit::Section;
using Code = std::vector<std::uint8_t>;
using Kind = UnwindRule::Kind;

constexpr std::uint64_t kAddress = 0x400000, kCode = 0x1000;  // of the image; offset of the first function in it
constexpr std::uint64_t kFunctionSize = 0x20;

Code operator+(Code a, const Code& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Instructions for the rules of frames.
const Code kCie = {0x0C, 7, 8, 0x90, 1};  // the CFA is rsp + 8, the return address at CFA - 8
const Code kPushRbp = {0x41, 0x0E, 16, 0x86, 2};
const Code kMoveRbp = {0x43, 0x0D, 6};
const Code kLeave = {0x4A, 0x0C, 7, 8};
const Code kPltCfa = {0x0F, 11, 0x77, 8, 0x80, 0, 0x3F, 0x1A, 0x3B, 0x2A, 0x33, 0x24, 0x22};

/// A module's image: .eh_frame_hdr, then .eh_frame with a common entry and functions of kFunctionSize bytes each.
struct Module {
  Code cie = kCie;
  std::vector<Code> functions = {kPushRbp + kMoveRbp};
  std::string augmentation = "zR";
  Code augmentation_data = {0x1B};
  std::uint8_t return_register = 16, pairs = 0x3B, version = 1;
  bool is_wide = false;  ///< lengths of 64 bits

  void entry(Section& out, const std::string& name, const Section& body) const {
    const std::vector<std::byte> bytes = body.finish();
    out.label("length of " + name);
    if (is_wide) out.u32(0xFFFFFFFF).u64(bytes.size() + 4);
    else out.u32(static_cast<std::uint32_t>(bytes.size() + 4));
    out.label(name);
  }
  std::vector<std::byte> bytes() const {
    Section out;
    out.u8(1).u8(0x1B).u8(0x03).u8(pairs).ref32("frames", -4).u32(static_cast<std::uint32_t>(functions.size()));
    for (std::size_t i = 0; i < functions.size(); ++i)
      out.u32(static_cast<std::uint32_t>(kCode + i * kFunctionSize)).ref32("length of " + std::to_string(i));
    out.label("frames");
    Section common;
    common.u8(version).c_string(augmentation).u8(1).u8(0x78).u8(return_register);
    if (augmentation.starts_with('z')) common.u8(static_cast<std::uint8_t>(augmentation_data.size()));
    common.bytes(std::as_bytes(std::span(augmentation_data))).bytes(std::as_bytes(std::span(cie)));
    entry(out, "common", common);
    out.u32(0).bytes(common.finish());
    for (std::size_t i = 0; i < functions.size(); ++i) {
      Section rest;
      rest.u32(kFunctionSize).u8(0).bytes(std::as_bytes(std::span(functions[i])));
      entry(out, std::to_string(i), Section().u32(0).bytes(rest.finish()));
      out.distance32("length of common", std::to_string(i));
      const std::uint64_t begin = kCode + i * kFunctionSize;
      out.u32(static_cast<std::uint32_t>(begin - out.size())).bytes(rest.finish());
    }
    return out.u32(0).finish();
  }
};

UnwindRule rule_in(Bytes image, std::uint64_t offset) {
  return find_rule({image, kAddress, 0}, kAddress + kCode + offset);
}

TEST(UnwindRule, FollowsTheInstructionsUpToThePlace) {
  struct Row {
    std::string_view why;
    Code function;
    std::uint64_t offset;
    UnwindRule want;
  };
  const Code framed = kPushRbp + kMoveRbp + kLeave;
  const UnwindRule entered{Kind::from_rsp, 8, 0};
  const Row rows[] = {
      {"on entry", framed, 0, entered},
      {"rbp is pushed", framed, 1, {Kind::from_rsp, 16, 2}},
      {"the last byte before rbp is the frame's", framed, 3, {Kind::from_rsp, 16, 2}},
      {"rbp is the frame's", framed, 4, {Kind::from_rbp, 16, 2}},
      {"left", framed, 14, {Kind::from_rsp, 8, 2}},
      {"the last byte", framed, kFunctionSize - 1, {Kind::from_rsp, 8, 2}},
      {"behind it", framed, kFunctionSize, {}},
      {"before it", framed, ~std::uint64_t{0}, {}},
      {"no instructions", {}, 9, entered},
      {"steps of 1, 2 and 4 bytes",
       {2, 1, 0x0E, 16, 3, 1, 0, 0x0E, 24, 4, 1, 0, 0, 0, 0x0E, 32},
       3,
       {Kind::from_rsp, 32, 0}},
      {"a large frame", {0x0E, 0x88, 0x80, 0x04}, 9, {Kind::from_rsp, 0x10008, 0}},
      {"too large a frame", {0x0E, 0x80, 0x80, 0x20}, 9, {}},
      {"an odd frame", {0x0E, 12}, 9, {}},
      {"remembered and recalled", {0x0A, 0x41, 0x0E, 16, 0x41, 0x0B}, 2, entered},
      {"recalled without cause", {0x0B}, 2, {}},
      {"rbp restored", {0x86, 2, 0x41, 0xC6}, 1, entered},
      {"rbp restored by its long form", {0x05, 6, 2, 0x41, 0x06, 6}, 1, entered},
      {"rbp the same", {0x86, 2, 0x41, 0x08, 6}, 1, entered},
      {"rbp saved far away", {0x86, 16}, 1, {}},
      {"rbp saved by a signed number", {0x11, 6, 3}, 1, {Kind::from_rsp, 8, 3}},
      {"rbp saved above the CFA", {0x11, 6, 0x7E}, 1, {}},
      {"rbp in another register", {0x09, 6, 3}, 1, {}},
      {"rbp by an expression", {0x10, 6, 2, 0x77, 8}, 1, {}},
      {"rbp has no value", {0x07, 6}, 1, {}},
      {"others do not matter", {0x83, 3, 0x10, 3, 2, 0x77, 8, 0x07, 12, 0x16, 13, 1, 0x77}, 1, entered},
      {"rsp saved", {0x87, 3}, 1, {}},
      {"nobody called", {0x07, 16}, 1, {Kind::outermost}},
      {"the return address elsewhere", {0x90, 2}, 1, {}},
      {"a frame by another register", {0x0D, 10}, 1, {}},
      {"a frame by an expression", {0x0F, 3, 0x76, 0x78, 0x06}, 1, {}},
      {"a frame by an expression, then by an offset", {0x0F, 3, 0x76, 0x78, 0x06, 0x0E, 16}, 1, {}},
      {"a frame by an expression that is over", {0x0F, 3, 0x76, 0x78, 0x06, 0x41, 0x0C, 7, 8}, 1, entered},
      {"a PLT before its push", kPltCfa, 10, entered},
      {"a PLT behind it", kPltCfa, 11, {Kind::from_rsp, 16, 0}},
      {"a PLT's next entry", kPltCfa, 16, entered},
      {"bytes of arguments", {0x2E, 0x90, 1}, 1, entered},
      {"an unknown instruction", {0x3F}, 1, {}},
      {"an unknown instruction behind the place", {0x42, 0x3F}, 1, entered},
      {"a number that is cut", {0x0E, 0x80}, 1, {}},
  };
  for (const Row& r : rows) {
    const auto image = Module{.functions = {r.function}}.bytes();
    EXPECT_EQ(rule_in(image, r.offset), r.want) << r.why;
  }
}

TEST(UnwindRule, IsOfTheFunctionThere) {
  Module module{.functions = {}};
  for (std::uint8_t i = 0; i < 7; ++i) module.functions.push_back({0x0E, static_cast<std::uint8_t>(8 + 8 * i)});
  const auto image = module.bytes();
  for (std::uint32_t i = 0; i < 7; ++i)
    for (const std::uint64_t at : {std::uint64_t{0}, kFunctionSize - 1})
      EXPECT_EQ(rule_in(image, i * kFunctionSize + at), (UnwindRule{Kind::from_rsp, 8 + 8 * i, 0})) << i;
  EXPECT_EQ(rule_in(image, 7 * kFunctionSize), UnwindRule());
}

TEST(UnwindRule, NeedsTablesOfTheUsualKind) {
  struct Row {
    std::string_view why;
    Module module;
    bool want;
  };
  const Row rows[] = {
      {"the usual", {}, true},
      {"with a personality", {.augmentation = "zPLR", .augmentation_data = {0x9B, 1, 2, 3, 4, 0x1B, 0x1B}}, true},
      {"lengths of 64 bits", {.is_wide = true}, true},
      {"version 3", {.version = 3}, true},
      {"version 9", {.version = 9}, false},
      {"a signal's frame", {.augmentation = "zRS"}, false},
      {"signed return addresses", {.augmentation = "zRB"}, false},
      {"unknown augmentation", {.augmentation = "zR?"}, false},
      {"pointers of an unknown kind", {.augmentation_data = {0x3B}}, false},
      {"another return register", {.return_register = 30}, false},
      {"no CFA", {.cie = {0x90, 1}, .functions = {{}}}, false},
      {"no return address", {.cie = {0x0C, 7, 8}}, false},
      {"a search table of another kind", {.pairs = 0x1B}, false},
      {"no functions", {.functions = {}}, false},
  };
  for (const Row& r : rows) EXPECT_EQ(rule_in(r.module.bytes(), 9).kind != Kind::other, r.want) << r.why;
}

TEST(UnwindRule, EveryCutAndEveryChangedByteIsRead) {
  const auto whole = Module{.functions = {kPushRbp + kMoveRbp, kPltCfa}}.bytes();
  for (std::size_t n = 0; n + 12 < whole.size(); ++n) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
    EXPECT_EQ(rule_in(cut, kFunctionSize), UnwindRule()) << n;
  }
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto changed = whole;
      changed[at] ^= static_cast<std::byte>(1 << bit);
      for (const std::uint64_t offset : {0, 9, 33}) EXPECT_EQ(rule_in(changed, offset).cfa % 8, 0u);
    }
}

TEST(UnwindRule, StoredInputs) {
  const testkit::StoredInput inputs[] = {
      {"framed", Module{.functions = {kPushRbp + kMoveRbp + kLeave, {0x07, 16}}}.bytes()},
      {"plt", Module{.functions = {kPltCfa}}.bytes()},
      {"personality", Module{.augmentation = "zPLR", .augmentation_data = {0x9B, 1, 2, 3, 4, 0x1B, 0x1B}}.bytes()},
      {"wide", Module{.is_wide = true}.bytes()},
      {"many", Module{.functions = {{2, 1, 0x0E, 16, 3, 1, 0, 0x0E, 24, 4, 1, 0, 0, 0, 0x0E, 32},
                                    {0x0A, 0x41, 0x0E, 16, 0x41, 0x0B},
                                    {0x05, 6, 2, 0x41, 0x06, 6, 0x11, 6, 3, 0x08, 6, 0x09, 3, 4}}}
                   .bytes()},
  };
  testkit::expect_stored("profiling/unwinding/fuzz_corpus/unwind_rule_fuzz", inputs);
}

TEST(RuleCache, GivesBackWhatWasStored) {
  static RuleCache cache;
  const UnwindRule rules[] = {{},
                              {Kind::outermost},
                              {Kind::from_rsp, 8, 0},
                              {Kind::from_rbp, 16, 2},
                              {Kind::from_rsp, UnwindRule::kMaxCfa, UnwindRule::kMaxRbpSlot}};
  for (const std::uint32_t module : {std::uint32_t{1}, RuleCache::kMaxModule})
    for (const std::uint32_t offset : {0u, 1u, 0xFFFFFFFFu}) {
      EXPECT_EQ(cache.find(module, offset), std::nullopt);
      for (const UnwindRule& rule : rules) {
        cache.store(module, offset, rule);
        EXPECT_EQ(cache.find(module, offset), rule);
      }
    }
  EXPECT_EQ(cache.find(2, 0), std::nullopt);
}

}  // namespace
}  // namespace symcached::pprof
