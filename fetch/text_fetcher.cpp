#include "fetch/text_fetcher.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "fetch/url.hpp"
#include "net/run_task.hpp"

namespace symcached::fetch {
namespace {

constexpr std::size_t kMaxUrl = 8192;  ///< bytes

Limits limits_of(const TextLimits& limits) {
  return {.max_download = limits.max_size,
          .connect_timeout_ms = limits.connect_timeout_ms,
          .max_redirects = limits.max_redirects,
          .total_ms = limits.total_ms,
          .public_only = !limits.private_addresses,
          .private_redirects = limits.private_addresses};
}

}  // namespace

std::expected<std::string, std::string> check_text_url(std::string_view text) {
  if (text.size() > kMaxUrl) return std::unexpected(fmt::format("URL longer than {} bytes", kMaxUrl));
  auto url = Url::parse(text);
  if (!url) return std::unexpected(fmt::format("invalid URL ({})", url.error()));
  const std::string scheme = url->part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https")
    return std::unexpected(fmt::format("scheme {} is not supported; use http or https", scheme));
  for (const CURLUPart secret : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS})
    if (!url->part(secret).empty()) return std::unexpected("a URL with a user or a password in it");
  url->drop(CURLUPART_FRAGMENT);
  return url->part(CURLUPART_URL);
}

TextFetcher::TextFetcher(TextLimits limits, std::string user_agent)
    : client_(limits_of(limits), std::move(user_agent)) {}

Task<std::expected<std::string, NotFetched>> TextFetcher::ask(std::string url, http::Headers headers) {
  using Kind = NotFetched::Kind;
  auto checked = check_text_url(url);
  const auto failed = [](Kind kind, const std::string& asked, std::string_view why) {
    return std::unexpected(NotFetched{kind, fmt::format("{}: {}", asked, why)});
  };
  if (!checked) co_return std::unexpected(NotFetched{Kind::malformed, std::move(checked.error())});
  const auto text = std::make_shared<std::string>();
  HttpRequest request{.url = *checked, .headers = std::move(headers)};
  request.open_sink = [text](const HttpHead&) { return appending_to(text); };
  const HttpResult result = co_await client_.ask(std::move(request));
  const HttpHead& head = result.head;
  if (head.status == 404 || head.status == 410) co_return failed(Kind::absent, *checked, "not found");
  if (result.end == HttpResult::End::too_large) co_return failed(Kind::malformed, *checked, result.error);
  if (result.end != HttpResult::End::answered) co_return failed(Kind::unavailable, *checked, result.error);
  if (head.status != 200) co_return failed(Kind::unavailable, *checked, fmt::format("HTTP status {}", head.status));
  if (is_web_page(head)) co_return failed(Kind::malformed, *checked, "is a web page, a login page most likely");
  co_return std::move(*text);
}

std::expected<std::string, NotFetched> TextFetcher::get(std::string url) { return run_task(ask(std::move(url))); }

}  // namespace symcached::fetch
