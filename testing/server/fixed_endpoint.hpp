#pragma once
/// An endpoint without secrets, and time that passes when somebody sleeps.
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "fetch/endpoint.hpp"
#include "fetch/waits.hpp"

namespace symcached::fetch {

class FixedEndpoint : public Endpoint {
 public:
  explicit FixedEndpoint(std::string url) : url_(std::move(url)) {}
  const std::string& shown() const override { return url_; }
  Task<std::expected<HttpRequest, std::string>> request(Method method, std::string path) override {
    HttpRequest request{.url = url_ + "/" + path};
    request.head_only = method == Method::head;
    request.headers.emplace_back("X-Attempt", std::to_string(++attempts_));
    co_return request;
  }
  std::uint64_t credentials() const override { return 0; }

 private:
  const std::string url_;
  int attempts_ = 0;
};

/// Each sleep ends at once and moves the clock.
struct FakeTime {
  std::shared_ptr<Waits::Clock::time_point> now = std::make_shared<Waits::Clock::time_point>();
  std::shared_ptr<std::vector<std::chrono::milliseconds>> slept =
      std::make_shared<std::vector<std::chrono::milliseconds>>();

  Waits waits() const {
    return {[now = now] { return *now; },
            [now = now, slept = slept](std::chrono::milliseconds time) -> Task<void> {
              slept->push_back(time);
              *now += time;
              co_return;
            }};
  }
};

}  // namespace symcached::fetch
