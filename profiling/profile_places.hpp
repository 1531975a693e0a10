#pragma once
/// The places of a profile, each named once.
#include <cstdint>
#include <span>
#include <vector>

#include "profiling/naming/naming.hpp"
#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// One address of code, within the instruction that was counted.
struct ProfilePlace {
  std::uintptr_t address = 0;
  const MappedModule* module = nullptr;  ///< null: none
  std::vector<NamedFrame> frames;        ///< innermost first; none if nothing is known
};

class ProfilePlaces {
 public:
  /// Of every sample. @param modules  outlive it
  ProfilePlaces(const Profile& profile, std::span<const MappedModule> modules, Naming& naming);

  std::span<const ProfilePlace> all() const { return places_; }
  /// @return number in all(), of the frame at `depth` of a sample of the same profile
  std::size_t of(const Sample& sample, std::size_t depth) const;

 private:
  std::uintptr_t address_of(const Sample& sample, std::size_t depth) const;

  bool first_is_call_;
  std::vector<ProfilePlace> places_;  ///< by address
};

}  // namespace symcached::pprof
