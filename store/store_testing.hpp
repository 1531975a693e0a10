#pragma once
/// For tests: a store with one key, and looking at what is in it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/overloaded.hpp"
#include "store/store.hpp"

namespace symcached::store {

inline const EntryKey kKey{{"symcaches", 1}, "global", "a.pdb/1"};

inline EntryKey key_of(std::size_t i) { return {{"symcaches", 1}, "global", "made-up.pdb/" + std::to_string(i)}; }

inline std::unique_ptr<Store> open_store(const std::filesystem::path& folder, std::uint64_t boot = 1,
                                         StoreOptions options = {}) {
  auto store = Store::open(folder, boot, std::move(options));
  if (!store) ADD_FAILURE() << store.error();
  return store ? std::move(*store) : nullptr;
}

/// "" or why not.
inline std::string try_put(Store& store, std::string_view payload, const EntryKey& key = kKey) {
  auto writer = store.create(key);
  if (!writer) return writer.error();
  if (const auto written = writer->write(as_bytes(payload)); !written) return written.error();
  const auto published = std::move(*writer).publish();
  return published ? "" : published.error();
}

inline void put(Store& store, std::string_view payload, const EntryKey& key = kKey) {
  EXPECT_EQ(try_put(store, payload, key), "");
}

/// "hit <payload>", or the state: "miss", "absent", "malformed <why>", ...
inline std::string say(const Lookup& lookup) {
  return std::visit(
      overloaded{[](const Hit& hit) {
                   const auto mapped = hit.entry->map();
                   if (!mapped) return mapped.error();
                   return "hit " + std::string(as_text(mapped->bytes().subspan(kPayloadOffset)));
                 },
                 [](const Miss&) { return std::string("miss"); }, [](const Absent&) { return std::string("absent"); },
                 [](const Malformed& m) { return "malformed " + m.why; },
                 [](const Unsupported& u) { return "unsupported " + u.why; },
                 [](const NotWhole& n) { return "not whole " + n.why; },
                 [](const Crashed& c) { return "crashed " + c.why; },
                 [](const TimedOut& t) { return "timed out " + t.why; },
                 [](const Forbidden& f) { return "forbidden " + f.why; },
                 [](const RateLimited& r) { return "rate limited " + r.why; },
                 [](const Unavailable& u) { return "unavailable " + u.why; },
                 [](const Exhausted& e) { return "exhausted " + e.why; }},
      lookup);
}

inline std::string say(const std::optional<Lookup>& lookup) { return lookup ? say(*lookup) : "not checked yet"; }

/// Below `folder`, relative, sorted.
inline std::vector<std::string> all_files(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (!entry.is_directory()) names.push_back(entry.path().lexically_relative(folder).string());
  std::ranges::sort(names);
  return names;
}

inline std::size_t entries_in(const std::filesystem::path& folder) {
  const auto all = all_files(folder);
  return static_cast<std::size_t>(std::ranges::count_if(all, [](const std::string& name) {
    return name != kMarkerName && name != kTagName && name != kJournalName && name != kLocksName;
  }));
}

inline std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace symcached::store
