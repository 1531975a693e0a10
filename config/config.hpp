#pragma once
/// What an operator sets, in the structs of the rooms that use it.
#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/symbolicator/request.hpp"
#include "auth/options.hpp"
#include "fetch/host_health.hpp"
#include "fetch/limits.hpp"
#include "net/http_server.hpp"
#include "net/log.hpp"
#include "net/rate_limiter.hpp"
#include "service/cache_service.hpp"
#include "service/request_table.hpp"
#include "service/stack_service.hpp"
#include "sources/source_config.hpp"
#include "store/limits.hpp"
#include "transcode/transcoder.hpp"
#include "worker/pool.hpp"

namespace symcached::config {

/// The kinds of cache entries that have limits of their own.
inline constexpr std::array<std::string_view, 8> kKinds{"objects",   "object_meta",  "symcaches",    "ppdbcaches",
                                                        "cficaches", "source_index", "sourcecaches", "sourcefiles"};

/// A program that makes Microsoft's symcaches.
struct Transcoder {
  std::string version = {};  ///< of the format: "3.1.0"
  transcode::TranscoderConfig program = {};
};
/// Where clients are sent for Microsoft's symcaches: by a plain URL, or by a signed one to a bucket.
struct SymcacheRedirect {
  std::string to;                  ///< base URL; empty: nowhere
  sources::S3Place bucket;         ///< empty bucket: nowhere
  std::chrono::seconds life{300};  ///< of a signed URL
};
/// Transcoders on other machines, which ask for jobs.
struct RemoteTranscoding {
  std::string token;                        ///< of those who ask; empty: there are none
  std::vector<std::string> majors;          ///< the version of each major one that they make: "3.1.0"
  std::chrono::seconds lease{120};          ///< how long one may be silent
  std::uint64_t output_limit = 4ull << 30;  ///< bytes of a symcache
};
struct SymcacheConfig {
  std::string directory;                            ///< where Microsoft's symcaches lie
  std::map<std::uint32_t, Transcoder> transcoders;  ///< by major version
  std::size_t max_running = 0;                      ///< of them at once; 0: one per processor
  RemoteTranscoding remote;
  SymcacheRedirect redirect;
};

/// Hosts that fail again and again are left alone for a while.
struct DenyList {
  bool enabled = true;
  fetch::BreakerRules rules = {};
};

enum class LogLevel : std::uint8_t { debug, info, warning, error, off };
enum class LogFormat : std::uint8_t { text, json };
struct Logging {
  LogLevel level = LogLevel::info;
  LogFormat format = LogFormat::text;
  std::chrono::milliseconds slow_requests{10'000};  ///< of those with stack traces, that are logged
  std::string record;                               ///< file for anonymised requests; empty: none
};

/// Metrics that are sent, besides those that are asked for.
struct Statsd {
  std::string address;               ///< HOST:PORT, over UDP; empty: nowhere
  std::string prefix = "symcached";  ///< of all names, with a dot behind it; empty: none
  std::chrono::milliseconds interval{10'000};
};

/// Of requests with stack traces.
struct Symbolication {
  std::uint64_t max_body = std::uint64_t{55} << 20;  ///< bytes of a request
  service::RequestOptions requests;
  service::StackOptions stacks;  ///< but for the limit of a download
  api::SourceRules sources;      ///< what sources of a request may be
};

struct Config {
  std::string bind = "127.0.0.1:3021";
  std::string admin_bind = "127.0.0.1:3022";  ///< empty: no admin listener
  std::vector<std::string> prefixes;          ///< that may stand in front of all paths: "/team/symbols"
  std::string cache_dir;                      ///< empty: $XDG_CACHE_HOME/symcached
  net::TlsFiles tls;                          ///< empty: no TLS
  auth::Options auth;
  store::CacheLimits caches;
  std::chrono::milliseconds cleanup_interval{900'000};
  service::ServiceOptions service;  ///< jobs.max_active is set by the program
  std::vector<sources::SourceConfig> sources;
  worker::PoolOptions workers;  ///< but for the command
  SymcacheConfig symcache;
  net::ServerOptions server;               ///< but for address and port
  net::RateRules rate;                     ///< of the requests of one client
  std::chrono::milliseconds hold{95'000};  ///< the longest a request waits; below the 100 s at which proxies give up
  Symbolication symbolication;
  unsigned grace = 30;  ///< seconds that open responses get when the server is stopped
  fetch::Limits network;
  DenyList deny_list;
  Logging logging;
  Statsd statsd;
};

}  // namespace symcached::config
