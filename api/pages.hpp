#pragma once
/// The page a person sees who opens the server in a browser.
#include <string>

#include "net/http.hpp"

namespace symcached::api {

struct IndexOptions {
  bool is_https = false;
  bool has_microsofts = false;  ///< Microsoft's symcaches are served
  std::string prefix = {};      ///< in front of all paths: "/team/symbols"
};

/// What this is and how to point a client at it, with the address the browser used.
http::Response index_page(const http::Request& request, const IndexOptions& options);

}  // namespace symcached::api
