#pragma once
/// Which module an address lies in.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stacks/request.hpp"

namespace symcached::stacks {

class ModuleMap {
 public:
  /// @param modules  in the order of the request; not kept
  explicit ModuleMap(std::span<const ModuleInfo> modules);

  /// Index of the last module that starts at or before `address`, if it reaches it. A module's end belongs to it: a
  /// return address may be there.
  /// Cost: one binary search.
  std::optional<std::uint32_t> at(std::uint64_t address) const;

  /// The same for an address as a frame has it: of one that is relative, the module that it names.
  std::optional<std::uint32_t> of(const Frame& frame) const;

  /// Bytes of a module: as stated, else up to the next one; nothing if that is not known either, or 0 as stated of the
  /// last one. Both reach as far as addresses go.
  std::optional<std::uint64_t> size(std::uint32_t module) const { return sizes_[module]; }

  /// For each module whether a frame leads into it: those that are worth looking for.
  std::vector<bool> used(std::span<const Stack> stacks) const;

 private:
  struct Image {
    std::uint64_t start = 0;
    std::uint64_t size = 0;  ///< bytes; 0 = open-ended
    std::uint32_t module = 0;
  };
  std::vector<Image> images_;  // by start
  std::vector<std::optional<std::uint64_t>> sizes_;
};

}  // namespace symcached::stacks
