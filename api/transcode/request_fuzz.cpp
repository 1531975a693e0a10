#include <algorithm>

#include "api/transcode/request.hpp"
#include "net/http.hpp"

/// The first line is "METHOD TARGET", the rest a body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::string_view body = text.substr(std::min(line.size() + 1, size));
  const std::string_view method = line.substr(0, line.find(' '));
  const std::string_view target = line.substr(std::min(method.size() + 1, line.size()));
  if (const auto segments = http::path_segments(target)) {
    const auto call = api::parse_worker_call(method, *segments);
    if (call && call->lease.size() > target.size()) __builtin_trap();
  }
  static_cast<void>(api::parse_result_version(target));
  static_cast<void>(api::parse_failure(body));
  if (const auto lease = api::parse_lease_request(body))
    if (lease->worker.size() > 64 || lease->majors.empty() || lease->majors.size() > 16) __builtin_trap();
  return 0;
}
