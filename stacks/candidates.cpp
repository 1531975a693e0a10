#include "stacks/candidates.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace symcached::stacks {

Features& Features::operator|=(const Features& other) {
  has_debug_info |= other.has_debug_info;
  has_unwind_info |= other.has_unwind_info;
  has_symbols |= other.has_symbols;
  has_sources |= other.has_sources;
  return *this;
}

std::string_view name_of(DownloadStatus status) {
  constexpr std::array<std::string_view, 5> kNames{"ok", "malformed", "noperm", "notfound", "error"};
  return kNames.at(static_cast<std::size_t>(status));
}

std::string_view name_of(UseStatus::Kind kind) {
  constexpr std::array<std::string_view, 3> kNames{"ok", "malformed", "error"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string without_place(std::string why, const std::string& location) {
  const std::string place = location + ": ";
  return why.starts_with(place) ? why.substr(place.size()) : why;
}

void tidy(std::vector<CandidateInfo>& candidates) {
  const auto place = [](const CandidateInfo& c) { return std::tie(c.source, c.location); };
  const auto unused = [](const CandidateInfo& c) { return !c.debug && !c.unwind; };
  std::ranges::stable_sort(candidates, [&](const CandidateInfo& a, const CandidateInfo& b) {
    return place(a) != place(b) ? place(a) < place(b) : unused(a) < unused(b);
  });
  const auto rest = std::ranges::unique(candidates, {}, place);
  candidates.erase(rest.begin(), rest.end());
}

}  // namespace symcached::stacks
