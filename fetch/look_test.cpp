#include "fetch/look.hpp"

#include <gmock/gmock.h>

#include "testing/pdb/msf_file.hpp"
#include "testing/server/slow_server.hpp"
#include "testing/server/source_fixture.hpp"

namespace symcached::fetch {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using testkit::Section;

/// Of the GUID that is wanted, or of another one.
std::string large_pdb(bool wanted) {
  std::vector<std::vector<std::byte>> streams(4);
  // The GUID's first fields are little-endian in the file.
  streams[1] = Section()
                   .u32(20000404)
                   .u32(1)
                   .u32(7)
                   .u32(wanted ? 0x3249D99D : 1)
                   .u32(0x49310C40)
                   .u64(0x36690BFBE4F41086)
                   .finish();
  streams[0] = std::vector<std::byte>(kLarge);
  const auto file = testkit::msf_file(streams, {.block_size = 4096});
  return std::string(as_text(file));
}

Wanted wanted_elf(std::string_view first_of_id) {
  std::string id(first_of_id);
  while (id.size() < 40) id += "ab";
  return wanted_of({sources::FileType::elf_debug, {.code_file = "a.so", .code_id = std::move(id)}});
}

class LookTest : public SourceTest {
 protected:
  static Limits roomy() {
    Limits limits;
    limits.max_download = 64 << 20;
    return limits;
  }
  HttpClient roomy_{roomy(), "Test/1", {}, time_.waits()};
};

TEST_F(LookTest, AnotherFileIsNotDownloaded) {
  const std::string garbage = "garbage" + std::string(kLarge, 'x');
  const std::string page = "<html>" + std::string(kLarge, 'x');
  const std::string elf = large_elf(0xCD, ".debug_info");
  struct Row {
    std::string_view why;
    std::string content;
    Wanted wanted;
    SlowServer::Rules rules;
    std::string want;
    unsigned requests;
    bool whole;
  };
  const Row rows[] = {
      {"other content", garbage, kWanted, {}, "refused", 1, false},
      {"other content, no ranges", garbage, kWanted, {.ranges = false}, "refused", 1, false},
      {"a web page", page, kWanted, {}, "transient", 1, false},
      {"by its type", elf, wanted_elf("cd"), {.type = "text/html"}, "transient", 1, false},
      {"ELF, another id", elf, wanted_elf("ce"), {}, "refused", 1, false},
      {"ELF, another id, no ranges", elf, wanted_elf("ce"), {.ranges = false}, "refused", 1, false},
      {"ELF", elf, wanted_elf("cd"), {}, "found", 2, true},
      {"ELF, no ranges", elf, wanted_elf("cd"), {.ranges = false}, "found", 2, true},
      {"PDB", large_pdb(true), kWanted, {}, "found", 3, true},
      {"PDB, another id", large_pdb(false), kWanted, {}, "refused", 2, false},
      {"PDB, another id, which cannot be told without ranges",
       large_pdb(false),
       kWanted,
       {.ranges = false},
       "found",
       2,
       true},
  };
  for (const Row& r : rows) {
    SlowServer server(r.content, r.rules);
    sources::SourceConfig config = config_of(server.url());
    config.layout =
        r.wanted.file.type == sources::FileType::pdb ? sources::Layout::symstore : sources::Layout::debuginfod;
    config.probing = sources::Probing::first;
    const auto source = std::move(*make_source(config, objects_, roomy_));
    const std::string outcome = describe(run_task(source->open(r.wanted))).substr(0, 200);
    EXPECT_THAT(outcome, StartsWith(r.want)) << r.why;
    EXPECT_EQ(server.requests(), r.requests) << r.why;
    const std::size_t most = r.whole ? 2 * kLarge : kLarge * 3 / 4;  // what is in buffers of the system counts
    EXPECT_LT(server.sent(), most) << r.why;
    source->forget(r.wanted);
    EXPECT_EQ(left_over(), 0u) << r.why;
  }
}

TEST_F(LookTest, WhatSaysTooLittleIsNotDownloaded) {
  using store::Quality;
  struct Row {
    std::string_view why;
    std::string_view section;
    Quality at_least;
    std::string want;
    unsigned requests;
    SlowServer::Rules rules = {};
    std::uint8_t id = 0xCD;
    std::size_t size = kLarge;
  };
  const Row rows[] = {
      {"lines", ".debug_info", Quality::lines, "found", 3},
      {"a symbol table is not enough", ".symtab", Quality::lines, "says 2", 2},
      {"a symbol table is enough", ".symtab", Quality::symbol_table, "found", 3},
      {"neither", ".rodata", Quality::public_symbols, "says 0", 2},
      {"anything will do", ".symtab", Quality::none, "found", 2},
      {"another id", ".debug_info", Quality::lines, "refused", 1, {}, 0xCE},
      {"it cannot be told without ranges", ".symtab", Quality::lines, "found", 2, {.ranges = false}},
      {"too small to be looked at", ".symtab", Quality::lines, "found", 1, {}, 0xCD, 1 << 20},
  };
  for (const Row& r : rows) {
    const std::string elf = large_elf(r.id, r.section, r.size);
    SlowServer server(elf, r.rules);
    sources::SourceConfig config = config_of(server.url());
    config.layout = sources::Layout::debuginfod;
    const auto source = std::move(*make_source(config, objects_, roomy_));
    Wanted wanted = wanted_elf("cd");
    wanted.at_least = r.at_least;
    const std::string outcome = describe(run_task(source->open(wanted))).substr(0, 200);
    EXPECT_THAT(outcome, StartsWith(r.want)) << r.why;
    EXPECT_EQ(server.requests(), r.requests) << r.why;
    const std::size_t most = outcome.starts_with("found") ? 2 * kLarge : elf.size() * 3 / 4;
    EXPECT_LT(server.sent(), most) << r.why;
    source->forget(wanted);
    EXPECT_EQ(left_over(), 0u) << r.why;
  }
}

}  // namespace
}  // namespace symcached::fetch
