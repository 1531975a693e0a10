#include <algorithm>
#include <vector>

#include "store/journal_record.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  using namespace symcached::store;
  const Bytes all = std::as_bytes(std::span(data, size));
  Index index;
  std::size_t records = 0;
  const std::size_t read = read_journal(all, [&](const Said& said) {
    ++records;
    if (said.event == Event::place && !index.intern(said.place) && index.places() < Index::kMaxPlaces &&
        index.kinds() < Index::kMaxKinds)
      __builtin_trap();  // every place that is read is one
    if (index.places() == 0) return;
    if (said.event == Event::put) index.put(0, said.digest, said.account);
    if (said.event == Event::gone) index.erase(0, said.digest);
  });
  if (read > size || size - read >= sizeof(JournalRecord)) __builtin_trap();
  if (records > size / sizeof(JournalRecord)) __builtin_trap();
  while (const auto entry = index.least_valuable()) index.erase(entry->place, entry->digest);
  if (index.entries() != 0 || index.bytes() != 0) __builtin_trap();
  return 0;
}
