#pragma once
/// The pages of profiling/ about this process itself: docs/pprof.md
#include <memory>

#include "net/http.hpp"
#include "net/task.hpp"
#include "profiling/sources.hpp"

namespace symcached::api {

/// Answers on threads of its own, as a profile takes its time. When a client goes, its profile ends.
class PprofDesk {
 public:
  explicit PprofDesk(pprof::Sources sources);
  /// Ends what is under way.
  ~PprofDesk();

  static bool has(std::string_view target);
  /// For net::ServerOptions: the addresses of a profile may be many.
  static http::BodyPlan plan_body(const http::Request& head);

  /// For targets that it has(); 503 beyond 16 at once, or after stop().
  Task<http::Response> answer(http::Request request);

  /// From any thread: profiles under way end with what they have, later requests are refused.
  void stop();

 private:
  struct Errand;
  struct State;
  class Waiter;
  std::shared_ptr<State> state_;
};

}  // namespace symcached::api
