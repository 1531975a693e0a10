#pragma once
/// An HTTP symbol server for tests: answers by path, and remembers what it was asked.
#include <gtest/gtest.h>

#include <functional>
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
  /// 302 to a path of this server, or to a URL.
  void redirect(const std::string& path, const std::string& location) {
    put(path, {302, {{"Location", location}}, ""});
  }
  /// Requests without this header get 403, as NuGet's symbol server does it.
  void demand(const std::string& header) {
    const std::scoped_lock lock(mutex_);
    demanded_ = header;
  }
  /// Called with every request, before it is answered, on the server's thread.
  void watch(std::function<void()> watcher) {
    const std::scoped_lock lock(mutex_);
    watcher_ = std::move(watcher);
  }
  std::vector<std::string> asked() const {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> targets;
    for (const http::Request& request : requests_) targets.push_back(request.target);
    return targets;
  }
  /// Of the last request; empty if it had none.
  std::string header(std::string_view name) const {
    const std::scoped_lock lock(mutex_);
    return requests_.empty() ? "" : std::string(requests_.back().header(name).value_or(""));
  }
  std::string body() const {  ///< of the last request
    const std::scoped_lock lock(mutex_);
    return requests_.empty() ? "" : requests_.back().body;
  }
  std::string user_agent() const { return header("User-Agent"); }

 private:
  Task<http::Response> answer(http::Request request) {
    const std::scoped_lock lock(mutex_);
    requests_.push_back(request);
    if (watcher_) watcher_();
    if (!demanded_.empty() && !request.header(demanded_)) co_return http::text(403, "no");
    const auto found = answers_.find(request.target);
    co_return found == answers_.end() ? fallback_ : found->second;
  }

  mutable std::mutex mutex_;
  std::map<std::string, http::Response> answers_;
  http::Response fallback_ = http::text(404, "no");
  std::string demanded_;
  std::function<void()> watcher_;
  std::vector<http::Request> requests_;
  std::unique_ptr<net::Server> server_;
};

}  // namespace symcached
