#include "symbolize/section_place.hpp"

#include <gtest/gtest.h>

#include "symcache/writer.hpp"

namespace symcached::symbolize {
namespace {

TEST(SectionPlaces, AsPeopleWriteThem) {
  struct Row {
    std::string_view text;
    std::optional<SectionPlace> want;
  };
  const Row rows[] = {
      {".text+0x10", SectionPlace{".text", 0x10}},
      {".text+10", SectionPlace{".text", 0x10}},
      {".text._Z1f+g+0", SectionPlace{".text._Z1f+g", 0}},
      {".text", std::nullopt},
      {"+10", std::nullopt},
      {".text+", std::nullopt},
      {".text+zero", std::nullopt},
      {"", std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_section_place(r.text), r.want) << r.text;
}

Module module_with(std::vector<model::CodeSection> sections) {
  symcache::Writer writer;
  writer.module(
      {.arch = {}, .debug_id = {}, .debug_file = {}, .producer_kind = "elf", .sections = std::move(sections)});
  return *Module::own(std::move(writer).finish());
}

TEST(Sections, AddressesOfOffsets) {
  const Module module = module_with({{".text", {0}, 0x10}, {".init.text", {0x10}, 0x30}, {".text", {0x40}, 0x40}});
  const Sections sections(module);
  EXPECT_FALSE(sections.empty());
  struct Row {
    std::string_view why;
    std::optional<model::Rva> found;
    std::optional<std::uint64_t> want;
  };
  const Row rows[] = {
      {"the first of a name", sections.address({".text", 0xF}), 0xF},
      {"the first that is long enough", sections.address({".text", 0x10}), 0x50},
      {"another", sections.address({".init.text", 0x2F}), 0x3F},
      {"behind its end", sections.address({".init.text", 0x30}), std::nullopt},
      {"no such section", sections.address({".data", 0}), std::nullopt},
      {"without a section", sections.address(0xF), 0xF},
      {"without one, behind the first", sections.address(0x10), 0x20},
      {"longer than any", sections.address(0x40), std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ(r.found ? std::optional(r.found->value) : std::nullopt, r.want) << r.why;
  const Module linked = module_with({});
  EXPECT_TRUE(Sections(linked).empty());
  EXPECT_FALSE(Sections(linked).address(0));
}

}  // namespace
}  // namespace symcached::symbolize
