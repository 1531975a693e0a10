#pragma once
/// The frames of an answer that have no name, or no line, by module and by what is the matter.
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "stacks/explain.hpp"
#include "stacks/symbolicate.hpp"

namespace symcached::stacks {

struct FramePlace {
  std::uint32_t stack = 0, original_index = 0;
  bool operator==(const FramePlace&) const = default;
};

struct Gap {
  static constexpr std::size_t kMostFrames = 20;

  std::optional<std::uint32_t> module;  ///< index in the request; nothing: there is none
  Trouble trouble = Trouble::no_module;
  std::vector<FramePlace> frames;  ///< the first kMostFrames
  std::uint64_t count = 0;         ///< of all
};

/// Hands an answer on to another sink, and looks at it. What it was made with outlives it.
class GapFinder final : public FrameSink {
 public:
  GapFinder(const Request& request, std::span<const ModuleState> states, FrameSink& next)
      : request_(request), states_(states), next_(next) {}

  void begin_stack(const Stack& stack) override;
  void frame(const OutFrame& frame) override;
  void end_stack() override;
  bool is_full() const override { return next_.is_full(); }

  /// By module, those without one last.
  std::vector<Gap> gaps() const;

 private:
  std::optional<Trouble> trouble_of(const OutFrame& frame) const;
  Trouble trouble_without_file(std::uint32_t module) const;
  Trouble trouble_at(const OutFrame& frame) const;

  const Request& request_;
  std::span<const ModuleState> states_;
  FrameSink& next_;
  std::uint32_t stacks_ = 0;
  std::map<std::pair<std::uint64_t, Trouble>, Gap> gaps_;
};

struct Explanation {
  Gap gap;
  Advice advice;
};

/// @param states  of the modules of the request
std::vector<Explanation> explain(const Request& request, std::span<const ModuleState> states, std::vector<Gap> gaps,
                                 WallTime now);

}  // namespace symcached::stacks
