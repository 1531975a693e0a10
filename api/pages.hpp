#pragma once
/// The page a person sees who opens the server in a browser.
#include "net/http.hpp"

namespace symcached::api {

/// What this is and how to point a client at it, with the address the browser used.
http::Response index_page(const http::Request& request);

}  // namespace symcached::api
