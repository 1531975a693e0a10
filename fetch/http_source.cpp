#include "fetch/http_source.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fetch/identity.hpp"
#include "fetch/url.hpp"
#include "fetch/verify.hpp"
#include "net/http.hpp"

namespace symcached::fetch {
namespace {

std::string encode_path(std::string_view path) {
  std::string encoded;
  while (true) {
    const std::size_t slash = path.find('/');
    encoded += http::percent_encode(path.substr(0, slash));
    if (slash == std::string_view::npos) return encoded;
    encoded += '/';
    path.remove_prefix(slash + 1);
  }
}

constexpr std::size_t kMaxRemembered = 4096;  ///< places

/// docs/protocols/symstore.md has this as a table.
bool is_absence(const HttpHead& head) { return head.status == 404 || head.status == 410; }

/// A plain no to a file that need not be there; 408 and 429 are none.
bool is_refusal(unsigned status) { return status >= 400 && status < 500 && status != 408 && status != 429; }

/// 401 and 403 may speak of one file alone, and a redirect of one, too.
bool elsewhere_may_work(const HttpResult& result) {
  return result.head.status == 401 || result.head.status == 403 || result.end == HttpResult::End::led_astray;
}

/// Why there is no body to use.
std::string complaint(const HttpResult& result, const Wanted& wanted) {
  if (result.end != HttpResult::End::answered) return result.error;
  const bool lacks_checksum =
      result.head.status == 403 && wanted.checksums.empty() && std::holds_alternative<sources::PortableId>(wanted.id);
  return fmt::format("HTTP status {}{}", result.head.status,
                     lacks_checksum ? "; this server may require the PDB's checksum: supply the assembly too" : "");
}

/// What an answer without a usable body means.
Outcome judge(const HttpResult& result, const Wanted& wanted, const std::string& origin) {
  using End = HttpResult::End;
  if (is_absence(result.head)) return NotThere{};
  std::string why = fmt::format("{}: {}", origin, complaint(result, wanted));
  switch (result.end) {
    case End::cut_short: return NotWhole{std::move(why), identity_of(result.head)};
    case End::too_large: return Refused{std::move(why), identity_of(result.head)};
    case End::exhausted: return Exhausted{std::move(why)};
    default: break;
  }
  const bool says_when = result.head.status == 429 || result.head.status == 503;
  return TransientError{std::move(why), elsewhere_may_work(result), says_when ? result.head.retry_after : std::nullopt};
}

/// A body on its way into an entry of the cache, which is created with its first byte.
struct Download {
  ObjectCache& objects;
  const std::string key;
  std::optional<store::EntryWriter> writer = {};

  std::expected<ByteSink, std::string> begin(const HttpHead& head) {
    auto created = objects.create(key, identity_of(head));
    if (!created) return std::unexpected(std::move(created.error()));
    writer.emplace(std::move(*created));
    return ByteSink([this](Bytes piece) { return writer->write(piece); });
  }
};

}  // namespace

std::expected<BaseUrl, std::string> parse_base_url(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return std::unexpected(fmt::format("symbols: unusable URL: {}; write http://host/path or https://host/path", why));
  };
  auto url = Url::parse(text);
  if (!url) return wrong(url.error());
  const std::string scheme = url->part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return wrong(fmt::format("scheme {} is not supported", scheme));
  if (!url->part(CURLUPART_QUERY).empty()) return wrong("it has a query");
  if (!url->part(CURLUPART_FRAGMENT).empty()) return wrong("it has a fragment");
  const auto whole = [&] {
    std::string all = url->part(CURLUPART_URL);
    while (all.ends_with('/')) all.pop_back();
    return all;
  };
  BaseUrl base;
  base.full = whole();
  for (const CURLUPart secret : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS}) url->drop(secret);
  base.shown = whole();
  return base;
}

HttpSource::HttpSource(BaseUrl url, ObjectCache& objects, HttpClient& client)
    : url_(std::move(url)), objects_(objects), client_(client) {}

HttpRequest HttpSource::request_of(const Wanted& wanted, std::string_view path) const {
  HttpRequest request{.url = fmt::format("{}/{}", url_.full, encode_path(path))};
  if (auto checksums = symbol_checksum(wanted.checksums); !checksums.empty())
    request.headers.emplace_back(kSymbolChecksum, std::move(checksums));
  return request;
}

Task<std::expected<sources::Tiers, Outcome>> HttpSource::tiers() {
  Probed known = probed_.load();
  if (known == Probed::not_yet) {
    HttpRequest request{.url = fmt::format("{}/{}", url_.full, sources::kTwoTierMarker)};
    const std::string origin = fmt::format("{}/{}", url_.shown, sources::kTwoTierMarker);
    const HttpResult result = co_await client_.ask(std::move(request));
    const bool is_there = result.answered(200);
    if (!is_there && !is_refusal(result.head.status)) co_return std::unexpected(judge(result, {}, origin));
    known = is_there && !is_web_page(result.head) ? Probed::two_tiers : Probed::one_tier;
    probed_ = known;
  }
  co_return known == Probed::two_tiers ? sources::Tiers::two : sources::Tiers::one;
}

/// Of a store that may have two tiers one is asked as if it had one: what is found there is right, what is not says
/// nothing.
Task<Outcome> HttpSource::open(Wanted wanted) {
  const ObjectCache::Item item{object_key(wanted), wanted, url_.shown, {}};
  auto kept = co_await objects_.find(item);
  if (kept) co_return std::move(*kept);
  auto tiers_here = co_await tiers();
  const sources::Tiers likely = tiers_here.value_or(sources::Tiers::one);
  Outcome worst = NotThere{};
  if (!tiers_here) worst = std::move(tiers_here.error());
  for (const auto& place : sources::symstore_places(likely, wanted.name, wanted.id)) {
    Outcome outcome = co_await download(wanted, place.path);
    if (std::holds_alternative<NotThere>(outcome)) continue;
    if (std::holds_alternative<Refused>(outcome) || std::holds_alternative<NotWhole>(outcome))
      remember_place(wanted.key, place.path);
    const auto* transient = std::get_if<TransientError>(&outcome);
    if (transient == nullptr || !transient->elsewhere_may_work) co_return outcome;
    worst = std::move(outcome);
  }
  co_return worst;
}

/// One place: the body goes to a cache entry as it arrives, and is judged when it is whole.
Task<Outcome> HttpSource::download(Wanted wanted, std::string path) {
  const std::string origin = fmt::format("{}/{}", url_.shown, encode_path(path));
  const auto download = std::make_shared<Download>(objects_, object_key(wanted));
  HttpRequest request = request_of(wanted, path);
  request.open_sink = [download](const HttpHead& head) { return download->begin(head); };
  const HttpResult result = co_await client_.ask(std::move(request));
  if (!result.answered(200)) co_return judge(result, wanted, origin);
  if (is_web_page(result.head)) co_return login_page(origin);
  ObjectCache::Item item{object_key(wanted), wanted, origin, identity_of(result.head)};
  if (!download->writer) co_return refuse(Content::empty, item);
  co_return co_await objects_.keep(std::move(item), std::move(*download->writer));
}

Task<std::string> HttpSource::identify(Wanted wanted) {
  std::vector<std::string> paths;
  if (auto refused = remembered_place(wanted.key); !refused.empty()) paths.push_back(std::move(refused));
  const auto tiers_here = co_await tiers();
  const sources::Tiers likely = tiers_here.value_or(sources::Tiers::one);
  for (const auto& place : sources::symstore_places(likely, wanted.name, wanted.id))
    if (paths.empty() || place.path != paths.front()) paths.push_back(place.path);
  for (const std::string& path : paths) {
    HttpRequest request = request_of(wanted, path);
    request.head_only = true;
    const HttpResult result = co_await client_.ask(std::move(request));
    if (result.answered(200)) co_return is_web_page(result.head) ? std::string() : identity_of(result.head);
    if (!is_absence(result.head) && !elsewhere_may_work(result)) break;
  }
  co_return std::string();
}

void HttpSource::remember_place(const std::string& key, const std::string& path) {
  const std::scoped_lock lock(mutex_);
  if (refused_places_.size() >= kMaxRemembered) refused_places_.clear();
  refused_places_.insert_or_assign(key, path);
}

std::string HttpSource::remembered_place(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = refused_places_.find(key);
  return found == refused_places_.end() ? std::string() : found->second;
}

}  // namespace symcached::fetch
