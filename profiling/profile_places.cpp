#include "profiling/profile_places.hpp"

#include <algorithm>

namespace symcached::pprof {
namespace {

const MappedModule* module_at(std::span<const MappedModule> modules, std::uintptr_t address) {
  const auto found =
      std::ranges::find_if(modules, [&](const MappedModule& m) { return address >= m.begin && address < m.end; });
  return found == modules.end() ? nullptr : &*found;
}

}  // namespace

/// Where a thread was interrupted is where it was. All other addresses are where calls return to, and a call that is
/// the last instruction of its function returns to another function.
std::uintptr_t ProfilePlaces::address_of(const Sample& sample, std::size_t depth) const {
  const std::uintptr_t address = sample.stack[depth];
  return (depth == 0 && !first_is_call_) || address == 0 ? address : address - 1;
}

ProfilePlaces::ProfilePlaces(const Profile& profile, std::span<const MappedModule> modules, Naming& naming)
    : first_is_call_(profile.kind == Kind::heap || profile.kind == Kind::growth || profile.kind == Kind::contention) {
  std::vector<std::uintptr_t> addresses;
  for (const Sample& s : profile.samples)
    for (std::size_t depth = 0; depth < s.stack.size(); ++depth) addresses.push_back(address_of(s, depth));
  std::ranges::sort(addresses);
  const auto repeated = std::ranges::unique(addresses);
  addresses.erase(repeated.begin(), repeated.end());
  auto named = naming.name(addresses, {.inlines = true, .lines = true});
  named.resize(addresses.size());
  places_.reserve(addresses.size());
  for (std::size_t i = 0; i < addresses.size(); ++i)
    places_.push_back({addresses[i], module_at(modules, addresses[i]), std::move(named[i])});
}

std::size_t ProfilePlaces::of(const Sample& sample, std::size_t depth) const {
  const auto found = std::ranges::lower_bound(places_, address_of(sample, depth), {}, &ProfilePlace::address);
  return static_cast<std::size_t>(found - places_.begin());
}

}  // namespace symcached::pprof
