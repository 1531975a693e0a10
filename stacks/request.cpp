#include "stacks/request.hpp"

#include <algorithm>
#include <array>

namespace symcached::stacks {
namespace {

constexpr std::array<std::string_view, 7> kTrusts{"none", "scan", "cfiscan", "fp", "cfi", "prewalked", "context"};

}  // namespace

std::string_view name_of(Trust trust) { return kTrusts.at(static_cast<std::size_t>(trust)); }

std::optional<Trust> parse_trust(std::string_view name) {
  const auto* const found = std::ranges::find(kTrusts, name);
  if (found == kTrusts.end()) return std::nullopt;
  return static_cast<Trust>(found - kTrusts.begin());
}

}  // namespace symcached::stacks
