#include "api/proxy/endpoint.hpp"

#include <utility>

#include "api/proxy/request.hpp"
#include "base/hex.hpp"
#include "base/overloaded.hpp"

namespace symcached::api {
namespace {

constexpr std::size_t kDigestDigits = 32;  ///< of the SHA-256 in an ETag

/// By the content where that is known, else by what the file was when it was opened.
std::string etag_of(const fetch::Original& file) {
  const bool is_known = file.digest != store::Sha256{};
  const store::Sha256 digest = is_known ? file.digest : store::sha256(as_bytes(file.origin + file.identity));
  return '"' + to_hex(digest).substr(0, kDigestDigits) + '"';
}

http::Response send(const service::SharedOriginal& file, const http::Request& request) {
  const auto descriptor = std::shared_ptr<const Descriptor>(file, &file->file);
  return http::file_response(request, {descriptor, file->offset, file->size}, etag_of(*file),
                             {{"Content-Type", "application/octet-stream"}});
}

http::Response later(std::chrono::seconds when) {
  return {503, {{"Retry-After", std::to_string(when.count())}, {"Cache-Control", "no-store"}}, ""};
}

http::Response not_there(std::string cache_control) { return {404, {{"Cache-Control", std::move(cache_control)}}, ""}; }

}  // namespace

Task<http::Response> get_proxied(http::Request request, std::vector<std::string> below, service::FileService& files,
                                 std::chrono::milliseconds hold) {
  auto file = parse_proxy_path(below);
  if (!file) co_return not_there("no-store");
  fetch::Wanted wanted = fetch::wanted_of(std::move(*file));
  const auto outcome = co_await files.find(std::move(wanted), hold);
  co_return std::visit(
      overloaded{
          [&](const service::SharedOriginal& original) { return send(original, request); },
          [](const service::Absent& absent) { return not_there("max-age=" + std::to_string(absent.retry_in.count())); },
          [](const service::Failed& failed) { return failed.lasting ? not_there("no-store") : later(failed.retry_in); },
          [](const service::Pending& pending) { return later(pending.retry_in); },
          [](const service::Overloaded&) { return later(std::chrono::seconds(5)); },
          [](const service::Unable& unable) { return later(unable.retry_in); }},
      outcome);
}

}  // namespace symcached::api
