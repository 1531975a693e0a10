/// Units dealt out from plain and from compressed sections, the same ones in the same order; and what is passed over in
/// them.
#include "object/dwarf/units.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>

#include "testing/dwarf/rows.hpp"
#include "testing/model_text.hpp"

namespace symcached::object {
namespace {

using dwarf::At;
using dwarf::Form;
using dwarf::Tag;
using testing::ElementsAre;
using testkit::data;
using testkit::DwarfBytesOf;
using testkit::DwarfImage;
using testkit::Entry;
using testkit::entry;
using testkit::function;
using testkit::reference;
using testkit::string;
using testkit::unit_entry;

constexpr CodeRange kCode[] = {{0x1000, 0x10000000}};

std::vector<std::byte> deflated(Bytes plain) {
  libdeflate_compressor* with = libdeflate_alloc_compressor(1);
  std::vector<std::byte> out(libdeflate_zlib_compress_bound(with, plain.size()));
  out.resize(libdeflate_zlib_compress(with, plain.data(), plain.size(), out.data(), out.size()));
  libdeflate_free_compressor(with);
  return out;
}

/// As many units as make several batches, of many sizes, one larger than a batch.
DwarfBytesOf many_units(bool big) {
  DwarfImage image({.big = big});
  std::uint64_t at = 0x1000;
  for (std::size_t i = 0; i < 60; ++i) {
    std::vector<testkit::Entry> entries;
    const std::size_t count = i == 30 ? 12000 : i * i % 2500;
    for (std::size_t k = 0; k < count; ++k, at += 16) entries.push_back(function(fmt::format("f{}_{}", i, k), at, 8));
    image.unit(unit_entry({}, std::move(entries)));
    if (i % 7 == 0) image.padding(4 * (i % 3));
  }
  return image.finish();
}

std::vector<std::string> text_of(const DwarfInput& input) {
  ModelText sink;
  const auto done = translate_dwarf(input, sink);
  return done ? sink.text() : std::vector{to_string(done.error())};
}

std::vector<std::string> text_of_compressed(const DwarfBytesOf& done, Bytes compressed, std::uint64_t size) {
  DwarfInput input{.sections = done.sections, .code = kCode};
  input.sections.info = {};
  input.compressed_info = {Codec::zlib, compressed, size};
  return text_of(input);
}

TEST(DwarfUnits, InflatedUnitsAreThoseOfThePlainSection) {
  for (const bool big : {false, true}) {
    const DwarfBytesOf done = many_units(big);
    const auto plain = text_of({.sections = done.sections, .code = kCode});
    ASSERT_GT(plain.size(), 20000u);
    EXPECT_EQ(text_of_compressed(done, deflated(done.info), done.info.size()), plain) << big;
  }
}

TEST(DwarfUnits, BatchesFollowEachOtherWithoutGaps) {
  const DwarfBytesOf done = many_units(false);
  const auto compressed = deflated(done.info);
  std::size_t released = 0;
  DwarfInput input{.sections = done.sections, .release = [&] { ++released; }};
  input.sections.info = {};
  input.compressed_info = {Codec::zlib, compressed, done.info.size()};
  const auto files = DwarfFiles::open(input);
  ASSERT_TRUE(files);
  auto queue = UnitQueue::open(input, *files);
  ASSERT_TRUE(queue);
  EXPECT_EQ(files->bytes(), DwarfFiles::open({.sections = done.sections})->bytes());
  std::size_t batches = 0, units = 0;
  std::uint64_t at = 0;
  for (UnitBatch batch; *queue->next(batch); ++batches) {
    EXPECT_EQ(batch.first, units);
    EXPECT_EQ(batch.sections.info_start, at);
    units += batch.units.size();
    at += batch.sections.info.size();
  }
  EXPECT_EQ(units, 60u);
  EXPECT_EQ(at, done.info.size());
  EXPECT_GT(batches, 2u);
  EXPECT_LT(batches, 30u);
}

TEST(DwarfUnits, WhatCannotBeInflatedIsRefused) {
  const DwarfBytesOf done = many_units(false);
  const auto compressed = deflated(done.info);
  const auto refused = [&](Bytes bytes, std::uint64_t size) {
    const auto text = text_of_compressed(done, bytes, size);
    return text.size() == 1 ? text[0] : fmt::format("{} functions", text.size());
  };
  EXPECT_THAT(refused(compressed, done.info.size() - 1), testing::HasSubstr("(dwarf."));
  EXPECT_THAT(refused(compressed, done.info.size() + 1), testing::HasSubstr("(dwarf."));
  EXPECT_THAT(refused(compressed, ~std::uint64_t{0}), testing::HasSubstr("(dwarf.debug_info "));
  EXPECT_THAT(refused(Bytes(compressed).first(compressed.size() / 2), done.info.size()),
              testing::HasSubstr("(dwarf.debug_info "));
  auto broken = done.info;
  broken[4] = std::byte{77};  // the version of the first unit
  EXPECT_THAT(refused(deflated(broken), broken.size()), testing::HasSubstr("(dwarf.unit.version "));
  broken = done.info;
  broken.resize(broken.size() - 3);
  EXPECT_THAT(refused(deflated(broken), broken.size()), testing::HasSubstr("(dwarf.unit_length "));
}

TEST(DwarfUnits, ErrorsSayWhereTheyAreInTheWholeSection) {
  DwarfBytesOf done = many_units(false);
  done.info.back() = std::byte{9};  // an entry of no declaration
  const DwarfInput input{.sections = {.info = done.info, .abbrev = done.abbrev}, .code = kCode};
  const auto plain = text_of(input);
  ASSERT_THAT(plain, ElementsAre(testing::HasSubstr("(dwarf.die.abbrev ")));
  EXPECT_EQ(text_of_compressed(done, deflated(done.info), done.info.size()), plain);
}

std::vector<std::string> text_of(std::vector<Entry> entries) {
  DwarfImage image;
  image.unit(unit_entry({}, std::move(entries)));
  const DwarfBytesOf done = image.finish();
  return text_of({.sections = done.sections, .code = kCode});
}

TEST(DwarfUnits, TypesThatNameTheirSiblingAreSteppedOver) {
  const auto type = [](std::string_view sibling, std::vector<Entry> inside) {
    return entry(Tag::structure_type, {data(At::call_line, 7, Form::data1), reference(At::sibling, sibling)},
                 std::move(inside));
  };
  struct Row {
    std::string_view why;
    std::vector<Entry> entries;
    std::vector<std::string> want;
  };
  const Entry code = function("inside", 0x1000, 8), last = function("last", 0x2000, 8).named("last");
  const Entry around = entry(Tag::subprogram, {string(At::name, "abstract")}, {type("last", {code})});
  Entry backwards = type("first", {code});
  const Row rows[] = {
      {"to the next one", {type("last", {code}), last}, {"2000+8 last"}},
      {"over one that has no children", {type("last", {}), last}, {"2000+8 last"}},
      {"local classes hold their code",
       {function("f", 0x3000, 8, {type("last", {code})}), last},
       {"1000+8 inside", "2000+8 last", "3000+8 f"}},
      {"those of an abstract function too", {around, last}, {"1000+8 inside", "2000+8 last"}},
      {"not backwards",
       {function("first", 0x4000, 8).named("first"), backwards, last},
       {"1000+8 inside", "2000+8 last", "4000+8 first"}},
  };
  for (const Row& r : rows) {
    auto found = text_of(r.entries);
    std::ranges::sort(found);
    EXPECT_EQ(found, r.want) << r.why;
  }
  Entry outside = type("", {code});
  outside.attributes[1] = data(At::sibling, 0x7FFFFFFF, Form::ref4);
  EXPECT_THAT(text_of(std::vector{outside, last}), ElementsAre("1000+8 inside", "2000+8 last"));
}

}  // namespace
}  // namespace symcached::object
