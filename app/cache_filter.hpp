#pragma once
/// Which entries of the cache a command is about.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/entry_check.hpp"
#include "store/walk.hpp"

namespace symcached::app {

/// Of each list any may match, and of the lists that are not empty all have to.
struct CacheFilter {
  std::vector<std::string> texts = {};  ///< see matches_key()
  std::vector<std::string> kinds = {}, scopes = {};
  std::vector<int> states = {};                     ///< service::EntryState
  std::optional<std::uint64_t> older_than_ms = {};  ///< since the last use

  bool is_empty() const;
  bool needs_head() const { return !texts.empty() || !states.empty(); }
  /// What is known without the head: kind, scope and age.
  bool matches(const store::FoundEntry& entry, store::TimePoint now) const;
  bool matches(const service::EntryReport& report) const;
};

/// Whether a key, or a part of it between slashes and blanks, is what `text` stands for, whatever the case: with `*`
/// (any characters) or `?` (one) all of it, otherwise some of it. An id may have dashes and braces.
bool matches_key(std::string_view text, std::string_view key);

/// "hit", "absent", "damaged", "old", "unreadable"
std::string_view name_of(service::EntryState state);

/// FILTER and the options; `filter` outlives the parsing.
void add_cache_filter(CLI::App& command, CacheFilter& filter);

}  // namespace symcached::app
