#pragma once
/// One request to a server with Symbolicator's API: posted, polled until it is answered, repeated when the server is
/// busy. Spec: docs/protocols/symbolicator.md.
#include <chrono>
#include <expected>
#include <memory>
#include <string>

#include "fetch/http_client.hpp"
#include "fetch/plain_endpoint.hpp"
#include "traces/remote/stack_answer.hpp"

namespace symcached::traces {

struct StackServerOptions {
  sources::HttpPlace place;  ///< the URL in front of /symbolicate
  std::string user_agent;
  std::chrono::seconds patience{900};  ///< for one request, all waits counted
  fetch::Waits waits = fetch::Waits::real();
};

/// Calls block.
class StackServer {
 public:
  /// @return or what is wrong with the URL or a header. Nothing is asked yet.
  static std::expected<std::unique_ptr<StackServer>, std::string> open(StackServerOptions options);

  /// @param body    JSON
  /// @param frames  in it
  /// @return        or what went wrong, in one line, with the URL and without credentials
  std::expected<StackCompleted, std::string> ask(std::string body, std::size_t frames);
  const std::string& shown() const { return endpoint_->shown(); }

 private:
  using Answered = std::expected<StackCompleted, std::string>;
  StackServer(std::unique_ptr<fetch::PlainEndpoint> endpoint, StackServerOptions options);
  Task<Answered> ask_until_done(std::string body, std::size_t frames);
  Task<std::expected<std::string, std::string>> ask_patiently(std::string path, std::string body,
                                                              std::chrono::steady_clock::time_point until);

  const std::unique_ptr<fetch::PlainEndpoint> endpoint_;
  const StackServerOptions options_;
  fetch::HttpClient http_;
};

}  // namespace symcached::traces
