#include "auth/gate.hpp"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <functional>

#include "auth/negotiate.hpp"
#include "auth/rules.hpp"
#include "auth/tokens.hpp"
#include "base/overloaded.hpp"
#include "fetch/secrets.hpp"

namespace symcached::auth {
namespace {

constexpr std::size_t kThreads = 4;                    ///< for GSSAPI, which waits for disks
constexpr std::chrono::seconds kBetweenComplaints{1};  ///< lines about clients that failed to log in
constexpr std::string_view kChallenge = "WWW-Authenticate";

http::Header no_store() { return {"Cache-Control", "no-store"}; }

http::Response step_response(Bytes token) {
  return {401, {{std::string(kChallenge), "Negotiate " + fetch::base64(token)}, no_store()}, ""};
}

/// A wait for blocking work on the pool. It throws nothing: nobody would catch it there.
std::function<void(std::function<void(LogInStep)>)> on_pool(boost::asio::thread_pool& pool,
                                                            std::function<LogInStep()> work) {
  return [&pool, work = std::move(work)](std::function<void(LogInStep)> done) {
    boost::asio::post(pool, [work, done = std::move(done)] {
      LogInStep step = LogInFailed{"out of memory"};
      try {
        step = work();
      } catch (const std::exception& error) {
        step = LogInFailed{error.what()};
      }
      done(std::move(step));
    });
  };
}

}  // namespace

struct Gate::State {
  explicit State(const Options& options)
      : on(options.on()), hide(options.hide), tokens(options.tokens), rules(options.rules) {}

  http::Response challenge() const {
    http::Response response{401, {no_store()}, ""};
    const auto offer = [&](std::string_view scheme) { response.headers.emplace_back(kChallenge, scheme); };
    if (negotiator) offer("Negotiate");
    if (!tokens.empty()) offer(R"(Bearer realm="symcached")");
    if (!tokens.empty()) offer(R"(Basic realm="symcached", charset="UTF-8")");
    return response;
  }

  const bool on, hide;
  const Tokens tokens;
  const Rules rules;
  std::shared_ptr<const Negotiator> negotiator;
};

/// With a connection. What was begun under other settings does not count.
struct Gate::Kept {
  StatePtr state;
  std::shared_ptr<LogIn> log_in;                     ///< half-way
  std::shared_ptr<const http::Principal> principal;  ///< of the connection: NTLM
};

void Verdict::prove(http::Response& response) const {
  if (!proof.empty()) response.headers.emplace_back(kChallenge, proof);
}

Gate::Gate(StatePtr state, Log log) : log_(std::move(log)), state_(std::move(state)), pool_(kThreads) {}
Gate::~Gate() { pool_.join(); }

std::expected<Gate::StatePtr, std::string> Gate::state_of(const Options& options) {
  const auto state = std::make_shared<State>(options);
  if (options.negotiate) {
    auto negotiator = Negotiator::open(options.keytab, options.ntlm);
    if (!negotiator) return std::unexpected(negotiator.error());
    state->negotiator = std::move(*negotiator);
  }
  return state;
}

std::expected<std::unique_ptr<Gate>, std::string> Gate::open(const Options& options, Log log) {
  auto state = state_of(options);
  if (!state) return std::unexpected(state.error());
  return std::unique_ptr<Gate>(new Gate(std::move(*state), std::move(log)));
}

std::expected<void, std::string> Gate::reload(const Options& options) {
  auto next = state_of(options);
  if (!next) return std::unexpected(next.error());
  const std::scoped_lock lock(mutex_);
  if ((*next)->on != state_->on) return std::unexpected("logging in can be switched on or off only by a restart");
  state_ = std::move(*next);
  return {};
}

Gate::StatePtr Gate::state() const {
  const std::scoped_lock lock(mutex_);
  return state_;
}

bool Gate::is_on() const { return state()->on; }

Task<Verdict> Gate::admit(const http::Request& request, Access access) {
  const StatePtr state = this->state();
  if (!state->on || access == Access::everyone) co_return Verdict{};
  Credentials credentials = credentials_of(request);
  if (auto* token = std::get_if<NegotiateToken>(&credentials); token != nullptr && state->negotiator)
    co_return co_await negotiate(state, request.client, std::move(token->token));
  if (std::holds_alternative<NoCredentials>(credentials)) co_return without_credentials(*state, request, access);
  if (request.client != nullptr) request.client->kept.reset();
  std::optional<http::Principal> found;
  std::string_view why = "a wrong token";
  std::visit(
      overloaded{[&](const BearerToken& b) { found = state->tokens.bearer(b.token); },
                 [&](const BasicPair& b) { found = state->tokens.basic(b.name, b.password); },
                 [&](const BadCredentials& b) { why = b.why; }, [&](const auto&) { why = "Negotiate is not offered"; }},
      credentials);
  if (!found) co_return fail(*state, request.client, why);
  co_return Verdict{.principal = std::make_shared<const http::Principal>(std::move(*found))};
}

Verdict Gate::without_credentials(const State& state, const http::Request& request, Access access) const {
  if (request.client != nullptr) {
    const auto* kept = std::any_cast<Kept>(&request.client->kept);
    if (kept != nullptr && kept->principal && kept->state.get() == &state) return {.principal = kept->principal};
    request.client->kept.reset();
  }
  if (access == Access::by_rules && state.rules.allow_anonymous())
    return {.principal = std::make_shared<const http::Principal>(std::string(kAnonymous))};
  return {.refusal = state.challenge()};
}

Task<Verdict> Gate::negotiate(StatePtr state, http::Client* client, std::vector<std::byte> token) {
  auto log_in = std::make_shared<std::shared_ptr<LogIn>>();
  if (client != nullptr) {
    if (auto* kept = std::any_cast<Kept>(&client->kept); kept != nullptr && kept->state == state)
      *log_in = std::move(kept->log_in);
    client->kept.reset();
  }
  auto start =
      on_pool(pool_, [state, log_in, token = std::move(token)] { return state->negotiator->step(token, *log_in); });
  LogInStep step = co_await await_callback<LogInStep>(std::move(start));
  if (auto* done = std::get_if<LoggedIn>(&step)) co_return take(state, client, std::move(*done));
  if (const auto* failed = std::get_if<LogInFailed>(&step)) co_return fail(*state, client, failed->why);
  if (client == nullptr) co_return fail(*state, client, "more steps, and no connection to take them on");
  client->kept = Kept{state, std::move(*log_in), nullptr};
  co_return Verdict{.refusal = step_response(std::get<OneMoreStep>(step).token)};
}

Verdict Gate::take(const StatePtr& state, http::Client* client, LoggedIn logged_in) {
  const bool of_connection = logged_in.principal.scheme == "ntlm";
  Verdict verdict{.principal = std::make_shared<const http::Principal>(std::move(logged_in.principal))};
  log_(Severity::debug, fmt::format("{} logged in by {}", verdict.principal->name, verdict.principal->scheme));
  if (!logged_in.token.empty()) verdict.proof = "Negotiate " + fetch::base64(logged_in.token);
  if (of_connection && client != nullptr) client->kept = Kept{state, nullptr, verdict.principal};
  return verdict;
}

Verdict Gate::fail(const State& state, const http::Client* client, std::string_view why) {
  ++wrong_;
  Verdict verdict{.refusal = state.challenge(), .is_wrong = true};
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(complaints_);
  if (now < next_complaint_) {
    ++unsaid_;
    return verdict;
  }
  next_complaint_ = now + kBetweenComplaints;
  const std::string others = unsaid_ == 0 ? "" : fmt::format(" ({} more since the last such line)", unsaid_);
  unsaid_ = 0;
  log_(Severity::warning,
       fmt::format("a client at {} failed to log in: {}{}", client != nullptr ? client->address : "?", why, others));
  return verdict;
}

std::optional<http::Response> Gate::refusal(const http::Request& request, std::string_view pdb) const {
  if (!request.principal) return std::nullopt;
  const StatePtr state = this->state();
  if (state->rules.allow(*request.principal, pdb)) return std::nullopt;
  if (request.principal->scheme.empty()) return state->challenge();
  return http::Response{state->hide ? 404u : 403u, {no_store()}, ""};
}

}  // namespace symcached::auth
