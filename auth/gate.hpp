#pragma once
/// Lets requests in, or not. Spec: docs/protocols/authentication.md.
#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "auth/credentials.hpp"
#include "auth/options.hpp"
#include "net/http.hpp"
#include "net/log.hpp"
#include "net/task.hpp"

namespace symcached::auth {

class Negotiator;
struct LoggedIn;

/// Who may use a route.
enum class Access : std::uint8_t {
  everyone,
  by_rules,  ///< it asks Gate::refusal() for every PDB; so it is open to clients without a name where rules allow them
  known,     ///< all who have logged in
};

struct Verdict {
  std::optional<http::Response> refusal = {};        ///< the answer, if the request is not let in
  std::shared_ptr<const http::Principal> principal;  ///< null: nobody is asked to log in
  std::string proof = {};                            ///< of who we are, see prove()
  bool is_wrong = false;                             ///< refused for what the client said of itself

  /// To be called with the answer, whatever its status.
  void prove(http::Response& response) const;
};

/// From any thread. Outlives the server that asks it.
class Gate {
 public:
  /// @return or why clients could not log in: "keytab FILE: ..."
  static std::expected<std::unique_ptr<Gate>, std::string> open(const Options& options, Log log);
  ~Gate();

  /// Clients that logged in by NTLM have to do so again. With an error all stays as it is; it is one to switch logging
  /// in on or off, so that a file with nothing in it opens no door.
  std::expected<void, std::string> reload(const Options& options);

  /// Cost: for Negotiate, work on one of a few threads for this; else a hash.
  Task<Verdict> admit(const http::Request& request, Access access);

  /// @return the answer to a request for a PDB that its principal may not see; nothing if it may
  std::optional<http::Response> refusal(const http::Request& request, std::string_view pdb) const;

  bool is_on() const;                             ///< clients have to log in
  std::uint64_t wrong() const { return wrong_; }  ///< requests with credentials that are none, since the start

 private:
  struct State;
  struct Kept;
  using StatePtr = std::shared_ptr<const State>;
  Gate(StatePtr state, Log log);
  static std::expected<StatePtr, std::string> state_of(const Options& options);

  StatePtr state() const;
  Verdict without_credentials(const State& state, const http::Request& request, Access access) const;
  Task<Verdict> negotiate(StatePtr state, http::Client* client, std::vector<std::byte> token);
  Verdict take(const StatePtr& state, http::Client* client, LoggedIn logged_in);
  Verdict fail(const State& state, const http::Client* client, std::string_view why);

  const Log log_;
  mutable std::mutex mutex_;
  StatePtr state_;
  std::atomic<std::uint64_t> wrong_ = 0;
  std::mutex complaints_;
  std::chrono::steady_clock::time_point next_complaint_ = {};
  std::uint64_t unsaid_ = 0;
  boost::asio::thread_pool pool_;
};

}  // namespace symcached::auth
