#include <array>

#include "stacks/symbolicate.hpp"

namespace symcached::stacks {

std::string_view name_of(ModuleStatus status) {
  constexpr std::array<std::string_view, 9> kNames{"found",   "unused",      "missing", "malformed", "fetching_failed",
                                                   "timeout", "unsupported", "other",   "fetching"};
  return kNames.at(static_cast<std::size_t>(status));
}

std::string_view name_of(FrameStatus status) {
  constexpr std::array<std::string_view, 6> kNames{"symbolicated", "missing_symbol", "unknown_image",
                                                   "missing",      "malformed",      "pending"};
  return kNames.at(static_cast<std::size_t>(status));
}

std::string_view ModuleState::arch() const {
  const auto* const cache = module == nullptr ? nullptr : module->symcache();
  return model::name_of(cache == nullptr ? model::Arch::unknown : cache->arch());
}

}  // namespace symcached::stacks
