#include "service/request_progress.hpp"

#include <utility>

namespace symcached::service {

void RequestProgress::offer(Make make) {
  const std::scoped_lock lock(mutex_);
  make_ = std::move(make);
}

RequestProgress::Body RequestProgress::partial(std::string_view id, std::chrono::seconds retry_in,
                                               std::chrono::steady_clock::time_point now) {
  Make make;
  {
    const std::scoped_lock lock(mutex_);
    if (!make_ || is_making_ || now < make_again_) return last_;
    is_making_ = true;
    make_again_ = now + kMakeAgain;
    make = make_;
  }
  std::string body;
  try {
    body = make(id, retry_in);
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    is_making_ = false;
    throw;
  }
  const std::scoped_lock lock(mutex_);
  is_making_ = false;
  keep(std::move(body));
  return last_;
}

void RequestProgress::keep(std::string body) {
  budget_->used -= last_ ? last_->size() : 0;
  last_.reset();
  if (body.empty()) return;
  const std::uint64_t size = body.size();
  if (budget_->used.fetch_add(size) + size > budget_->limit) budget_->used -= size;
  else last_ = std::make_shared<const std::string>(std::move(body));
}

}  // namespace symcached::service
