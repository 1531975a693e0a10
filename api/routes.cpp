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
  co_return index_page(request, {options.is_https, options.microsoft != nullptr,
                                 options.prefixes.empty() ? std::string() : options.prefixes.front()});
}

Task<http::Response> alive(http::Request, Segments, Behind) { co_return healthcheck(); }

Task<http::Response> ready(http::Request, Segments, Behind behind) { co_return readiness(behind.options.unready); }

/// For a PDB that the client may not see. What is wrong with other paths, the endpoint says.
std::optional<http::Response> refusal_of_pdb(const http::Request& request, std::span<const std::string> pdb,
                                             const Behind& behind) {
  if (behind.options.gate == nullptr) return std::nullopt;
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

enum class Spelling : std::uint8_t { exact, any_case };
enum class Extent : std::uint8_t { one_segment, and_below };

/// What Windows Performance Analyzer asks for: /v3.1.0/name/id.
Task<http::Response> microsoft_symcache(http::Request request, Segments path, Behind behind) {
  if (behind.options.microsoft == nullptr) co_return http::text(404, kNoMicrosoft);
  if (auto refused = refusal(request, path, behind)) co_return std::move(*refused);
  co_return co_await get_microsoft_symcache(std::move(request), std::move(path), *behind.options.microsoft,
                                            behind.options.hold, behind.options.redirect);
}

struct Route {
  std::string_view segment;  ///< the first of the path; kAnyVersion: v3.1.0 and the like, which stays in `below`
  Spelling spelling;
  Extent extent;
  auth::Access access;
  std::string_view methods;  ///< as Allow names them; OPTIONS is answered for all. Empty: the endpoint looks at them
  /// @param below  the segments after the first
  Task<http::Response> (*endpoint)(http::Request request, Segments below, Behind behind);
};

constexpr std::string_view kReading = "GET, HEAD";
constexpr std::string_view kItsOwn;

constexpr Route kRoutes[] = {
    {"", Spelling::exact, Extent::one_segment, Access::known, kReading, index},
    {"healthcheck", Spelling::exact, Extent::one_segment, Access::everyone, kReading, alive},
    {"readyz", Spelling::exact, Extent::one_segment, Access::everyone, kReading, ready},
    {"open", Spelling::any_case, Extent::and_below, Access::by_rules, kReading, open_symcache},
    {"status", Spelling::any_case, Extent::and_below, Access::by_rules, kReading, microsoft_status},
    {"transcode", Spelling::exact, Extent::and_below, Access::everyone, kItsOwn, transcode},
};

constexpr std::string_view kNoRoute = "none";
constexpr std::string_view kAnyVersion = "v";
constexpr Route kMicrosoft{kAnyVersion,      Spelling::any_case, Extent::and_below,
                           Access::by_rules, kReading,           microsoft_symcache};

std::string_view name_of(const Route& route) { return route.segment.empty() ? "index" : route.segment; }

bool leads_to(const Route& route, const Segments& path) {
  if (route.extent == Extent::one_segment && path.size() != 1) return false;
  return route.spelling == Spelling::any_case ? http::same_name(path.front(), route.segment)
                                              : path.front() == route.segment;
}

bool lists(std::string_view methods, std::string_view method) {
  for (std::size_t at = 0; at < methods.size();) {
    const std::size_t end = std::min(methods.find(", ", at), methods.size());
    if (methods.substr(at, end - at) == method) return true;
    at = end + 2;
  }
  return false;
}

bool is_microsofts(const Segments& segments) {
  return segments.size() >= 3 && segments[0].size() > 1 && (segments[0][0] == 'v' || segments[0][0] == 'V') &&
         wpt::Version::parse(segments[0].substr(1));
}

/// Whether it begins with all segments of `prefix`, "/team/symbols"; debuggers write URLs in any case.
bool begins_with(const Segments& path, std::string_view prefix) {
  const auto segments = http::path_segments(prefix);
  return segments && segments->size() < path.size() &&
         std::equal(segments->begin(), segments->end(), path.begin(), http::same_name);
}

/// Without the prefix, if it has one of them.
std::optional<Segments> path_of(const http::Request& request, const std::vector<std::string>& prefixes) {
  auto path = http::path_segments(request.target);
  if (!path) return path;
  const auto prefix = std::ranges::find_if(prefixes, [&](const std::string& p) { return begins_with(*path, p); });
  if (prefix != prefixes.end()) path->erase(path->begin(), path->begin() + std::ranges::count(*prefix, '/'));
  return path;
}

/// @param route  nothing if the path leads nowhere
Task<http::Response> answer_by(const Route* route, std::optional<Segments> path, http::Request request, Behind behind) {
  if (route != nullptr && route->methods.empty()) {
    path->erase(path->begin());
    co_return co_await route->endpoint(std::move(request), std::move(*path), behind);
  }
  const http::Header allow{"Allow", route != nullptr ? route->methods : kReading};
  if (request.is("OPTIONS")) co_return http::Response{204, {allow}, ""};
  if (!lists(allow.second, request.method)) co_return http::text(405, "method not allowed; use GET or HEAD", {allow});
  if (!path) co_return http::text(400, "request target is not a path");
  if (route == nullptr) co_return http::text(404, "no such path; see /");
  if (route != &kMicrosoft) path->erase(path->begin());
  co_return co_await route->endpoint(std::move(request), std::move(*path), behind);
}

}  // namespace

std::vector<std::string_view> route_names() {
  std::vector<std::string_view> names{kNoRoute, name_of(kMicrosoft)};
  for (const Route& route : kRoutes) names.push_back(name_of(route));
  return names;
}

Task<http::Response> answer(http::Request request, service::CacheService& service, const ApiOptions& options) {
  auto path = path_of(request, options.prefixes);
  const Route* route =
      path ? std::ranges::find_if(kRoutes, [&](const Route& r) { return leads_to(r, *path); }) : std::end(kRoutes);
  if (route == std::end(kRoutes)) route = path && is_microsofts(*path) ? &kMicrosoft : nullptr;
  const std::string recorded = options.recorder != nullptr ? options.recorder->line_of(request) : std::string();
  auth::Verdict verdict;
  if (options.gate != nullptr)
    verdict = co_await options.gate->admit(request, route != nullptr ? route->access : Access::known);
  http::Response response;
  if (verdict.refusal) {
    response = std::move(*verdict.refusal);
  } else {
    request.principal = verdict.principal;
    const Behind behind{service, options};
    response = co_await answer_by(route, std::move(path), std::move(request), behind);
  }
  verdict.prove(response);
  if (options.answered) options.answered(route != nullptr ? name_of(*route) : kNoRoute, response.status);
  if (options.recorder != nullptr) options.recorder->answered(recorded, response);
  co_return response;
}

}  // namespace symcached::api
