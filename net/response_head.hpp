#pragma once
/// The head of a response as it goes on the wire. Private to `net/`.
#include <string>

#include "net/http.hpp"

namespace symcached::net {

/// Status line and headers with the blank line behind them; Date, Content-Length and Connection are added.
std::string head_of(const http::Response& response, bool http_1_1, bool keep_alive);

/// A whole response for a connection over a limit, closed after it. Static storage.
std::string_view too_many_connections();

}  // namespace symcached::net
