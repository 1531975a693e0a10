#include "traces/module_map.hpp"

#include <algorithm>

namespace symcached::traces {
namespace {

constexpr std::uint64_t kLargestImage = std::uint64_t{2} << 30;

}  // namespace

void ModuleMap::add(Mapping mapping) {
  if (mapping.end <= mapping.start || mapping.module.size() > kMaxModuleName || rows_.size() >= kMaxMappings) return;
  auto next = rows_.lower_bound(mapping.start);
  if (next != rows_.begin())
    if (Mapping& before = std::prev(next)->second; before.end > mapping.start) before.end = mapping.start;
  while (next != rows_.end() && next->first < mapping.end) next = rows_.erase(next);
  const std::uint64_t start = mapping.start;
  rows_.emplace(start, std::move(mapping));
}

void ModuleMap::add_base(std::uint64_t base, std::string_view module, std::string_view build_id) {
  const auto next = rows_.upper_bound(base);
  std::uint64_t end = base + std::min(kLargestImage, ~base);
  if (next != rows_.end()) end = std::min(end, next->first);
  add({base, end, Mapped::image, 0, std::string(module), std::string(build_id)});
}

const Mapping* ModuleMap::find(std::uint64_t address) const {
  const auto after = rows_.upper_bound(address);
  if (after == rows_.begin()) return nullptr;
  const Mapping& row = std::prev(after)->second;
  return address < row.end ? &row : nullptr;
}

void ModuleMap::clear() {
  rows_.clear();
  biases_.clear();
}

void ModuleMap::learn_bias(std::string_view module, std::uint64_t bias) {
  if (module.empty() || module.size() > kMaxModuleName || biases_.size() >= kMaxMappings) return;
  const auto [known, is_new] = biases_.try_emplace(std::string(module), bias);
  if (!is_new && known->second != bias) known->second.reset();
}

std::optional<std::uint64_t> ModuleMap::bias_of(std::string_view module) const {
  const auto found = biases_.find(module);
  return found == biases_.end() ? std::nullopt : found->second;
}

}  // namespace symcached::traces
