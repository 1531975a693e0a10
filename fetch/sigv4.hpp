#pragma once
/// Signature Version 4 of Amazon Web Services, in headers and in URLs. docs/decisions/0008-signing-requests.md
/// Spec: AWS, "Signing AWS API requests"; its published test vectors are in sigv4_test.cpp.
#include <chrono>
#include <string>

#include "net/http.hpp"

namespace symcached::fetch {

struct AwsKeys {
  std::string access_key, secret_key;
  std::string session_token = {};  ///< of temporary keys
};

struct ToSign {
  std::string method;
  std::string path;          ///< as on the wire: percent-encoded, from the first slash on
  std::string query = {};    ///< as on the wire, without '?'; sorted before it is signed
  http::Headers headers;     ///< all of them are signed; Host is among them
  std::string payload_hash;  ///< hex, or "UNSIGNED-PAYLOAD"
};

/// SHA-256 of no bytes: the payload of GET and HEAD.
inline constexpr const char* kEmptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Of UTC: "20130524T000000Z".
std::string amz_date(std::chrono::sys_seconds time);

/// Value of the Authorization header. X-Amz-Date, and X-Amz-Security-Token where there is a session token, are headers
/// of the request like others, so the caller adds them first.
/// @param region, service  "us-east-1", "s3"
std::string sign_v4(const AwsKeys& keys, const std::string& region, const std::string& service, const ToSign& request,
                    std::chrono::sys_seconds now);

/// The query of a URL that whoever has it may use for some time, with the parameters of `request.query` in front.
/// @param request  its headers are all that the one who uses it has to send: Host; its payload does not count
/// @param expires  at most 7 days
std::string presign_v4(const AwsKeys& keys, const std::string& region, const std::string& service, ToSign request,
                       std::chrono::seconds expires, std::chrono::sys_seconds now);

}  // namespace symcached::fetch
