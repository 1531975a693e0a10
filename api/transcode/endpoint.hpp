#pragma once
/// What workers on other machines are answered. Spec: docs/protocols/remote-transcoder.md.
#include <span>
#include <string>
#include <string_view>

#include "api/transcode/request.hpp"
#include "auth/tokens.hpp"
#include "net/http.hpp"
#include "net/log.hpp"
#include "transcode/remote_transcoders.hpp"

namespace symcached::api {

/// From any thread, without waiting. Outlives the server.
class WorkerDesk {
 public:
  /// @param token  of the workers, not empty
  WorkerDesk(transcode::RemoteTranscoders& transcoders, const std::string& token, Log log)
      : transcoders_(transcoders), tokens_({{"transcoder", token, {}}}), log_(std::move(log)) {}

  /// @param segments  of the path, behind "/transcode"
  http::Response answer(const http::Request& request, std::span<const std::string> segments) const;
  /// Where the body of a result goes, or why it is not wanted. Of other requests: nowhere.
  http::BodyPlan plan_body(const http::Request& head, std::span<const std::string> segments) const;

 private:
  bool lets_in(const http::Request& request) const;
  http::BodyPlan plan_result(const http::Request& head, std::string_view lease) const;
  http::Response lease(std::string_view body) const;
  http::Response pdb(const http::Request& request, std::string_view lease) const;
  http::Response renew(std::string_view lease) const;
  http::Response result(const http::Request& request, std::string_view lease) const;
  http::Response failure(std::string_view body, std::string_view lease) const;
  template <class Refusal>
  http::Response refused(const Refusal& why) const;

  transcode::RemoteTranscoders& transcoders_;
  const auth::Tokens tokens_;
  const Log log_;
};

}  // namespace symcached::api
