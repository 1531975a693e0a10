#include "api/symcache/status.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <chrono>

#include "api/symcache/request.hpp"
#include "base/overloaded.hpp"
#include "base/utf8.hpp"
#include "service/verdicts.hpp"

namespace symcached::api {
namespace {

namespace json = boost::json;

std::int64_t seconds_until(store::TimePoint when) {
  return std::max<std::int64_t>(0, std::chrono::ceil<std::chrono::seconds>(when - store::Store::now()).count());
}

json::object to_json(const store::Negative& negative) {
  json::object out{{"state", service::state_name(negative)}};
  if (const std::string_view why = service::why_of(negative); !why.empty()) out["why"] = valid_utf8(why);
  const store::TimePoint again = service::retry_at(negative);
  if (again != store::TimePoint::max()) out["retry_in"] = seconds_until(again);
  return out;
}

std::string_view name_of(store::Quality quality) {
  switch (quality) {
    case store::Quality::none: return "nothing";
    case store::Quality::public_symbols: return "public symbols";
    case store::Quality::symbol_table: return "symbol table";
    case store::Quality::breakpad: return "Breakpad";
    case store::Quality::lines: return "lines";
  }
  return "unknown";
}

json::object to_json(const store::Hit& hit, bool is_outdated) {
  const store::Head& head = hit.entry->head();
  json::object out{{"state", "ready"},
                   {"size", head.payload_size},
                   {"holds", name_of(head.quality)},
                   {"made_at", head.created.time_since_epoch().count() / 1000}};
  if (is_outdated) out["outdated"] = true;
  return out;
}

json::object to_json(const service::KeyStatus& status) {
  if (!status.lookup) return {{"state", "not checked since the start"}};
  return std::visit(
      overloaded{[&](const store::Hit& hit) { return to_json(hit, status.is_outdated); },
                 [](const store::Miss&) { return json::object{{"state", "unknown"}}; },
                 [](const store::Exhausted& e) { return json::object{{"state", "out of resources"}, {"why", e.why}}; },
                 [](const auto& negative) { return to_json(store::Negative(negative)); }},
      *status.lookup);
}

json::array to_json(const std::vector<service::SourceStatus>& sources) {
  json::array rows;
  for (const service::SourceStatus& source : sources) {
    json::object row{{"source", valid_utf8(source.source)}, {"file", source.file}};
    for (auto& [key, value] : to_json(source.said)) row[key] = std::move(value);
    rows.push_back(std::move(row));
  }
  return rows;
}

json::object to_json(const service::WptStatus::ByTool& tool) {
  json::object row{{"version", tool.version.to_string()}, {"state", "free to make it"}};
  if (tool.barred)
    for (auto& [key, value] : to_json(*tool.barred)) row[key] = std::move(value);
  row["under_way"] = tool.is_under_way;
  return row;
}

http::Response as_json(const json::object& out) {
  return {200, {{"Content-Type", "application/json"}, {"Cache-Control", "no-store"}}, json::serialize(out) + "\n"};
}

}  // namespace

http::Response to_response(const service::KeyStatus& status) {
  json::object out{{"key", valid_utf8(status.key)}};
  for (auto& [key, value] : to_json(status)) out[key] = std::move(value);
  out["under_way"] = status.is_under_way;
  out["sources"] = to_json(status.sources);
  return as_json(out);
}

http::Response to_response(const service::WptStatus& status) {
  json::array symcaches, transcoders;
  for (const transcode::Held& held : status.held)
    symcaches.push_back(
        json::object{{"version", held.version.to_string()}, {"size", held.size}, {"path", valid_utf8(held.path)}});
  for (const auto& tool : status.tools) transcoders.push_back(to_json(tool));
  return as_json({{"key", valid_utf8(status.key)},
                  {"symcaches", std::move(symcaches)},
                  {"transcoders", std::move(transcoders)},
                  {"sources", to_json(status.sources)}});
}

http::Response get_open_status(const std::vector<std::string>& segments, service::CacheService& service) {
  const auto path = parse_pdb_path(segments);
  if (!path) return http::text(path.error().status, path.error().why);
  const auto status = service.status(path->query());
  return status ? to_response(*status) : http::text(404, "no file can be asked for by that name and id");
}

http::Response get_microsoft_status(const std::vector<std::string>& segments, service::WptService& service) {
  const auto path = parse_pdb_path(segments);
  if (!path) return http::text(path.error().status, path.error().why);
  return to_response(service.status(path->pdb_name, path->id));
}

}  // namespace symcached::api
