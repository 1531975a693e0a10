#include "profiling/unwinding/module_numbers.hpp"

#include <gtest/gtest.h>
#include <link.h>

#include <cstring>
#include <set>

#include "profiling/unwinding/elf_notes.hpp"
#include "testing/assembler.hpp"

namespace symcached::pprof {
namespace {

using testkit::Section;

/// A page as the first of a module: ELF header, two segments, a note with a build id.
std::vector<std::byte> page_with(std::string_view id, std::uint64_t mapped = 4096) {
  ElfW(Ehdr) header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(ElfW(Phdr));
  header.e_phnum = 2;
  ElfW(Phdr) load{}, note{};
  load.p_type = PT_LOAD;
  load.p_filesz = mapped;
  note.p_type = PT_NOTE;
  note.p_offset = sizeof header + 2 * sizeof(ElfW(Phdr));
  note.p_filesz = 16 + id.size();
  note.p_align = 4;
  Section out;
  out.bytes(std::as_bytes(std::span(&header, 1))).bytes(std::as_bytes(std::span(&load, 1)));
  out.bytes(std::as_bytes(std::span(&note, 1)));
  out.u32(4).u32(static_cast<std::uint32_t>(id.size())).u32(NT_GNU_BUILD_ID).c_string("GNU").text(id);
  return out.pad_to(4096).finish();
}

/// A place in memory for one module after the other.
struct Place {
  alignas(4096) std::array<std::byte, 4096> page{};

  LoadedModule load(std::string_view id) {
    const auto bytes = page_with(id);
    std::ranges::copy(bytes, page.begin());
    const auto begin = reinterpret_cast<std::uintptr_t>(page.data());
    return {begin, begin + 4096, begin + 2048};
  }
};

TEST(BuildIdIn, IsFoundInTheFirstSegment) {
  const auto page = page_with("some id");
  EXPECT_EQ(as_text(build_id_in(page)), "some id");
  EXPECT_TRUE(build_id_in(page_with("some id", 190)).empty()) << "not in the segment whole";
  for (std::size_t n = 0; n < sizeof(ElfW(Ehdr)) + 2 * sizeof(ElfW(Phdr)) + 16 + 7; ++n)
    EXPECT_TRUE(build_id_in(Bytes(page).first(n)).empty()) << n;
}

TEST(ModuleNumbers, StandForABuildIdAtAnAddress) {
  static ModuleNumbers numbers;
  static Place here, there;
  const std::uint32_t first = numbers.number(here.load("one"), false);
  EXPECT_NE(first, 0u);
  EXPECT_EQ(numbers.number(here.load("one"), false), first);
  const std::uint32_t elsewhere = numbers.number(there.load("one"), false);
  EXPECT_NE(elsewhere, 0u);
  EXPECT_NE(elsewhere, first);
  const std::uint32_t second = numbers.number(here.load("two"), false);
  EXPECT_NE(second, 0u);
  EXPECT_NE(second, first);
  EXPECT_EQ(numbers.number(here.load("one"), false), first) << "the old one again";
  LoadedModule other = here.load("one");
  other.header += 16;
  EXPECT_NE(numbers.number(other, false), first);
}

TEST(ModuleNumbers, NeedABuildIdUnlessTheModuleStays) {
  static ModuleNumbers numbers;
  static Place place;
  const LoadedModule module = place.load("");
  EXPECT_EQ(numbers.number(module, false), 0u);
  const std::uint32_t number = numbers.number(module, true);
  EXPECT_NE(number, 0u);
  EXPECT_EQ(numbers.number(module, true), number);
  EXPECT_EQ(numbers.number(module, false), 0u);
  EXPECT_EQ(numbers.number(place.load(std::string(33, 'x')), false), 0u) << "too long an id";
}

TEST(ModuleNumbers, AreGivenToNoTwo) {
  static ModuleNumbers numbers;
  static Place place;
  std::set<std::uint32_t> given;
  std::size_t without = 0;
  for (int i = 0; i < 100; ++i) {
    const std::uint32_t number = numbers.number(place.load("version " + std::to_string(i)), false);
    if (number == 0) ++without;
    else EXPECT_TRUE(given.insert(number).second);
  }
  EXPECT_EQ(given.size(), 8u) << "for one address there is only so much room";
  EXPECT_EQ(without, 92u);
}

}  // namespace
}  // namespace symcached::pprof
