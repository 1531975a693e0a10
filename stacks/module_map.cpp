#include "stacks/module_map.hpp"

#include <algorithm>

namespace symcached::stacks {

ModuleMap::ModuleMap(std::span<const ModuleInfo> modules) {
  images_.reserve(modules.size());
  sizes_.reserve(modules.size());
  for (std::uint32_t i = 0; i < modules.size(); ++i) {
    images_.push_back({modules[i].image_addr, modules[i].image_size.value_or(0), i});
    sizes_.push_back(modules[i].image_size);
  }
  std::ranges::stable_sort(images_, {}, &Image::start);
  for (std::size_t i = 0; i + 1 < images_.size(); ++i) {
    Image& image = images_[i];
    if (image.size != 0 || images_[i + 1].start == image.start) continue;
    image.size = images_[i + 1].start - image.start;
    sizes_[image.module] = image.size;
  }
}

std::optional<std::uint32_t> ModuleMap::at(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(images_, address, {}, &Image::start);
  if (after == images_.begin()) return std::nullopt;
  const Image& image = *std::prev(after);
  if (image.size != 0 && address - image.start > image.size) return std::nullopt;
  return image.module;
}

std::optional<std::uint32_t> ModuleMap::of(const Frame& frame) const {
  if (!frame.relative_to) return at(frame.instruction_addr);
  if (*frame.relative_to >= images_.size()) return std::nullopt;
  return static_cast<std::uint32_t>(*frame.relative_to);
}

std::vector<bool> ModuleMap::used(std::span<const Stack> stacks) const {
  std::vector<bool> used(images_.size());
  for (const Stack& stack : stacks)
    for (const Frame& frame : stack.frames)
      if (const auto module = of(frame)) used[*module] = true;
  return used;
}

}  // namespace symcached::stacks
