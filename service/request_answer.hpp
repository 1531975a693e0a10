#pragma once
/// The answer to a request with stack traces, and what is counted of it.
#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "stacks/symbolicate.hpp"

namespace symcached::service {

enum class RequestResult : std::uint8_t {
  completed,
  failed,   ///< its answer would be too long
  invalid,  ///< it is none of the protocol's requests
  internal_error,
};
inline constexpr std::array<const char*, 4> kRequestResults{"completed", "failed", "invalid", "internal_error"};

/// What an answer was made of. Pending ones are not counted.
struct AnswerNumbers {
  std::string scope = {};  ///< whose files it was made from
  stacks::ModuleCounts modules = {};
  stacks::FrameCounts frames = {};
};

/// An answer as it is sent.
struct RequestAnswer {
  unsigned status = 200;
  std::string body = {};
  RequestResult result = RequestResult::completed;
  AnswerNumbers numbers = {};
};
using SharedAnswer = std::shared_ptr<const RequestAnswer>;

/// A request that was worked on to its end.
struct RequestEnd {
  const std::string& id;
  const RequestAnswer& answer;
  std::chrono::nanoseconds took;  ///< since it was asked, with the wait for its turn
  std::string_view fault = {};    ///< of an internal error, in words
};

/// Since the start, and of this moment.
struct RequestStats {
  std::uint64_t refused = 0, cancelled = 0;
  std::size_t queued = 0, active = 0, held = 0;  ///< requests; callers that wait for one
  std::size_t kept = 0;                          ///< answers in memory
  std::uint64_t kept_bytes = 0, partial_bytes = 0;
};

}  // namespace symcached::service
