#pragma once
/// One request from its first URL through all redirects to its end.
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "fetch/hop.hpp"

namespace symcached::fetch {

/// Once it began, the client's thread alone touches it.
class Transfer {
 public:
  using Done = std::function<void(HttpResult)>;

  Transfer(HttpRequest request, const Limits& limits, const std::string& user_agent);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;
  /// Answers whoever waits, however it went. One that is dropped before its end ran out of memory.
  ~Transfer();

  bool has_head_timeout() const { return limits_.head_timeout_ms != 0; }
  std::size_t max_host_transfers() const { return limits_.max_host_transfers; }
  void answer_to(Done done) { done_ = std::move(done); }
  /// "host:port" of the hop to come or under way.
  const std::string& place() const { return place_; }
  /// @return the handle of the next hop; null: nothing is asked any more. Throws std::bad_alloc.
  CURL* start_hop();
  /// libcurl is done with the hop and has let go of its handle. @return whether there is another one to start
  bool finish_hop(CURLcode code);
  void give_up(HttpResult::End end, const char* why) noexcept;

 private:
  HopOptions options_of_hop() const;
  std::string objection() const;
  bool is_foreign() const { return !now_.same_place(first_); }
  bool must_be_public() const { return limits_.public_only || (is_foreign() && !limits_.private_redirects); }
  std::string not_public(std::string_view address) const;
  void go_to(Target target);
  void end_with(HttpResult result) { result_ = std::move(result); }

  HttpRequest request_;
  Done done_;
  const Limits limits_;  ///< of the client, as the request's rules change them
  const std::string user_agent_;
  Target first_, now_;
  std::string place_;
  std::string wrong_url_;
  long redirects_ = 0;
  std::string redirect_type_;
  std::chrono::steady_clock::time_point deadline_{};  ///< counts from the first hop on, where there is a total_ms
  HttpResult result_;
  std::unique_ptr<Hop> hop_;
};

}  // namespace symcached::fetch
