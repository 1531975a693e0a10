#include "formats/go/inline_tree.hpp"

namespace symcached::go {
namespace {

/// Records of `places` are never taken for others: a parent of -1 has no zero in its upper half.
constexpr InlineSpec kOldSpecs[] = {
    {InlineForm::places, 1, 2}, {InlineForm::parents, 2, 4}, {InlineForm::parents, 1, 2}};
constexpr InlineSpec kParents[] = {{InlineForm::parents, 2, 3}};
constexpr InlineSpec kStarts[] = {{InlineForm::starts, 2, 3}};

}  // namespace

std::span<const InlineSpec> inline_specs(Form form) {
  switch (form) {
    case Form::go1_2: return kOldSpecs;
    case Form::go1_16:
    case Form::go1_18: return kParents;
    case Form::go1_20: break;
  }
  return kStarts;
}

InlineTree::InlineTree(Bytes records, InlineForm form, Container container)
    : records_(records), container_(container), form_(form), size_(form == InlineForm::parents ? 20 : 16) {}

InlinedCall InlineTree::operator[](std::uint64_t index) const {
  const std::byte* const at = records_.data() + index * size_;
  const auto number = [&](std::size_t offset) { return container_.load<std::int32_t>(at + offset); };
  const auto name = [&](std::size_t offset) { return container_.load<std::uint32_t>(at + offset); };
  switch (form_) {
    case InlineForm::places: return {.name = name(12), .parent = number(0), .file = number(4), .line = number(8)};
    case InlineForm::parents:
      return {.name = name(12),
              .parent = container_.load<std::int16_t>(at),
              .file = number(4),
              .line = number(8),
              .parent_pc = number(16)};
    case InlineForm::starts: break;
  }
  return {.name = name(4), .parent_pc = number(8)};
}

}  // namespace symcached::go
