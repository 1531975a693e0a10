#include "stacks/gaps.hpp"

#include <limits>
#include <utility>

namespace symcached::stacks {

void GapFinder::begin_stack(const Stack& stack) {
  ++stacks_;
  next_.begin_stack(stack);
}

void GapFinder::end_stack() { next_.end_stack(); }

void GapFinder::frame(const OutFrame& frame) {
  next_.frame(frame);
  const auto trouble = trouble_of(frame);
  if (!trouble) return;
  const std::uint64_t place = frame.module ? *frame.module : std::numeric_limits<std::uint64_t>::max();
  const auto [entry, is_new] = gaps_.try_emplace({place, *trouble});
  Gap& gap = entry->second;
  if (is_new) gap = {.module = frame.module, .trouble = *trouble};
  const FramePlace at{stacks_ - 1, frame.original_index};
  if (gap.count++ < Gap::kMostFrames) gap.frames.push_back(at);
}

std::optional<Trouble> GapFinder::trouble_of(const OutFrame& frame) const {
  switch (frame.status) {
    case FrameStatus::unknown_image: return frame.frame.relative_to ? Trouble::no_such_module : Trouble::no_module;
    case FrameStatus::missing:
    case FrameStatus::malformed: return trouble_without_file(*frame.module);
    case FrameStatus::missing_symbol: return trouble_at(frame);
    case FrameStatus::pending: return std::nullopt;
    case FrameStatus::symbolicated: break;
  }
  if (frame.frame.function.empty() && frame.frame.symbol.empty()) return Trouble::no_name;
  const bool is_inlined = !frame.frame.sym_addr && !request_.modules[*frame.module].is_managed();
  if (frame.frame.lineno.value_or(0) != 0 || is_inlined) return std::nullopt;
  return states_[*frame.module].features.has_debug_info ? Trouble::no_line : Trouble::names_only;
}

Trouble GapFinder::trouble_without_file(std::uint32_t module) const {
  const ModuleInfo& info = request_.modules[module];
  const ModuleState& state = states_[module];
  if (!info.type) return Trouble::other_type;
  if (state.status == ModuleStatus::unsupported) return Trouble::of_windows;
  if (state.status == ModuleStatus::other) return Trouble::own_fault;
  if (!state.has_ids) return Trouble::no_id;
  return Trouble::no_file;
}

Trouble GapFinder::trouble_at(const OutFrame& frame) const {
  const ModuleInfo& info = request_.modules[*frame.module];
  if (info.is_managed()) return frame.frame.function_id ? Trouble::no_il_offset : Trouble::no_method;
  if (info.image_addr == 0 && !frame.frame.relative_to) return Trouble::not_reached;
  return Trouble::outside;
}

std::vector<Gap> GapFinder::gaps() const {
  std::vector<Gap> all;
  all.reserve(gaps_.size());
  for (const auto& [place, gap] : gaps_) all.push_back(gap);
  return all;
}

std::vector<Explanation> explain(const Request& request, std::span<const ModuleState> states, std::vector<Gap> gaps,
                                 WallTime now) {
  std::vector<Explanation> all;
  for (Gap& gap : gaps) {
    Looked looked{.trouble = gap.trouble};
    if (gap.module) {
      const ModuleState& state = states[*gap.module];
      looked = {gap.trouble, request.modules[*gap.module].ids, state.candidates, state.why, state.retry_at};
    }
    Advice advice = advice_on(looked, now);
    all.push_back({std::move(gap), std::move(advice)});
  }
  return all;
}

}  // namespace symcached::stacks
