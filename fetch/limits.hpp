#pragma once
/// How much a source may cost.
#include <cstddef>
#include <cstdint>

#include "sources/source_config.hpp"

namespace symcached::fetch {

struct Limits {
  std::uint64_t max_download = std::uint64_t{16} << 30;  ///< bytes, counted while they arrive
  std::uint64_t max_unpacked = std::uint64_t{16} << 30;  ///< bytes
  std::uint64_t max_ratio = 200;                         ///< unpacked to packed, beyond the first 64 MiB
  std::uint64_t max_other_body = 1 << 20;                ///< bytes of an answer that is no 200; then it is cut
  long connect_timeout_ms = 10'000;
  long head_timeout_ms = 0;  ///< from the request to the end of the answer's headers; 0: silence_s counts
  long silence_s = 60;       ///< less than min_rate for so long ends a download; also the wait for the first byte
  long min_rate = 1024;      ///< bytes per second
  long max_redirects = 10;
  long total_ms = 0;               ///< a transfer that takes longer ends; 0: as long as bytes arrive
  std::size_t max_transfers = 64;  ///< at once; further ones wait for their turn
  std::size_t max_host_transfers = 16;
  long max_connections = 64;
  long max_host_connections = 8;
  bool public_only = false;        ///< ask hosts of the public internet alone, and directly: see public_address.hpp
  bool private_redirects = false;  ///< follow redirects to other private hosts than the one that was asked
};

/// `limits` as the rules of one source change them.
Limits limits_under(Limits limits, const sources::NetworkRules& rules);

}  // namespace symcached::fetch
