#include "app/cache_filter.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "app/command_line.hpp"
#include "base/ascii.hpp"
#include "base/hex.hpp"

namespace symcached::app {
namespace {

using service::EntryState;

constexpr std::array<std::string_view, 5> kStates{"hit", "absent", "damaged", "old", "unreadable"};
constexpr std::size_t kGuidDigits = 32;

/// Both in lower case. Cost: the product of the lengths at worst.
bool matches_glob(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, star_text = 0;
  while (t < text.size()) {
    if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t]) && pattern[p] != '*') {
      ++p, ++t;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (star != pattern.npos) {
      p = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

bool has_wildcard(std::string_view text) { return text.find_first_of("*?") != text.npos; }

/// Digits alone, if that is a GUID with dashes or braces; else nothing.
std::string without_dashes(std::string_view id) {
  std::string digits(id);
  std::erase_if(digits, [](char c) { return c == '-' || c == '{' || c == '}'; });
  const bool is_guid = digits.size() >= kGuidDigits && digits.size() < id.size() && is_hex(digits);
  return is_guid ? digits : std::string();
}

bool has(const std::vector<std::string>& names, std::string_view name) {
  return names.empty() || std::ranges::find(names, name) != names.end();
}

void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& into, const std::string& type,
              const std::string& help) {
  command.add_option(name, into, help)
      ->type_name(type)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

}  // namespace

bool CacheFilter::is_empty() const {
  return texts.empty() && kinds.empty() && scopes.empty() && states.empty() && !older_than_ms;
}

bool CacheFilter::matches(const store::FoundEntry& entry, store::TimePoint now) const {
  if (!has(kinds, entry.place.kind) || !has(scopes, entry.place.scope)) return false;
  return !older_than_ms || now - entry.last_use() > std::chrono::milliseconds(*older_than_ms);
}

bool CacheFilter::matches(const service::EntryReport& report) const {
  const auto state = static_cast<int>(report.state);
  if (!states.empty() && std::ranges::find(states, state) == states.end()) return false;
  return texts.empty() || std::ranges::any_of(texts, [&](const auto& t) { return matches_key(t, report.head.key); });
}

bool matches_key(std::string_view given, std::string_view given_key) {
  const std::string text = lower_ascii(given), key = lower_ascii(given_key);
  if (!has_wildcard(text)) {
    if (key.find(text) != key.npos) return true;
    const std::string digits = without_dashes(text);
    return !digits.empty() && key.find(digits) != key.npos;
  }
  if (matches_glob(text, key)) return true;
  for (std::string_view rest = key; !rest.empty();) {
    const std::size_t end = std::min(rest.find_first_of("/ "), rest.size());
    if (matches_glob(text, rest.substr(0, end))) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::string_view name_of(EntryState state) { return kStates.at(static_cast<std::size_t>(state)); }

void add_cache_filter(CLI::App& command, CacheFilter& filter) {
  command.add_option("FILTER", filter.texts,
                     "name or id, or a part of it, or a pattern with * and ?; of several any may match");
  add_list(command, "--kind", filter.kinds, "KIND", "only of this kind, such as symcaches; repeatable");
  add_list(command, "--scope", filter.scopes, "SCOPE", "only of this scope, such as global; repeatable");
  std::vector<std::pair<std::string, int>> states;
  for (const EntryState state : {EntryState::hit, EntryState::absent, EntryState::damaged, EntryState::old})
    states.emplace_back(name_of(state), static_cast<int>(state));
  command.add_option("--state", filter.states, "only in this state: hit, absent, damaged or old; repeatable")
      ->type_name("STATE")
      ->transform(one_of(std::move(states)))
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--older-than", filter.older_than_ms, "only if unused for longer than this, such as 7d or 12h")
      ->type_name("TIME")
      ->transform(duration());
}

}  // namespace symcached::app
