#include "traces/remote/stack_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "fetch/small_answer.hpp"
#include "net/run_task.hpp"

namespace symcached::traces {
namespace {

using std::chrono::seconds;
using Text = std::expected<std::string, std::string>;

constexpr std::size_t kMostAnswer = std::size_t{64} << 20;  ///< bytes
constexpr std::size_t kMostError = 16 << 10;                ///< bytes
constexpr seconds kUsualWait{5};                            ///< where a busy server does not say how long
constexpr seconds kHold{20};                                ///< that the server may keep a request

bool is_busy(const fetch::HttpHead& head) { return head.status == 429 || head.status == 503; }

std::string complaint(const fetch::SmallAnswer& answer) {
  const fetch::HttpResult& result = answer.result;
  if (result.end != fetch::HttpResult::End::answered) return result.error;
  const unsigned status = result.head.status;
  const std::string detail = error_detail(result.other_body);
  std::string why = fmt::format("HTTP status {}{}{}", status, detail.empty() ? "" : ": ", detail);
  if (status == 404 || status == 405) why += "; is this a server with Symbolicator's API?";
  if (result.forbidden()) why += "; it wants credentials, or others";
  return why;
}

}  // namespace

StackServer::StackServer(std::unique_ptr<fetch::PlainEndpoint> endpoint, StackServerOptions options)
    : endpoint_(std::move(endpoint)),
      options_(std::move(options)),
      http_(fetch::Limits{}, options_.user_agent, {}, options_.waits) {}

std::expected<std::unique_ptr<StackServer>, std::string> StackServer::open(StackServerOptions options) {
  auto endpoint = fetch::PlainEndpoint::open(options.place);
  if (!endpoint) return std::unexpected(std::move(endpoint.error()));
  return std::unique_ptr<StackServer>(new StackServer(std::move(*endpoint), std::move(options)));
}

std::expected<StackCompleted, std::string> StackServer::ask(std::string body, std::size_t frames) {
  auto answer = run_task(ask_until_done(std::move(body), frames));
  if (!answer) return std::unexpected(fmt::format("{}: {}", shown(), answer.error()));
  return answer;
}

Task<StackServer::Answered> StackServer::ask_until_done(std::string body, std::size_t frames) {
  const auto until = options_.waits.now() + options_.patience;
  std::string path = fmt::format("symbolicate?timeout={}", kHold.count());
  while (true) {
    const Text text = co_await ask_patiently(path, std::move(body), until);
    if (!text) co_return std::unexpected(text.error());
    auto answer = parse_stack_answer(*text, frames);
    if (!answer) co_return std::unexpected(std::move(answer.error()));
    if (auto* done = std::get_if<StackCompleted>(&*answer)) co_return std::move(*done);
    if (options_.waits.now() >= until) co_return std::unexpected("not answered in time; ask again later");
    const auto& pending = std::get<StackPending>(*answer);
    body.clear();
    path = fmt::format("requests/{}?timeout={}", pending.request_id, std::min(pending.retry_after, kHold).count());
  }
}

/// A body that is empty is not posted: GET. Whoever is told to come back later does.
Task<Text> StackServer::ask_patiently(std::string path, std::string body, std::chrono::steady_clock::time_point until) {
  while (true) {
    auto request = co_await endpoint_->request(fetch::Endpoint::Method::get, "");
    if (!request) co_return std::unexpected(std::move(request.error()));
    request->url += path;
    request->keep_other_body = kMostError;
    if (!body.empty()) {
      request->verb = "POST";
      request->body = body;
      request->headers.emplace_back("Content-Type", "application/json");
    }
    fetch::SmallAnswer answer = co_await fetch::ask_small(http_, std::move(*request), kMostAnswer);
    if (answer.result.answered(200)) co_return std::move(answer.body);
    const seconds wait = std::max(seconds(1), answer.result.head.retry_after.value_or(kUsualWait));
    const bool may_wait = options_.waits.now() + wait < until;
    if (!is_busy(answer.result.head) || !may_wait) co_return std::unexpected(complaint(answer));
    co_await options_.waits.sleep(wait);
  }
}

}  // namespace symcached::traces
