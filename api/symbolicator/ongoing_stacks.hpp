#pragma once
/// Stack traces that are being answered: what is known of their modules by now, and the answer that gives.
/// Spec: docs/protocols/symbolicator.md.
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "service/open_modules.hpp"
#include "stacks/symbolicate.hpp"

namespace symcached::api {

inline constexpr std::size_t kMaxPartial = std::size_t{16} << 20;  ///< bytes of frames; longer ones are not sent

/// Safe to use from any thread.
class OngoingStacks {
 public:
  explicit OngoingStacks(stacks::Request request);

  const stacks::Request& request() const { return request_; }
  const stacks::ModuleMap& map() const { return map_; }

  /// A module was looked for.
  void found(std::size_t module, const stacks::ModuleState& state, service::OpenModule open);
  /// The answer `pending` with the frames that are known; empty if they are too many.
  std::string partial(std::string_view id, std::chrono::seconds retry_in);

 private:
  const stacks::Request request_;
  const stacks::ModuleMap map_;
  std::mutex mutex_;
  std::vector<stacks::ModuleState> states_;
  std::vector<service::OpenModule> open_;
};

}  // namespace symcached::api
