#include "fetch/place_order.hpp"

#include <algorithm>

namespace symcached::fetch {

PlaceOrder::PlaceOrder(const sources::SourceConfig& config)
    : rules_{.layout = config.layout, .casing = config.casing, .probing = config.probing}, filters_(config.filters) {}

std::vector<sources::Place> PlaceOrder::places(const sources::FileRequest& file, bool two_tiers) const {
  if (!passes(file)) return {};
  sources::LayoutRules rules = rules_;
  rules.two_tiers = two_tiers;
  auto all = sources::places(rules, file);
  const std::uint32_t last = worked_[static_cast<std::size_t>(file.type)];
  std::ranges::stable_partition(all, [&](const sources::Place& place) { return place.spelling + 1u == last; });
  return all;
}

bool PlaceOrder::has_pointers(sources::FileType type) const {
  using sources::FileType, sources::Layout;
  constexpr std::array kTypes{FileType::pdb, FileType::portable_pdb, FileType::pe};
  constexpr std::array kLayouts{Layout::automatic, Layout::symstore, Layout::symstore_index2};
  return std::ranges::find(kTypes, type) != kTypes.end() &&
         std::ranges::find(kLayouts, rules_.layout) != kLayouts.end();
}

bool PlaceOrder::any_worked() const {
  return std::ranges::any_of(worked_, [](const std::atomic<std::uint32_t>& last) { return last != 0; });
}

void PlaceOrder::worked(sources::FileType type, const sources::Place& place) {
  worked_[static_cast<std::size_t>(type)] = place.spelling + 1u;
}

}  // namespace symcached::fetch
