#include "api/routes.hpp"

#include <algorithm>
#include <span>

#include "api/pages.hpp"
#include "api/symcache/endpoint.hpp"
#include "api/symcache/status.hpp"
#include "wpt/version.hpp"

namespace symcached::api {
namespace {

using auth::Access;
using Segments = std::vector<std::string>;

constexpr std::string_view kNoMicrosoft =
    "Microsoft's symcaches are not served (symcache.directory); the open ones are at /open/";

struct Behind {
  service::CacheService& service;
  const ApiOptions& options;
};

Task<http::Response> index(http::Request request, Segments, Behind behind) {
  const ApiOptions& options = behind.options;
  co_return index_page(request, {options.is_https, options.microsoft != nullptr, options.prefixes.first()});
}

Task<http::Response> alive(http::Request, Segments, Behind) { co_return healthcheck(); }

Task<http::Response> ready(http::Request, Segments, Behind behind) { co_return readiness(behind.options.unready); }

/// For a PDB that the client may not see. What is wrong with other paths, the endpoint says.
std::optional<http::Response> refusal_of_pdb(const http::Request& request, std::span<const std::string> pdb,
                                             const Behind& behind) {
  if (behind.options.gate == nullptr || !request.principal) return std::nullopt;
  const auto path = parse_pdb_path(pdb);
  return path ? behind.options.gate->refusal(request, path->pdb_name) : std::nullopt;
}

/// @param path  the version first
std::optional<http::Response> refusal(const http::Request& request, const Segments& path, const Behind& behind) {
  return path.empty() ? std::nullopt : refusal_of_pdb(request, std::span(path).subspan(1), behind);
}

Task<http::Response> open_symcache(http::Request request, Segments below, Behind behind) {
  if (!below.empty() && http::same_name(below.front(), "status")) {
    below.erase(below.begin());
    if (auto refused = refusal_of_pdb(request, below, behind)) co_return std::move(*refused);
    co_return get_open_status(below, behind.service);
  }
  if (auto refused = refusal(request, below, behind)) co_return std::move(*refused);
  co_return co_await get_open_symcache(std::move(request), std::move(below), behind.service, behind.options.hold);
}

Task<http::Response> microsoft_status(http::Request request, Segments below, Behind behind) {
  if (behind.options.microsoft == nullptr) co_return http::text(404, kNoMicrosoft);
  if (auto refused = refusal_of_pdb(request, below, behind)) co_return std::move(*refused);
  co_return get_microsoft_status(below, *behind.options.microsoft);
}

/// What is wrong with the method or the path is said to those with a token only.
Task<http::Response> transcode(http::Request request, Segments below, Behind behind) {
  if (behind.options.workers == nullptr) co_return http::text(404, "no such path; see /");
  co_return behind.options.workers->answer(request, below);
}

Task<http::Response> at_once(http::Response response) { co_return response; }

/// What Windows Performance Analyzer asks for: /v3.1.0/name/id.
Task<http::Response> microsoft_symcache(http::Request request, Segments path, Behind behind) {
  if (behind.options.microsoft == nullptr) return at_once(http::text(404, kNoMicrosoft));
  if (auto refused = refusal(request, path, behind)) return at_once(std::move(*refused));
  return get_microsoft_symcache(std::move(request), std::move(path), *behind.options.microsoft, behind.options.hold,
                                behind.options.redirect);
}

Task<http::Response> symbolicate(http::Request request, Segments, Behind behind) {
  if (behind.options.stacks.stacks == nullptr) co_return http::text(404, "no such path; see /");
  co_return co_await post_symbolicate(std::move(request), behind.options.stacks);
}

Task<http::Response> proxied(http::Request request, Segments below, Behind behind) {
  if (behind.options.files == nullptr) co_return http::text(404, "no such path; see /");
  co_return co_await get_proxied(std::move(request), std::move(below), *behind.options.files, behind.options.hold);
}

Task<http::Response> poll_request(http::Request request, Segments below, Behind behind) {
  if (behind.options.stacks.stacks == nullptr) co_return http::text(404, "no such path; see /");
  if (request.is("DELETE")) co_return co_await delete_request(std::move(below), behind.options.stacks);
  co_return co_await get_request(std::move(request), std::move(below), behind.options.stacks);
}

/// What the first segment of the path has to be: what the row says, or a version such as v3.1.0.
enum class First : std::uint8_t { exact, any_case, version };
enum class Extent : std::uint8_t { one_segment, and_below };
/// What clients are told that ask too often. Nobody knows what those of the SymCache protocol make of a 429.
enum class TooOften : std::uint8_t { does_not_count, says_429, says_404 };

struct Route {
  std::string_view segment;  ///< the first of the path; of a version the letter
  First first;
  Extent extent;
  auth::Access access;
  TooOften too_often;
  std::string_view methods;  ///< as Allow names them; OPTIONS is answered for all. Empty: the endpoint looks at them
  /// @param below  the segments after the first; a version stays
  Task<http::Response> (*endpoint)(http::Request request, Segments below, Behind behind);
};

constexpr std::string_view kReading = "GET, HEAD";
constexpr std::string_view kPosting = "POST";
constexpr std::string_view kPolling = "GET, HEAD, DELETE";
constexpr std::string_view kItsOwn;

constexpr Route kRoutes[] = {
    {"", First::exact, Extent::one_segment, Access::known, TooOften::says_429, kReading, index},
    {"healthcheck", First::exact, Extent::one_segment, Access::everyone, TooOften::does_not_count, kReading, alive},
    {"readyz", First::exact, Extent::one_segment, Access::everyone, TooOften::does_not_count, kReading, ready},
    {"open", First::any_case, Extent::and_below, Access::by_rules, TooOften::says_404, kReading, open_symcache},
    {"status", First::any_case, Extent::and_below, Access::by_rules, TooOften::says_429, kReading, microsoft_status},
    {"symbolicate", First::exact, Extent::one_segment, Access::known, TooOften::says_429, kPosting, symbolicate},
    {"requests", First::exact, Extent::and_below, Access::known, TooOften::says_429, kPolling, poll_request},
    {"proxy", First::exact, Extent::and_below, Access::known, TooOften::says_429, kReading, proxied},
    {"transcode", First::exact, Extent::and_below, Access::everyone, TooOften::does_not_count, kItsOwn, transcode},
    {"v", First::version, Extent::and_below, Access::by_rules, TooOften::says_404, kReading, microsoft_symcache},
};

constexpr std::string_view kNoRoute = "none";

std::string_view name_of(const Route& route) { return route.segment.empty() ? "index" : route.segment; }

/// "v3.1.0", with a name and an id behind it.
bool leads_to_version(const Segments& path, std::string_view letter) {
  const std::string& first = path.front();
  return path.size() >= 3 && http::same_name(first.substr(0, letter.size()), letter) &&
         wpt::Version::parse(std::string_view(first).substr(letter.size()));
}

bool leads_to(const Route& route, const Segments& path) {
  if (route.extent == Extent::one_segment && path.size() != 1) return false;
  switch (route.first) {
    case First::exact: return path.front() == route.segment;
    case First::any_case: return http::same_name(path.front(), route.segment);
    case First::version: return leads_to_version(path, route.segment);
  }
  return false;
}

/// @return null if the path leads nowhere
const Route* route_of(const std::optional<Segments>& path) {
  if (!path) return nullptr;
  const auto* const found = std::ranges::find_if(kRoutes, [&](const Route& r) { return leads_to(r, *path); });
  return found != std::end(kRoutes) ? found : nullptr;
}

/// What an endpoint looks at.
Segments below(const Route& route, Segments path) {
  if (route.first != First::version) path.erase(path.begin());
  return path;
}

bool lists(std::string_view methods, std::string_view method) {
  for (std::size_t at = 0; at < methods.size();) {
    const std::size_t end = std::min(methods.find(", ", at), methods.size());
    if (methods.substr(at, end - at) == method) return true;
    at = end + 2;
  }
  return false;
}

/// For a client over its rate. Those who failed to log in are known by their address, as are those who need not.
/// Who is asked to log in, or is half-way, costs nothing: each request of Kerberos may begin so.
std::optional<http::Response> told_to_wait(const Route* route, const auth::Verdict& verdict,
                                           const http::Request& request, net::RateLimiter* limiter) {
  const TooOften too_often = route != nullptr ? route->too_often : TooOften::says_429;
  if (limiter == nullptr || request.client == nullptr || too_often == TooOften::does_not_count) return std::nullopt;
  if (verdict.refusal && !verdict.is_wrong) return std::nullopt;
  const http::Principal* who = verdict.principal.get();
  const bool has_name = who != nullptr && !who->scheme.empty();
  const std::string client = has_name ? who->scheme + ' ' + who->name : request.client->network;
  const auto wait = limiter->wait_of(client);
  if (wait.count() == 0) return std::nullopt;
  http::Headers headers{{"Retry-After", std::to_string(wait.count())}, {"Cache-Control", "no-store"}};
  if (too_often == TooOften::says_404) return http::Response{404, std::move(headers), ""};
  return http::text(429, "too many requests; retry later", std::move(headers));
}

/// The answer where no endpoint is asked: no such path, or another method.
std::optional<http::Response> misdirected(const Route* route, bool has_path, const http::Request& request) {
  if (route != nullptr && route->methods.empty()) return std::nullopt;
  const http::Header allow{"Allow", route != nullptr ? route->methods : kReading};
  if (request.is("OPTIONS")) return http::Response{204, {allow}, ""};
  if (!lists(allow.second, request.method)) return http::text(405, "method not allowed; use " + allow.second, {allow});
  if (!has_path) return http::text(400, "request target is not a path");
  if (route == nullptr) return http::text(404, "no such path; see /");
  return std::nullopt;
}

}  // namespace

std::vector<std::string_view> route_names() {
  std::vector<std::string_view> names{kNoRoute};
  for (const Route& route : kRoutes) names.push_back(name_of(route));
  return names;
}

http::BodyPlan plan_body(const http::Request& head, const ApiOptions& options) {
  const auto path = options.prefixes.segments_behind(head.target);
  const Route* route = route_of(path);
  if (route == nullptr) return {};
  const bool may_be_let_in = options.gate == nullptr || !options.gate->is_on() || head.header("Authorization");
  if (route->endpoint == symbolicate && options.stacks.stacks != nullptr && may_be_let_in)
    return plan_stack_body(head, options.stacks);
  if (route->endpoint == transcode && options.workers != nullptr)
    return options.workers->plan_body(head, below(*route, *path));
  return {};
}

Task<http::Response> answer(http::Request request, service::CacheService& service, const ApiOptions& options) {
  auto path = options.prefixes.segments_behind(request.target);
  const Route* route = route_of(path);
  const std::string recorded = options.recorder != nullptr ? options.recorder->line_of(request) : std::string();
  auth::Verdict verdict;
  if (options.gate != nullptr)
    verdict = co_await options.gate->admit(request, route != nullptr ? route->access : Access::known);
  http::Response response;
  if (auto wait = told_to_wait(route, verdict, request, options.rate)) {
    response = std::move(*wait);
  } else if (verdict.refusal) {
    response = std::move(*verdict.refusal);
  } else if (auto refused = misdirected(route, path.has_value(), request)) {
    response = std::move(*refused);
  } else {
    request.principal = verdict.principal;
    const Behind behind{service, options};
    Segments segments = below(*route, std::move(*path));
    response = co_await route->endpoint(std::move(request), std::move(segments), behind);
  }
  verdict.prove(response);
  if (options.answered) options.answered(route != nullptr ? name_of(*route) : kNoRoute, response.status);
  if (options.recorder != nullptr) options.recorder->answered(recorded, response);
  co_return response;
}

}  // namespace symcached::api
