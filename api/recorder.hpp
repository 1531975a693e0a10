#pragma once
/// Keeps what clients ask, without what it says of their programs, so that a recording can be given to somebody else.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "net/http.hpp"
#include "net/log.hpp"

namespace symcached::api {

/// The shape of a request target: letters become x and X, digits 0 and in GUIDs hex letters a and A, all else stays,
/// escaped if it was escaped; the query is left out, and segments stay that say which protocol it is.
std::string shape_of_target(std::string_view target);
/// Headers of the protocols and of HTTP's own business as they are; of Authorization the scheme, and in which protocol
/// its token is; of all others "(N bytes)".
std::string shown_header(std::string_view name, std::string_view value);

/// One line of JSON for each request; docs/protocols/recordings.md has the fields. Safe to use from any thread.
class Recorder {
 public:
  /// Appends to `path`, up to `max_size` bytes of this run; then it says so and keeps no more.
  static std::expected<std::unique_ptr<Recorder>, std::string> open(const std::string& path, Log log,
                                                                    std::uint64_t max_size = 64 << 20);

  /// Before the request is answered. @return what to give to answered()
  std::string line_of(const http::Request& request);
  void answered(const std::string& line, const http::Response& response);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  using File = std::unique_ptr<std::FILE, Close>;

  Recorder(File file, Log log, std::uint64_t max_size)
      : log_(std::move(log)), left_(max_size), file_(std::move(file)) {}
  std::size_t number_of(std::string_view target);

  static constexpr std::size_t kMostTargets = 1'000'000;

  const Log log_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::uint64_t left_;
  std::unordered_map<std::size_t, std::size_t> numbers_;  ///< by the target's hash: which are the same
  File file_;
};

}  // namespace symcached::api
