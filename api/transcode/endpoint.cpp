#include "api/transcode/endpoint.hpp"

#include <boost/json.hpp>
#include <charconv>

#include "auth/credentials.hpp"
#include "base/overloaded.hpp"
#include "wpt/file_name.hpp"

namespace symcached::api {
namespace {

namespace json = boost::json;
using std::chrono::seconds;
using UploadPtr = std::shared_ptr<transcode::Upload>;

http::Headers no_store() { return {{"Cache-Control", "no-store"}}; }

http::Response as_json(const json::object& object) {
  http::Response response{200, no_store()};
  response.headers.emplace_back("Content-Type", "application/json");
  response.body = json::serialize(object);
  return response;
}

http::Response done() { return {204, no_store(), ""}; }

http::Response unauthorized() {
  http::Headers headers = no_store();
  headers.emplace_back("WWW-Authenticate", R"(Bearer realm="symcached transcoders")");
  return {401, std::move(headers), ""};
}

http::Response bad_body(std::string_view wanted) { return http::text(400, wanted, no_store()); }

std::optional<std::uint64_t> content_length(const http::Request& head) {
  const auto value = head.header("Content-Length");
  if (!value || head.count("Transfer-Encoding") != 0) return std::nullopt;
  std::uint64_t length = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), length);
  if (error != std::errc() || end != value->data() + value->size()) return std::nullopt;
  return length;
}

}  // namespace

bool WorkerDesk::lets_in(const http::Request& request) const {
  const auth::Credentials credentials = auth::credentials_of(request);
  const auto* bearer = std::get_if<auth::BearerToken>(&credentials);
  return bearer != nullptr && tokens_.bearer(bearer->token).has_value();
}

template <class Refusal>
http::Response WorkerDesk::refused(const Refusal& why) const {
  const auto later = [](std::string_view line, const char* seconds) {
    return http::text(503, line, {{"Retry-After", seconds}, {"Cache-Control", "no-store"}});
  };
  return std::visit(overloaded{[](const transcode::Unknown&) {
                                 return http::text(410, "the lease has run out, was ended, or never was", no_store());
                               },
                               [&](const transcode::Stopping&) { return later("the server is shutting down", "5"); },
                               [&](const transcode::NoSpace& space) {
                                 log_(Severity::error, "a symcache of a worker: " + space.why);
                                 return later("out of disk space; retry later", "60");
                               },
                               [](const transcode::OtherVersion&) {
                                 return http::text(409, "the version is another than that of the job, or below 3.0.0",
                                                   no_store());
                               }},
                    why);
}

http::Response WorkerDesk::answer(const http::Request& request, std::span<const std::string> segments) const {
  if (!lets_in(request)) return unauthorized();
  const auto call = parse_worker_call(request.method, segments);
  if (!call && call.error().methods.empty()) return http::text(404, "no such path", no_store());
  if (!call) return http::text(405, "method not allowed", {{"Allow", std::string(call.error().methods)}});
  if (request.body.size() > kMostOfWorkersBody) return http::text(413, "request body is too large", no_store());
  switch (call->request) {
    case WorkerRequest::lease: return lease(request.body);
    case WorkerRequest::pdb: return pdb(request, call->lease);
    case WorkerRequest::renew: return renew(call->lease);
    case WorkerRequest::result: return result(request, call->lease);
    case WorkerRequest::failure: break;
  }
  return failure(request.body, call->lease);
}

http::Response WorkerDesk::lease(std::string_view body) const {
  const auto wanted = parse_lease_request(body);
  if (!wanted) return bad_body(R"(wanted {"worker": NAME, "majors": [NUMBER]})");
  const auto given = transcoders_.take(wanted->worker, wanted->majors);
  if (!given) return refused(given.error());
  if (!*given) return done();
  const transcode::Lease& lease = (*given)->lease;
  return as_json({{"lease", lease.id},
                  {"pdb_name", lease.job.pdb_name},
                  {"pdb_id", wpt::folder_name(lease.job.id)},
                  {"pdb_size", lease.job.pdb_size},
                  {"major", lease.job.major_part},
                  {"lease_seconds", (*given)->time.count()}});
}

http::Response WorkerDesk::pdb(const http::Request& request, std::string_view lease) const {
  const auto pdb = transcoders_.pdb(lease);
  if (!pdb) return refused(pdb.error());
  http::Headers headers = no_store();
  headers.emplace_back("Content-Type", "application/octet-stream");
  const std::string etag = '"' + std::string(lease) + '"';
  return http::file_response(request, {pdb->file, pdb->offset, pdb->size}, etag, std::move(headers));
}

http::Response WorkerDesk::renew(std::string_view lease) const {
  const auto left = transcoders_.renew(lease);
  if (!left) return refused(left.error());
  return as_json({{"lease_seconds", left->count()}});
}

http::Response WorkerDesk::failure(std::string_view body, std::string_view lease) const {
  const auto why = parse_failure(body);
  if (!why) return bad_body(R"(wanted {"why": TEXT})");
  const auto ended = transcoders_.fail(lease, *why);
  return ended ? done() : refused(ended.error());
}

/// The body is here: plan_result() found nothing wrong when it began.
http::Response WorkerDesk::result(const http::Request& request, std::string_view lease) const {
  const auto version = parse_result_version(request.target);
  const auto* upload = request.stored ? std::any_cast<UploadPtr>(&request.stored->kept) : nullptr;
  if (!version || upload == nullptr) return bad_body("wanted a symcache of at least a byte, and ?version=3.1.0");
  const auto ended = transcoders_.complete(lease, *version, **upload);
  return ended ? done() : refused(ended.error());
}

http::BodyPlan WorkerDesk::plan_body(const http::Request& head, std::span<const std::string> segments) const {
  if (!lets_in(head)) return unauthorized();
  const auto call = parse_worker_call(head.method, segments);
  if (!call || call->request != WorkerRequest::result) return {};
  return plan_result(head, call->lease);
}

http::BodyPlan WorkerDesk::plan_result(const http::Request& head, std::string_view lease) const {
  const auto version = parse_result_version(head.target);
  const auto size = content_length(head);
  if (!version) return bad_body("wanted ?version=3.1.0");
  if (!size) return bad_body("wanted a Content-Length");
  if (*size > transcoders_.output_limit()) return http::text(413, "the symcache is too large", no_store());
  const auto upload = transcoders_.begin_upload(lease, *version, *size);
  if (!upload) return refused(upload.error());
  return http::BodyTarget{transcode::Upload::file_of(*upload), *size, *upload};
}

}  // namespace symcached::api
