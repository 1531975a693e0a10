#include "fetch/http_source.hpp"

#include <fmt/format.h>

#include <memory>

#include "fetch/url.hpp"
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

enum class Verdict { body, no, soft_here, soft_everywhere };

/// docs/protocols/symstore.md has this as a table. 401 and 403 may speak of one file alone, so others are still asked.
Verdict judge(const HttpResult& result) {
  if (result.status == 404 || result.status == 410) return Verdict::no;
  if (result.status == 401 || result.status == 403) return Verdict::soft_here;
  if (!result.error.empty() || result.status != 200) return Verdict::soft_everywhere;
  return Verdict::body;
}

/// Why there is no body to use.
std::string complaint(const HttpResult& result, const Wanted& wanted) {
  if (!result.error.empty()) return result.error;
  const bool lacks_checksum =
      result.status == 403 && wanted.checksums.empty() && std::holds_alternative<sources::PortableId>(wanted.id);
  return fmt::format("answered {}{}", result.status,
                     lacks_checksum ? "; this server may want the checksum of the PDB: give the assembly too" : "");
}

}  // namespace

std::expected<BaseUrl, std::string> parse_base_url(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return std::unexpected(
        fmt::format("symbols: not a usable URL ({}); write http://host/path or https://host/path", why));
  };
  auto url = Url::parse(text);
  if (!url) return wrong(url.error());
  const std::string scheme = url->part(CURLUPART_SCHEME);
  if (scheme != "http" && scheme != "https") return wrong(fmt::format("its scheme is {}", scheme));
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

Task<std::optional<sources::Tiers>> HttpSource::tiers() {
  Probed known = probed_.load();
  if (known == Probed::not_yet) {
    std::string url = fmt::format("{}/{}", url_.full, sources::kTwoTierMarker);
    const HttpResult result =
        co_await client_.get(std::move(url), [](Bytes) { return std::expected<void, std::string>(); });
    const Verdict verdict = judge(result);
    if (verdict == Verdict::soft_everywhere) co_return std::nullopt;
    known = verdict == Verdict::body && !is_web_page(result) ? Probed::two_tiers : Probed::one_tier;
    probed_ = known;
  }
  co_return known == Probed::two_tiers ? sources::Tiers::two : sources::Tiers::one;
}

Task<Outcome> HttpSource::open(Wanted wanted) {
  if (auto kept = objects_.find(object_key(wanted), wanted, url_.shown)) co_return std::move(*kept);
  const auto tiers_here = co_await tiers();
  Outcome worst = NotThere{};
  for (const auto& place : sources::symstore_places(tiers_here.value_or(sources::Tiers::one), wanted.name, wanted.id)) {
    Outcome outcome = co_await download(wanted, place.path);
    if (std::holds_alternative<NotThere>(outcome)) continue;
    const auto* soft = std::get_if<SoftFailure>(&outcome);
    if (soft == nullptr || !soft->elsewhere_may_work) co_return outcome;
    worst = std::move(outcome);
  }
  co_return worst;
}

/// One place: the body goes to a cache entry as it arrives, and is judged when it is whole.
Task<Outcome> HttpSource::download(Wanted wanted, std::string path) {
  const std::string key = object_key(wanted);
  const std::string encoded = encode_path(path);
  const std::string origin = fmt::format("{}/{}", url_.shown, encoded);
  auto created = objects_.create(key);
  if (!created) co_return SoftFailure{created.error()};
  auto writer = std::make_shared<store::EntryWriter>(std::move(*created));
  std::string url = fmt::format("{}/{}", url_.full, encoded);
  ByteSink sink = [writer](Bytes piece) { return writer->write(piece); };
  http::Headers headers;
  if (auto checksums = symbol_checksum(wanted.checksums); !checksums.empty())
    headers.emplace_back(kSymbolChecksum, std::move(checksums));
  const HttpResult result = co_await client_.get(std::move(url), std::move(sink), std::move(headers));
  const Verdict verdict = judge(result);
  if (verdict == Verdict::no) co_return NotThere{};
  if (result.too_large) co_return Refused{fmt::format("{}: {}", origin, result.error)};
  if (verdict != Verdict::body)
    co_return SoftFailure{fmt::format("{}: {}", origin, complaint(result, wanted)), verdict == Verdict::soft_here};
  if (is_web_page(result)) co_return refuse(Content::web_page, wanted, origin);
  co_return objects_.keep(key, wanted, std::move(*writer), origin);
}

}  // namespace symcached::fetch
