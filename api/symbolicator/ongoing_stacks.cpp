#include "api/symbolicator/ongoing_stacks.hpp"

#include <utility>

#include "api/symbolicator/response.hpp"

namespace symcached::api {

OngoingStacks::OngoingStacks(stacks::Request request)
    : request_(std::move(request)),
      map_(request_.modules),
      states_(request_.modules.size()),
      open_(request_.modules.size()) {
  const std::vector<bool> used = map_.used(request_.stacks);
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (used[i]) states_[i].status = stacks::ModuleStatus::fetching;
}

void OngoingStacks::found(std::size_t module, const stacks::ModuleState& state, service::OpenModule open) {
  const std::scoped_lock lock(mutex_);
  states_[module] = state;
  open_[module] = std::move(open);
}

std::string OngoingStacks::partial(std::string_view id, std::chrono::seconds retry_in) {
  std::vector<stacks::ModuleState> states;
  std::vector<service::OpenModule> open;  // for as long as the answer is made
  {
    const std::scoped_lock lock(mutex_);
    states = states_;
    open = open_;
  }
  const std::string pending = pending_members(id, static_cast<unsigned>(retry_in.count()));
  ResponseWriter writer(request_, {.status = pending, .limit = kMaxPartial});
  symbolicate(request_, map_, states, stacks::thread_scratch(), writer);
  return writer.is_full() ? std::string() : std::move(writer).finish(map_, states);
}

}  // namespace symcached::api
