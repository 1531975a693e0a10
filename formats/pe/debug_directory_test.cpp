#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "formats/pe/reader.hpp"
#include "testing/pe/image.hpp"

namespace symcached::pe {
namespace {

using testkit::assemble;
using testkit::PeImage;
using testkit::rich_image;
using testkit::rsds;
using testkit::Section;

constexpr std::string_view kGuid = "01020304-0506-0708-090a-0b0c0d0e0f10";

TEST(PeDebug, EveryCodeViewRecordIsGiven) {
  const auto bytes = assemble(rich_image(true)).finish();
  const auto image = Image::open(bytes);
  ASSERT_TRUE(image);
  const auto entries = image->debug_entries();
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 8u);

  const auto native = *image->code_view((*entries)[0]);
  ASSERT_TRUE(native);
  EXPECT_EQ(native->guid.dashed(), kGuid);
  EXPECT_EQ(native->debug_id().dashed(), std::string(kGuid) + "-1a");
  EXPECT_EQ(native->debug_file, "C:\\build\\app.ni.pdb");
  EXPECT_FALSE(native->portable);

  const auto portable = *image->code_view((*entries)[1]);
  ASSERT_TRUE(portable);
  EXPECT_TRUE(portable->portable);
  EXPECT_EQ(portable->age, 1u);
  EXPECT_EQ(portable->debug_id().dashed(), "01020304-0506-0708-090a-0b0c0d0e0f11-deadbeef");

  const auto old = *image->code_view((*entries)[2]);
  ASSERT_TRUE(old) << "found by its RVA alone";
  EXPECT_EQ(old->format, CodeView::Format::nb10);
  EXPECT_EQ(old->timestamp, 0x3B7D8453u);
  EXPECT_EQ(old->age, 5u);
  EXPECT_EQ(old->debug_file, "old.pdb");

  ASSERT_GT(entries->size(), 3u);
  for (std::size_t i = 3; i < entries->size(); ++i) {
    const auto other = image->code_view((*entries)[i]);
    ASSERT_TRUE(other) << i;
    EXPECT_FALSE(other->has_value()) << i << ": not CodeView, or symbols inside the image";
  }
}

TEST(PeDebug, OtherEntriesAreHandedOnAsTheyAre) {
  const auto bytes = assemble(rich_image(false)).finish();
  const auto image = Image::open(bytes);
  ASSERT_TRUE(image);
  const auto entries = *image->debug_entries();
  const auto type = [&](std::size_t i) { return static_cast<DebugType>(std::uint32_t{entries[i].type}); };
  EXPECT_EQ(type(4), DebugType::repro);
  EXPECT_TRUE(image->data_of(entries[4])->empty());
  EXPECT_EQ(type(5), DebugType::pdb_checksum);
  EXPECT_TRUE(as_text(*image->data_of(entries[5])).starts_with("SHA256"));
  EXPECT_EQ(type(6), DebugType::embedded_portable_pdb);
  EXPECT_TRUE(as_text(*image->data_of(entries[6])).starts_with("MPDB"));
  EXPECT_EQ(type(7), DebugType::ex_dll_characteristics);
  EXPECT_EQ(image->data_of(entries[7])->size(), 4u);
}

TEST(PeDebug, PathsWithoutNulEndWithTheRecord) {
  auto data = rsds("a.pdb", 1);
  data.pop_back();
  PeImage spec;
  spec.debug = {{.data = data}, {.data = rsds(std::string_view("b.pdb\0tail", 10), 1)}, {.data = rsds("", 1)}};
  const auto bytes = assemble(spec).finish();
  const auto image = Image::open(bytes);
  ASSERT_TRUE(image);
  const auto entries = *image->debug_entries();
  EXPECT_EQ((*image->code_view(entries[0]))->debug_file, "a.pdb");
  EXPECT_EQ((*image->code_view(entries[1]))->debug_file, "b.pdb");
  EXPECT_EQ((*image->code_view(entries[2]))->debug_file, "");
}

TEST(PeDebug, WrongDirectoriesAreNamed) {
  const Section out = assemble(rich_image(true));
  const std::size_t directory = out.at("directory_count") + 4 + 8 * 6;
  const std::size_t entry = out.at("debug");
  struct Row {
    std::string_view why;
    std::size_t at;
    std::uint32_t value;
    std::string_view field;
  };
  const Row rows[] = {
      {"directory in no section", directory, 0x8000, "pe.debug_directory"},
      {"directory past its section", directory + 4, 28 * 40, "pe.debug_directory"},
      {"more entries than we take", directory + 4, 28 * (kMaxDebugEntries + 1), "pe.debug_directory.size"},
      {"data past the end", entry + 24, 0xFFFFFF00, "pe.debug_entry.data"},
      {"a record of 64 KiB and a byte", entry + 16, kMaxCodeViewSize + 1, "pe.codeview.size"},
      {"no room for the signature", entry + 16, 3, "pe.codeview.signature"},
      {"no room for the age", entry + 16, 23, "pe.codeview.rsds"},
      {"NB10 cut", entry + 2 * 28 + 16, 15, "pe.codeview.nb10"},
  };
  const auto first_error = [](const Image& image) -> std::optional<ReadError> {
    const auto entries = image.debug_entries();
    if (!entries) return entries.error();
    for (const DebugEntryRecord& record : *entries)
      if (const auto view = image.code_view(record); !view) return view.error();
    return std::nullopt;
  };
  for (const Row& r : rows) {
    auto bytes = out.finish();
    testkit::patch(bytes, r.at, u32le(r.value));
    const auto image = Image::open(bytes);
    ASSERT_TRUE(image) << r.why;
    const auto error = first_error(*image);
    ASSERT_TRUE(error) << r.why;
    EXPECT_EQ(error->field, r.field) << r.why;
  }
}

TEST(PeDebug, AnUnevenDirectoryIsRoundedDown) {
  const Section out = assemble(rich_image(true));
  auto bytes = out.finish();
  testkit::patch(bytes, out.at("directory_count") + 4 + 8 * 6 + 4, u32le(28 * 2 + 27));
  EXPECT_EQ(Image::open(bytes)->debug_entries()->size(), 2u);
}

}  // namespace
}  // namespace symcached::pe
