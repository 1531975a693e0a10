#include "api/transcode/request.hpp"

#include <algorithm>
#include <boost/json.hpp>

namespace symcached::api {
namespace {

namespace json = boost::json;

constexpr std::size_t kLongestWorker = 64;
constexpr std::size_t kMostMajors = 16;

struct CallRow {
  WorkerRequest request;
  std::string_view method, methods;  ///< as Allow names them
  std::size_t segments;
  std::string_view last;  ///< segment; empty: any
};
constexpr CallRow kCalls[] = {
    {WorkerRequest::lease, "POST", "POST", 1, "lease"},  {WorkerRequest::pdb, "GET", "GET, HEAD", 3, "pdb"},
    {WorkerRequest::pdb, "HEAD", "GET, HEAD", 3, "pdb"}, {WorkerRequest::renew, "POST", "POST", 3, "renew"},
    {WorkerRequest::failure, "POST", "POST", 3, "fail"}, {WorkerRequest::result, "PUT", "PUT", 2, ""},
};

bool leads_to(const CallRow& row, std::span<const std::string> segments) {
  return segments.size() == row.segments && segments.front() == "lease" &&
         (row.last.empty() || segments.back() == row.last);
}

/// Nothing if it is no object in JSON.
std::optional<json::object> parse_object(std::string_view body) {
  boost::system::error_code error;
  json::value value = json::parse(json::string_view(body.data(), body.size()), error);
  if (error || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

std::optional<std::string> text_of(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(json::string_view(key.data(), key.size()));
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(value->get_string().data(), value->get_string().size());
}

std::optional<std::vector<std::uint32_t>> majors_of(const json::object& object) {
  const json::value* value = object.if_contains("majors");
  if (value == nullptr || !value->is_array()) return std::nullopt;
  const json::array& all = value->get_array();
  if (all.empty() || all.size() > kMostMajors) return std::nullopt;
  std::vector<std::uint32_t> majors;
  for (const json::value& one : all) {
    boost::system::error_code error;
    majors.push_back(one.to_number<std::uint32_t>(error));
    if (error) return std::nullopt;
  }
  return majors;
}

}  // namespace

std::expected<WorkerCall, NoCall> parse_worker_call(std::string_view method, std::span<const std::string> segments) {
  std::string_view methods;
  for (const CallRow& row : kCalls) {
    if (!leads_to(row, segments)) continue;
    if (row.method == method) return WorkerCall{row.request, segments.size() > 1 ? segments[1] : std::string_view()};
    methods = row.methods;
  }
  return std::unexpected(NoCall{methods});
}

std::optional<LeaseRequest> parse_lease_request(std::string_view body) {
  const auto object = parse_object(body);
  if (!object) return std::nullopt;
  auto worker = text_of(*object, "worker");
  auto majors = majors_of(*object);
  if (!worker || worker->size() > kLongestWorker || !majors) return std::nullopt;
  return LeaseRequest{std::move(*worker), std::move(*majors)};
}

std::optional<std::string> parse_failure(std::string_view body) {
  const auto object = parse_object(body);
  return object ? text_of(*object, "why") : std::nullopt;
}

std::optional<wpt::Version> parse_result_version(std::string_view target) {
  constexpr std::string_view kKey = "version=";
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view query = target.substr(mark + 1);
  query = query.substr(0, query.find('#'));
  std::optional<std::string_view> found;
  for (std::size_t at = 0; at <= query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::string_view pair = query.substr(at, end - at);
    if (pair.starts_with(kKey) && found) return std::nullopt;
    if (pair.starts_with(kKey)) found = pair.substr(kKey.size());
    at = end + 1;
  }
  return found ? wpt::Version::parse(*found) : std::nullopt;
}

}  // namespace symcached::api
