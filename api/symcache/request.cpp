#include "api/symcache/request.hpp"

#include <fmt/format.h>

#include "sources/file_name.hpp"

namespace symcached::api {
namespace {

constexpr std::string_view kNoSuchPath = "no such path; use /open/v2.1.0/NAME/GUID/AGE";

std::unexpected<Refusal> no_route(std::string_view why) { return std::unexpected(Refusal{404, std::string(why)}); }
std::unexpected<Refusal> bad(std::string why) { return std::unexpected(Refusal{400, std::move(why)}); }

std::optional<wpt::Version> parse_version_segment(std::string_view segment) {
  if (!segment.starts_with('v') && !segment.starts_with('V')) return std::nullopt;
  return wpt::Version::parse(segment.substr(1));
}

}  // namespace

std::expected<PdbPath, Refusal> parse_pdb_path(std::span<const std::string> segments) {
  if (segments.size() > 2 && segments.back().empty()) segments = segments.first(segments.size() - 1);
  if (segments.size() < 2 || segments.size() > 3) return no_route(kNoSuchPath);
  const auto id_text = http::percent_decode(segments[1]);
  const auto guid = id_text ? Guid::parse(*id_text) : std::nullopt;
  if (!guid) return no_route("GUID must be 32 hex digits, with or without dashes and braces");
  const auto age_text = segments.size() == 3 ? http::percent_decode(segments[2]) : std::optional<std::string>("1");
  const auto age = age_text ? wpt::parse_decimal(*age_text) : std::nullopt;
  if (!age) return no_route("age must be decimal, up to 4294967295 (symbol stores use hex)");
  const auto name = http::percent_decode(segments[0]);
  if (!name) return bad("PDB name has a '%' without two hex digits");
  if (const auto checked = sources::check_file_name(*name); !checked)
    return bad(fmt::format("PDB name: {}", checked.error()));
  return PdbPath{*name, DebugId{*guid, *age}};
}

std::expected<SymcachePath, Refusal> parse_symcache_path(std::span<const std::string> segments) {
  if (segments.size() < 3) return no_route(kNoSuchPath);
  const auto version = parse_version_segment(segments.front());
  if (!version) return no_route("version must look like v2.1.0");
  auto pdb = parse_pdb_path(segments.subspan(1));
  if (!pdb) return std::unexpected(std::move(pdb.error()));
  return SymcachePath{*version, std::move(*pdb)};
}

std::expected<SymcacheConditions, Refusal> parse_symcache_conditions(const http::Request& request,
                                                                     const wpt::Version& requested) {
  SymcacheConditions conditions;
  for (const std::string_view name : {"Allow-Retry-After", "Accept-Retry-After"})
    if (http::same_name(request.header(name).value_or(""), "true")) conditions.may_retry = true;
  const auto exceeds = request.header("If-Version-Exceeds");
  if (!exceeds) return conditions;
  if (request.count("If-Version-Exceeds") > 1) return bad("If-Version-Exceeds was given more than once");
  conditions.exceeds = wpt::Version::parse(*exceeds);
  if (!conditions.exceeds || conditions.exceeds->major_part == 0)
    return bad("If-Version-Exceeds must be a version such as 2.1.0");
  if (*conditions.exceeds >= requested) return bad("If-Version-Exceeds must be lower than the requested version");
  return conditions;
}

}  // namespace symcached::api
