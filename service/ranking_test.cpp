#include "service/ranking.hpp"

#include <fmt/format.h>

#include <map>

#include "testing/server/service_fixture.hpp"
#include "testing/server/slow_server.hpp"

namespace symcached::service {
namespace {

using store::Quality;
using symbolize::Contents;

/// A debug file, the program itself, and what others made of them.
std::vector<Candidate> candidates_of_elf() {
  return {{{.key = "debug"}, Contents::lines},
          {{.key = "code"}, Contents::lines},
          {{.key = "breakpad"}, Contents::breakpad}};
}

/// What there is: by "file@source", what a cache of it knows, and whether that can be seen before its download.
struct File {
  Contents says;
  bool is_large = false;
};
using World = std::map<std::string, File>;

/// The downloads that asking for all of it costs, each with what it said. In parentheses: only looked at.
std::string downloads(const World& world, std::optional<Contents> have = {}, std::size_t sources = 2) {
  Ranking ranking(candidates_of_elf(), sources, have);
  std::string told;
  while (auto turn = ranking.next()) {
    const std::string name = fmt::format("{}@{}", turn->wanted.key, turn->source);
    const auto found = world.find(name);
    if (found == world.end()) continue;
    const auto best = static_cast<Quality>(found->second.says);
    const bool says_less = found->second.is_large && best < turn->wanted.at_least;
    told += says_less ? "(" + name + ") " : name + " ";
    if (says_less) ranking.put_off(std::move(*turn), best);
    else if (!ranking.have() || found->second.says > *ranking.have()) ranking.made(found->second.says);
  }
  return told;
}

TEST(Ranking, WhatSaysLessIsDownloadedWhenNothingElseIsBetter) {
  constexpr File kLines{Contents::lines, true}, kTable{Contents::symbol_table, true};
  constexpr File kSmallTable{Contents::symbol_table}, kBreakpad{Contents::breakpad},
      kNames{Contents::public_symbols, true};
  struct Row {
    std::string_view why;
    World world;
    std::optional<Contents> have;
    std::string_view want;
  };
  const Row rows[] = {
      {"the first is the best", {{"debug@0", kLines}, {"debug@1", kLines}}, {}, "debug@0 "},
      {"a later source has a better one", {{"debug@0", kTable}, {"debug@1", kLines}}, {}, "(debug@0) debug@1 "},
      {"the program itself is better", {{"debug@0", kTable}, {"code@0", kLines}}, {}, "(debug@0) code@0 "},
      {"Breakpad symbols are better", {{"debug@0", kTable}, {"breakpad@1", kBreakpad}}, {}, "(debug@0) breakpad@1 "},
      {"nothing is better", {{"debug@0", kTable}}, {}, "(debug@0) debug@0 "},
      {"the best of what was put off, and no other",
       {{"debug@0", kNames}, {"code@1", kTable}, {"debug@1", kTable}},
       {},
       "(debug@0) (debug@1) (code@1) debug@1 "},
      {"small ones are not looked at", {{"debug@0", kSmallTable}, {"debug@1", kTable}}, {}, "debug@0 (debug@1) "},
      {"no more than there is",
       {{"debug@0", kTable}, {"code@1", kTable}},
       Contents::symbol_table,
       "(debug@0) (code@1) "},
      {"more than there is", {{"debug@0", kTable}}, Contents::public_symbols, "(debug@0) debug@0 "},
      {"Breakpad symbols are not asked for", {{"breakpad@0", kBreakpad}}, Contents::breakpad, ""},
  };
  for (const Row& r : rows) EXPECT_EQ(downloads(r.world, r.have), r.want) << r.why;
}

TEST(Ranking, WhatComesLastIsNotLookedAt) {
  Ranking alone({candidates_of_elf()[0]}, 1, std::nullopt);
  EXPECT_EQ(alone.next()->wanted.at_least, Quality::none);
  EXPECT_FALSE(alone.next());
  Ranking upgrade({candidates_of_elf()[0]}, 1, Contents::symbol_table);
  EXPECT_EQ(upgrade.next()->wanted.at_least, Quality::breakpad);
  Ranking nobody(candidates_of_elf(), 0, std::nullopt);
  EXPECT_FALSE(nobody.next());
}

class RankingTest : public ServiceTest {
 protected:
  /// In place of a worker: says what the file is known to have.
  static Task<worker::Result> convert(worker::Job job, worker::Sink sink) {
    const auto extent = Extent::parse(job.arguments);
    const auto mapped = MappedFile::from_descriptor(job.inputs.front().file->get(), "input");
    const std::string_view text = as_text(mapped->bytes().subspan(extent->offset, extent->size));
    const bool has_lines = text.find(".debug_info") != std::string_view::npos;
    const auto written = sink(as_bytes(has_lines ? "lines" : "symbols"));
    if (!written) co_return worker::SinkFailed{written.error()};
    co_return worker::Done{DerivedNote{.contents = has_lines ? Contents::lines : Contents::symbol_table}.text()};
  }
  /// What a server finds that asks `first` and then `second`.
  std::string find_at(const SlowServer& first, const SlowServer& second) {
    std::vector<std::unique_ptr<fetch::Source>> sources;
    for (const SlowServer* server : {&first, &second}) {
      sources::SourceConfig config = fetch::config_of(server->url());
      config.layout = sources::Layout::debuginfod;
      sources.push_back(std::move(*fetch::make_source(config, objects_, client_)));
    }
    CacheService service(*store_, std::move(sources), convert, [](Severity, const std::string&) {}, settled());
    CacheQuery query{.type = ModuleType::elf, .module = {.code_file = "a.so", .code_id = "cd"}};
    while (query.module.code_id.size() < 40) query.module.code_id += "ab";
    const std::string found = describe(run_task(service.find(query, kLong)));
    service.stop();
    return found;
  }

  static constexpr std::size_t kSize = 100 << 20;  ///< bytes of the second-best
  static constexpr std::size_t kLittle = 8 << 20;  ///< bytes: more than is looked at, with what is in buffers
};

TEST_F(RankingTest, TheSecondBestIsNotDownloadedWhenALaterSourceHasABetterOne) {
  SlowServer symbols(large_elf(0xCD, ".symtab", kSize), {.only_at = "debuginfo"});
  SlowServer lines(large_elf(0xCD, ".debug_info"), {.only_at = "debuginfo"});
  EXPECT_EQ(find_at(symbols, lines), "ready lines");
  EXPECT_LT(symbols.sent(), kLittle);
  EXPECT_EQ(symbols.requests(), 2u) << "its start, and its section headers";
}

TEST_F(RankingTest, TheSecondBestIsDownloadedWhenThereIsNoBetterOne) {
  SlowServer symbols(large_elf(0xCD, ".symtab"), {.only_at = "debuginfo"});
  SlowServer none("", {.only_at = "nowhere"});
  EXPECT_EQ(find_at(symbols, none), "ready symbols");
  EXPECT_GE(symbols.sent(), kLarge);
  EXPECT_EQ(none.requests(), 2u) << "for the debug file, and for the program";
}

}  // namespace
}  // namespace symcached::service
