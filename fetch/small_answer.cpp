#include "fetch/small_answer.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

namespace symcached::fetch {

Task<SmallAnswer> ask_small(HttpClient& client, HttpRequest request, std::size_t most) {
  const auto body = std::make_shared<std::string>();
  sources::NetworkRules rules;
  if (request.network) rules = *request.network;
  rules.max_download_size = most;
  request.network = std::make_shared<const sources::NetworkRules>(std::move(rules));
  request.open_sink = [body](const HttpHead&) { return appending_to(body); };
  SmallAnswer answer;
  answer.result = co_await client.ask(std::move(request));
  answer.body = std::move(*body);
  co_return answer;
}

Task<std::expected<std::string, std::string>> ask_text(HttpClient& client, HttpRequest request, std::string what) {
  constexpr std::size_t kMost = 64 << 10;
  SmallAnswer answer = co_await ask_small(client, std::move(request), kMost);
  if (answer.result.answered(200)) co_return std::move(answer.body);
  const bool answered = answer.result.end == HttpResult::End::answered;
  std::string why = answered ? fmt::format("HTTP status {}", answer.result.head.status) : answer.result.error;
  co_return std::unexpected(fmt::format("{}: {}", what, why));
}

}  // namespace symcached::fetch
