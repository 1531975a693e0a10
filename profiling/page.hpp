#pragma once
/// Requests for pages and the answers, whatever server they came through.
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// The texts have to live while it is answered.
struct PageRequest {
  std::string_view method = "GET";
  std::string_view target = "/";        ///< as on the wire: path and query, percent-encoded
  std::string_view accept = {};         ///< the header of that name; empty if there is none
  std::string_view authorization = {};  ///< the same
  std::string_view body = {};
  std::stop_token stop = {};  ///< requested when the client has gone: ends profiles that are under way
};

struct PageResponse {
  int status = 200;
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< without Content-Length
  std::string body = {};                                          ///< for HEAD, too: leave it out then

  /// @return empty if there is none of that name
  std::string_view header(std::string_view name) const;
};

/// In the form that both google-pprof and `go tool pprof` show to their users: lines of "%warn REASON".
PageResponse refused(const Refusal& why);

/// UTF-8 text that no cache keeps.
PageResponse text_page(std::string body);

}  // namespace symcached::pprof
