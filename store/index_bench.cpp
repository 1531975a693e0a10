/// What the index costs: an entry published where another must go, and reading the journal at a start.
#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>

#include "base/byte_writer.hpp"
#include "store/journal.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

constexpr std::uint32_t kNow = 1'700'000'000;
constexpr std::string_view kPlaceText = "symcaches/v1/global";

/// As good as a SHA-256 here, and cheaper: every bit depends on the number.
Digest digest(std::uint64_t number) {
  Digest made{};
  for (std::size_t at = 0; at < made.size(); at += 8) {
    number = (number ^ number >> 31) * 0x9e3779b97f4a7c15u + at + 1;
    std::memcpy(made.data() + at, &number, 8);
  }
  return made;
}

/// Used over a week, of many sizes and costs.
Account account(std::uint64_t number) {
  return {.blocks = static_cast<std::uint32_t>(1 + number * 7919 % 5000),
          .last_use = kNow + static_cast<std::uint32_t>(number * 104'729 % (7 * 24 * 3600)),
          .cost_ms = static_cast<std::uint32_t>(number * 31 % 10'000)};
}

void PublishAndEvict_ns(benchmark::State& state) {
  const auto entries = static_cast<std::uint64_t>(state.range(0));
  Index index;
  const auto place = *index.intern(kPlaceText);
  index.reserve(entries);
  std::uint64_t number = 0;
  while (number < entries) {
    index.put(place, digest(number), account(number));
    ++number;
  }
  for (auto _ : state) {
    const auto victim = *index.least_valuable();
    index.erase(victim.place, victim.digest);
    index.put(place, digest(number), account(number));
    ++number;
  }
}
BENCHMARK(PublishAndEvict_ns)->Arg(1'000)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);

/// The same with the journal: an fstat and a write each, and a compaction now and then.
void PublishAndEvictInJournal_ns(benchmark::State& state) {
  const auto entries = static_cast<std::uint64_t>(state.range(0));
  const TempFolder folder;
  Index index;
  Journal journal(folder.path(), 1);
  journal.refresh(index);
  const auto place = *index.intern(kPlaceText);
  std::uint64_t number = 0;
  for (; number < entries; ++number) {
    index.put(place, digest(number), account(number));
    journal.note(index, place, digest(number));
  }
  journal.flush(index);
  for (auto _ : state) {
    journal.refresh(index);
    const auto victim = *index.least_valuable();
    index.erase(victim.place, victim.digest);
    journal.note(index, victim.place, victim.digest);
    index.put(place, digest(number), account(number));
    journal.note(index, place, digest(number));
    journal.flush(index);
    ++number;
  }
}
BENCHMARK(PublishAndEvictInJournal_ns)->Arg(1'000)->Arg(1'000'000);

void LoadJournal_ms(benchmark::State& state) {
  const auto entries = static_cast<std::uint64_t>(state.range(0));
  const TempFolder folder;
  {
    ByteWriter out;
    out.put(place_record(kPlaceText));
    for (std::uint64_t i = 0; i < entries; ++i) out.put(put_record(place_hash(kPlaceText), digest(i), account(i)));
    std::ofstream file(folder.path() / kJournalName, std::ios::binary);
    file << as_text(out.bytes());
  }
  for (auto _ : state) {
    Index index;
    Journal journal(folder.path(), 1);
    journal.refresh(index);
    if (index.entries() != entries) return state.SkipWithError("not all were read");
  }
}
BENCHMARK(LoadJournal_ms)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace symcached::store
