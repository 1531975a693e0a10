#include "config/schema.hpp"

#include <fmt/format.h>

#include <utility>

#include "config/records.hpp"

namespace symcached::config {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kKiB = 1 << 10, kMiB = 1 << 20, kTiB = std::uint64_t{1} << 40;
constexpr std::uint64_t kMany = 1'000'000;
constexpr TimeBounds kAnyTime{};
constexpr TimeBounds kRetry{seconds(1), std::chrono::days(365)};
constexpr TimeBounds kWait{milliseconds(100), std::chrono::hours(24)};
constexpr TimeBounds kSeconds{seconds(1), std::chrono::hours(24)};

void add_listeners(Rows& rows, Config& c) {
  rows.push_back({"bind", address(c.bind, false), "address of the main listener; port 0: any free one", Use::restart});
  rows.push_back({"admin_bind", address(c.admin_bind, true),
                  "address of the listener for metrics and health; empty: none", Use::restart});
  rows.push_back(
      {"prefixes", prefixes(c.prefixes), "that may stand in front of all paths, as [/team/symbols]", Use::restart});
  rows.push_back({"tls.certificate", text(c.tls.certificate),
                  "PEM file with the server's certificate and those behind it; empty: plain HTTP"});
  rows.push_back({"tls.key", text(c.tls.key), "PEM file with its key"});
  rows.push_back(
      {"auth.tokens", tokens(c.auth.tokens), "tokens of clients: maps of name, token and scopes (none: all)"});
  rows.push_back({"auth.negotiate", flag(c.auth.negotiate), "let clients log in by Kerberos"});
  rows.push_back({"auth.keytab", text(c.auth.keytab), "keytab with keys for HTTP/...; empty: the default of Kerberos"});
  rows.push_back({"auth.ntlm", flag(c.auth.ntlm), "let clients log in by NTLM within Negotiate, too"});
  rows.push_back({"auth.rules", rules(c.auth.rules),
                  "who may see which PDBs, the first match counts: maps of principal, pdb and allow"});
  rows.push_back({"auth.hide", flag(c.auth.hide), "answer 404 instead of 403 for PDBs that a client may not see"});
}

void add_quota(Rows& rows, const std::string& group, store::Quota& quota, std::optional<seconds>& unused,
               const std::string& of, std::string_view no_time) {
  rows.push_back({group + "max_size", size_or_null(quota.max_size, "no limit"), "bytes on disk of " + of});
  rows.push_back({group + "min_free", free_space(quota.min_free), "free disk space that " + of + " leave"});
  rows.push_back({group + "max_unused_for", time_or_null(unused, kRetry, no_time),
                  "how long " + of + " are kept after their last use"});
}

void add_back_off(Rows& rows, const std::string& name, service::BackOff& back_off, const std::string& after) {
  const std::string key = "caches.retry." + name;
  rows.push_back({key + ".first", time(back_off.first, kRetry), "wait " + after + ", doubled each time"});
  rows.push_back({key + ".most", time(back_off.most, kRetry), "the longest such wait"});
}

void add_caches(Rows& rows, Config& c) {
  rows.push_back({"cache_dir", text(c.cache_dir),
                  "cache directory, created if missing; empty: $XDG_CACHE_HOME/symcached or ~/.cache/symcached",
                  Use::restart});
  add_quota(rows, "caches.", c.caches.total, c.caches.max_unused_for, "all entries", "for ever");
  rows.push_back({"caches.cleanup_interval", time(c.cleanup_interval, kSeconds),
                  "how often unused entries are looked for; sizes are kept to all the time"});
  for (const std::string_view kind : kKinds) {
    store::KindLimits& limits = c.caches.kinds[std::string(kind)];
    add_quota(rows, fmt::format("caches.{}.", kind), limits.quota, limits.max_unused_for,
              fmt::format("entries of kind {}", kind), "as all");
  }
  service::RetryPolicy& retry = c.service.retry;
  rows.push_back({"caches.retry.absent", time(retry.absent, kRetry), "how long a file counts as missing"});
  rows.push_back({"caches.retry.malformed", time(retry.malformed, kRetry),
                  "how long an unusable file is not tried again, until a restart at most"});
  add_back_off(rows, "unavailable", retry.unavailable, "after a failed connection or a 5xx");
  add_back_off(rows, "timed_out", retry.timed_out, "after a time-out");
  add_back_off(rows, "forbidden", retry.forbidden, "after a 401 or 403");
  add_back_off(rows, "rate_limited", retry.rate_limited, "after a 429 that does not say how long");
  add_back_off(rows, "not_whole", retry.not_whole, "after a file that was not complete");
  add_back_off(rows, "crashed", retry.crashed, "after a file that ended a worker");
  rows.push_back({"caches.retry.max_deaths", number(retry.max_deaths, {1, 100}),
                  "workers that a file may end before it counts as unusable"});
  rows.push_back({"caches.retry.settling", time(retry.settling, kAnyTime),
                  "a file refused so soon after its last change counts as incomplete"});
  rows.push_back(
      {"caches.retry.upgrade_again", time(retry.upgrade_again, kRetry), "how often a better original is looked for"});
  rows.push_back({"caches.retry.identify_again", time(retry.identify_again, kRetry),
                  "how often a server is asked whether a refused file has changed"});
}

void add_work(Rows& rows, Config& c) {
  rows.push_back({"sources", source_list(c.sources), "where debug files come from, asked in this order"});
  service::LimitRules& limits = c.service.limits;
  rows.push_back({"workers.processes", number(c.workers.processes, {0, 256}),
                  "processes that read debug files; 0: one per CPU", Use::restart});
  rows.push_back({"workers.jobs_per_process", number(c.workers.jobs_per_process, {0, 0xffff'ffff}),
                  "files a process reads before it is replaced", Use::restart});
  rows.push_back({"workers.max_resident", size(c.workers.max_resident, {kMiB, kTiB}),
                  "memory a process may keep between files", Use::restart});
  rows.push_back({"workers.memory", size_in_mebibytes(limits.memory_base_mib, {0, kTiB / kMiB}),
                  "address space for one file, plus memory_factor times its size", Use::restart});
  rows.push_back({"workers.memory_factor", number(limits.memory_factor, {0, 1000}), "see memory", Use::restart});
  rows.push_back({"workers.cpu_time", time_in<seconds>(limits.seconds_base, kAnyTime),
                  "for one file, plus a second for every cpu_bytes_per_second of it", Use::restart});
  rows.push_back(
      {"workers.cpu_bytes_per_second", size(limits.bytes_per_second, {kKiB, kTiB}), "see cpu_time", Use::restart});
}

void add_symcache(Rows& rows, SymcacheConfig& c) {
  const auto add = [&](const char* name, Field field, const char* help) {
    rows.push_back({fmt::format("symcache.{}", name), std::move(field), help, Use::restart});
  };
  add("directory", text(c.directory), "directory of symcaches in Microsoft's format; empty: they are not served");
  add("transcoders", transcoders(c.transcoders), "programs that make them, by major version: maps, see below");
  add("max_running", number(c.max_running, {0, 256}), "transcoders at once; 0: one per CPU. Under Wine: 1");
  add("remote.token", secret(c.remote.token), "token of transcoders on other machines; empty: there are none");
  add("remote.majors", texts(c.remote.majors), "version that they make of each major one: [3.1.0]");
  add("remote.lease", time(c.remote.lease, {seconds(1), seconds(300)}),
      "how long one may be silent before its job goes to another");
  add("remote.max_output", size(c.remote.output_limit, {1, kTiB}), "bytes of a symcache that they deliver");
  add("redirect.to", text(c.redirect.to),
      "base URL of the directory on another server, where clients are sent; empty: they get the files from here");
  add("redirect.life", time(c.redirect.life, kSeconds), "how long a signed URL to the bucket is good for");
  add_bucket(rows, "symcache.redirect.", c.redirect.bucket, Use::restart);
}

void add_limits(Rows& rows, Config& c) {
  net::ServerOptions& s = c.server;
  const auto add = [&](const char* name, Field field, const char* help) {
    rows.push_back({fmt::format("limits.{}", name), std::move(field), help, Use::restart});
  };
  add("max_connections", number(s.max_connections, {0, kMany}),
      "connections at once; 0: as many as the open-file limit allows");
  add("max_connections_per_address", number(s.max_connections_per_address, {0, kMany}),
      "connections at once from one client address; 0: half of max_connections");
  add("max_in_flight", number(s.max_in_flight, {0, kMany}),
      "requests being answered at once; 0: three quarters of max_connections");
  add("requests_per_second", number(c.rate.per_second, {0, kMany}),
      "of one client: a name that logged in, or an address; 0: any number");
  add("request_burst", number(c.rate.burst, {0, kMany}),
      "requests a client may send at once, saved up while it sends fewer; 0: those of ten seconds");
  add("hold", time(c.hold, {milliseconds(0), std::chrono::minutes(10)}),
      "the longest a request for a symcache waits for its conversion; then the client is told to come back");
  add("max_held", number(c.service.jobs.max_held, {0, kMany}), "requests waiting for a conversion at once");
  add("max_queued", number(c.service.jobs.max_jobs, {1, kMany}), "files being fetched or converted, or queued for it");
  add("max_target", size(s.max_target, {kKiB, kMiB}), "bytes of a request target");
  add("max_head", size(s.max_head, {kKiB, kMiB}), "bytes of the headers of a request");
  add("max_body", size(s.max_body, {0, kTiB}), "bytes of the body of a request");
  add("idle_timeout", time(s.idle_timeout, kWait), "from one response to the next request");
  add("head_timeout", time(s.head_timeout, kWait), "from the first byte of a request to the end of its headers");
  add("write_timeout", time(s.write_timeout, kWait), "without the client taking a byte");
  add("body_grace", time(s.body_grace, kWait), "time for a request body, before min_body_rate counts");
  add("min_body_rate", size(s.min_body_rate, {0, kTiB}), "bytes per second that a client must send; 0: any");
  add("send_grace", time(s.send_grace, kWait), "time for a response, before min_send_rate counts");
  add("min_send_rate", size(s.min_send_rate, {0, kTiB}), "bytes per second that a client must take; 0: any");
  add("grace", time_in<seconds>(c.grace, {seconds(0), std::chrono::hours(24)}),
      "for open responses to complete after SIGTERM or SIGINT before they are cut off");
}

void add_symbolication(Rows& rows, Config& c) {
  Symbolication& s = c.symbolication;
  const auto add = [&](const char* name, Field field, const char* help) {
    rows.push_back({fmt::format("symbolication.{}", name), std::move(field), help, Use::restart});
  };
  add("max_body", size(s.max_body, {kKiB, kTiB}), "bytes of a request with stack traces");
  add("max_requests", number(s.requests.jobs.max_jobs, {1, kMany}),
      "requests worked on or queued; further ones get a 503");
  add("max_running", number(s.requests.jobs.max_active, {1, kMany}), "requests worked on at once; they mostly wait");
  add("keep_answers", time(s.requests.kept, kSeconds), "how long an answer that took longer waits for its client");
  add("answer_memory", size(s.requests.memory, {0, kTiB}),
      "bytes of such answers in memory; the others are read from disk");
  add("open_caches", size(s.stacks.memory, {0, kTiB}), "bytes of caches kept mapped for the next request");
  add("allow_folders", flag(s.sources.folders), "sources of a request may be directories of this machine");
  add("allow_credentials", flag(s.sources.own_credentials),
      "sources of a request may be buckets that are asked with the credentials of this machine");
}

void add_network(Rows& rows, Config& c) {
  fetch::Limits& n = c.network;
  const auto add = [&](const char* name, Field field, const char* help) {
    rows.push_back({fmt::format("network.{}", name), std::move(field), help, Use::restart});
  };
  add("max_download_size", size(n.max_download, {kKiB, kTiB}), "bytes of a download");
  add("max_unpacked_size", size(n.max_unpacked, {kKiB, kTiB}), "bytes that a download may unpack to");
  add("max_ratio", number(n.max_ratio, {1, kMany}), "unpacked to packed, beyond the first 64 MiB");
  add("connect_timeout", time_in<milliseconds>(n.connect_timeout_ms, kWait), "for a connection to a server");
  add("silence_timeout", time_in<seconds>(n.silence_s, kSeconds),
      "less than min_rate for so long ends a download; also the wait for its first byte");
  add("min_rate", size(n.min_rate, {0, kTiB}), "bytes per second");
  add("download_timeout", time_in<milliseconds>(n.total_ms, kAnyTime),
      "for a whole download; 0: as long as bytes arrive");
  add("max_redirects", number(n.max_redirects, {0, 100}), "that are followed");
  add("max_transfers", number(n.max_transfers, {1, 10'000}), "downloads at once");
  add("max_host_transfers", number(n.max_host_transfers, {1, 10'000}), "downloads at once from one host");
  add("max_connections", number(n.max_connections, {1, 10'000}), "connections to servers at once");
  add("max_host_connections", number(n.max_host_connections, {1, 1'000}), "connections to one host at once");
  add("private_redirects", flag(n.private_redirects),
      "follow redirects of symbol servers to other private addresses; ask such addresses for sources that debug files "
      "link to");
}

void add_deny_list(Rows& rows, DenyList& d) {
  const auto add = [&](const char* name, Field field, const char* help) {
    rows.push_back({fmt::format("network.deny_list.{}", name), std::move(field), help, Use::restart});
  };
  add("enabled", flag(d.enabled), "leave hosts alone that fail again and again");
  add("threshold", number(d.rules.threshold, {1, kMany}), "failures in a row after which a host is left alone");
  add("block_time", time(d.rules.most, kRetry), "for how long at most; the first time 10 s, then twice as long");
  add("never_block_hosts", texts(d.rules.never), "hosts that are asked all the same");
}

/// Symbolicator's spellings come after ours.
const Choices<LogLevel> kLevels{{"debug", LogLevel::debug}, {"info", LogLevel::info}, {"warning", LogLevel::warning},
                                {"error", LogLevel::error}, {"off", LogLevel::off},   {"warn", LogLevel::warning},
                                {"trace", LogLevel::debug}};
const Choices<LogFormat> kFormats{{"text", LogFormat::text},
                                  {"json", LogFormat::json},
                                  {"auto", LogFormat::text},
                                  {"pretty", LogFormat::text},
                                  {"simplified", LogFormat::text}};

void add_logging(Rows& rows, Logging& logging) {
  rows.push_back({"logging.level", choice(logging.level, kLevels), "the least that is logged"});
  rows.push_back({"logging.format", choice(logging.format, kFormats), "what its lines look like", Use::restart});
  rows.push_back({"logging.slow_requests", time(logging.slow_requests, kAnyTime),
                  "requests with stack traces that take longer are logged; 0: all of them", Use::restart});
  rows.push_back({"logging.record", text(logging.record),
                  "file for requests, without names, ids and secrets; empty: none", Use::restart});
}

void add_statsd(Rows& rows, Statsd& statsd) {
  rows.push_back({"statsd.address", server(statsd.address),
                  "where metrics are sent by UDP, in the format of DogStatsD; empty: nowhere", Use::restart});
  rows.push_back(
      {"statsd.prefix", text(statsd.prefix), "of their names, with a dot behind it; empty: none", Use::restart});
  rows.push_back({"statsd.interval", time(statsd.interval, kWait), "how often they are sent", Use::restart});
}

}  // namespace

Rows rows_of(Config& config) {
  Rows rows;
  add_listeners(rows, config);
  add_caches(rows, config);
  add_work(rows, config);
  add_symcache(rows, config.symcache);
  add_limits(rows, config);
  add_symbolication(rows, config);
  add_network(rows, config);
  add_deny_list(rows, config.deny_list);
  add_logging(rows, config.logging);
  add_statsd(rows, config.statsd);
  return rows;
}

}  // namespace symcached::config
