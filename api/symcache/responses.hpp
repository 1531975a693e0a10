#pragma once
/// What all formats of the protocol answer when there is no symcache to send, and what they send one with. Pure.
/// Spec: docs/protocols/symcache-http.md.
#include <string>
#include <string_view>

#include "net/http.hpp"
#include "service/outcome.hpp"

namespace symcached::api {

/// @param may_retry  the client polls
http::Response to_response(const service::Absent& absent, bool may_retry);
http::Response to_response(const service::Failed& failure, bool may_retry);
http::Response to_response(const service::Pending& pending, bool may_retry);
http::Response to_response(const service::Overloaded& overloaded, bool may_retry);
http::Response to_response(const service::Unable& unable, bool may_retry);

/// The client has the best there is.
http::Response nothing_newer();
/// Of every response with a file.
http::Headers file_headers(std::string media_type);

}  // namespace symcached::api
