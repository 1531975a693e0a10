#pragma once
/// Where the files of one source are asked for over HTTP: from a path to a request with its credentials.
#include <cstdint>
#include <expected>
#include <string>

#include "fetch/hop.hpp"
#include "net/task.hpp"

namespace symcached::fetch {

/// Outlives every request made with it. Safe to use from any thread.
class Endpoint {
 public:
  enum class Method : std::uint8_t { get, head };

  virtual ~Endpoint() = default;
  /// URL without credentials.
  virtual const std::string& shown() const = 0;
  /// A request for what lies at `path`, good for some minutes. May wait for a token.
  /// @param path  relative to the source, '/' between segments, not percent-encoded; empty: the root
  /// @return the request, or why there is none: credentials that cannot be had
  virtual Task<std::expected<HttpRequest, std::string>> request(Method method, std::string path) = 0;
  /// Changes whenever the credentials do: what was refused to others says nothing. 0: none.
  virtual std::uint64_t credentials() const = 0;
};

}  // namespace symcached::fetch
