#pragma once
/// What a server with Symbolicator's API answers. Any server may have written it. Pure.
#include <chrono>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "stacks/explain.hpp"
#include "traces/frame_source.hpp"

namespace symcached::traces {

struct StackPending {
  std::string request_id;  ///< letters, digits and dashes
  std::chrono::seconds retry_after{1};
};

struct StackCompleted {
  struct Module {
    std::string status;  ///< "found", "missing", …
    std::vector<stacks::CandidateInfo> candidates;
  };
  struct Explanation {
    std::optional<std::size_t> module;
    std::uint64_t frames = 0;
    stacks::Advice advice;
    std::vector<stacks::CandidateInfo> asked;
  };
  /// By frame of the request, those of inlined calls first; empty: it has no name.
  std::vector<std::vector<ResolvedFrame>> frames;
  std::vector<Module> modules;
  std::optional<std::vector<Explanation>> explanations;  ///< nothing: the server does not know such
};
using StackAnswer = std::variant<StackPending, StackCompleted>;

/// @param frames  of the request
/// @return        the answer, or what is wrong with it, in one line
std::expected<StackAnswer, std::string> parse_stack_answer(std::string_view body, std::size_t frames);

/// The text of an HTTP error; empty if it has none.
std::string error_detail(std::string_view body);

}  // namespace symcached::traces
