#pragma once
/// An HTTP symbol server for tests: answers by path, and remembers what it was asked.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "net/http_server.hpp"

namespace symcached {

class FakeUpstream {
 public:
  FakeUpstream() {
    net::ServerOptions options;
    options.threads = 1;
    auto started = net::Server::start(
        options, [this](http::Request r) { return answer(std::move(r)); }, [](Severity, const std::string&) {});
    EXPECT_TRUE(started) << started.error();
    server_ = std::move(*started);
  }

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  void put(const std::string& path, http::Response response) {
    const std::scoped_lock lock(mutex_);
    answers_[path] = std::move(response);
  }
  /// Everything not put there gets this instead of 404.
  void answer_all_with(http::Response response) {
    const std::scoped_lock lock(mutex_);
    fallback_ = std::move(response);
  }
  std::vector<std::string> asked() const {
    const std::scoped_lock lock(mutex_);
    return asked_;
  }
  std::string user_agent() const {
    const std::scoped_lock lock(mutex_);
    return user_agent_;
  }

 private:
  Task<http::Response> answer(http::Request request) {
    const std::scoped_lock lock(mutex_);
    asked_.push_back(request.target);
    user_agent_ = std::string(request.header("User-Agent").value_or(""));
    const auto found = answers_.find(request.target);
    co_return found == answers_.end() ? fallback_ : found->second;
  }

  mutable std::mutex mutex_;
  std::map<std::string, http::Response> answers_;
  http::Response fallback_ = http::text(404, "no");
  std::vector<std::string> asked_;
  std::string user_agent_;
  std::unique_ptr<net::Server> server_;
};

}  // namespace symcached
