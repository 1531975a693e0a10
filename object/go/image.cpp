#include "object/go/image.hpp"

#include <algorithm>
#include <cstring>

namespace symcached::object {
namespace {

constexpr std::uint64_t kChainedTarget = (std::uint64_t{1} << 36) - 1;

}  // namespace

void GoImage::add(const GoRegion& region) {
  if (!region.bytes.empty() && region.bytes.size() <= ~region.address) regions_.push_back(region);
}

void GoImage::finish() {
  std::ranges::stable_sort(regions_, {}, &GoRegion::address);
  std::uint64_t end = 0;
  std::erase_if(regions_, [&](const GoRegion& region) {
    if (region.address < end) return true;
    end = region.address + region.bytes.size();
    return false;
  });
}

const GoRegion* GoImage::region_of(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(regions_, address, {}, &GoRegion::address);
  if (after == regions_.begin()) return nullptr;
  const GoRegion& region = *std::prev(after);
  return address - region.address < region.bytes.size() ? &region : nullptr;
}

Bytes GoImage::at(std::uint64_t address) const {
  const GoRegion* const region = region_of(address);
  return region == nullptr ? Bytes() : region->bytes.subspan(address - region->address);
}

std::optional<std::uint64_t> GoImage::word(std::uint64_t address) const {
  const Bytes bytes = at(address);
  if (bytes.size() < container.pointer_size) return std::nullopt;
  return container.load_word(bytes.data());
}

std::optional<std::uint64_t> GoImage::pointer(std::uint64_t address) const {
  const auto stored = word(address);
  return stored ? std::optional(as_pointer(*stored)) : std::nullopt;
}

/// Apple's linker keeps a link to the next pointer in the high bits, and addresses from the image base.
std::uint64_t GoImage::as_pointer(std::uint64_t word) const {
  if (!chained_pointers || word == 0) return word;
  const std::uint64_t target = word & kChainedTarget;
  return target < base ? base + target : target;
}

bool GoImage::is_code(std::uint64_t address) const {
  const GoRegion* const region = region_of(address);
  return region != nullptr && region->is_code;
}

std::byte* GoImage::make_own(GoRegion& region) {
  Buffer copy(region.bytes.size());
  std::memcpy(copy.data(), region.bytes.data(), region.bytes.size());
  owned_.push_back(std::move(copy));
  region.bytes = owned_.back().bytes();
  return owned_.back().data();
}

}  // namespace symcached::object
