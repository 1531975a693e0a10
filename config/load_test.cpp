#include "config/load.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "config/changes.hpp"
#include "config/print.hpp"

namespace symcached::config {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::optional<std::string> test_environment(const std::string& name) {
  if (name == "TOKEN") return "s3cret";
  if (name == "CACHE") return "/var/cache/sym";
  return std::nullopt;
}

Loaded parsed(std::string_view yaml) { return parse(yaml, test_environment); }

std::vector<std::string> errors(std::string_view yaml) { return error_lines(parsed(yaml).report, {}); }

TEST(Load, EveryKindOfValue) {
  const Loaded loaded = parsed(R"(
bind: "[::1]:0"
admin_bind: ""
cache_dir: ${CACHE}/$$x$y
caches:
  max_size: 20GB
  min_free: 7%
  max_unused_for: {days: 2, hours: 3}
  symcaches: {max_size: 1073741824, min_free: 1GiB, max_unused_for: 1 week}
  retry: {absent: 90, unavailable: {first: 5s, most: 1h30m}}
workers: {processes: 3, memory: 512MiB, cpu_time: 1min}
limits: {max_in_flight: 7, max_head: 16KiB, idle_timeout: 300ms}
network: {connect_timeout: 1500ms, silence_timeout: 2m, private_redirects: true}
logging: {level: warn, format: json}
)");
  EXPECT_THAT(error_lines(loaded.report, {}), IsEmpty());
  const Config& c = loaded.config;
  EXPECT_EQ(c.bind, "[::1]:0");
  EXPECT_EQ(c.admin_bind, "");
  EXPECT_EQ(c.cache_dir, "/var/cache/sym/$x$y");
  EXPECT_EQ(c.caches.total.max_size, 20'000'000'000u);
  EXPECT_EQ(c.caches.total.min_free.percent, 7);
  EXPECT_EQ(c.caches.max_unused_for, hours(51));
  const store::KindLimits& symcaches = c.caches.kinds.at("symcaches");
  EXPECT_EQ(symcaches.quota.max_size, 1u << 30);
  EXPECT_EQ(symcaches.quota.min_free.bytes, 1u << 30);
  EXPECT_EQ(symcaches.max_unused_for, hours(24 * 7));
  EXPECT_EQ(c.caches.kinds.at("objects").max_unused_for, std::nullopt) << "as for all";
  EXPECT_EQ(c.service.retry.absent, seconds(90));
  EXPECT_EQ(c.service.retry.unavailable.first, seconds(5));
  EXPECT_EQ(c.service.retry.unavailable.most, seconds(5400));
  EXPECT_EQ(c.workers.processes, 3u);
  EXPECT_EQ(c.service.limits.memory_base_mib, 512u);
  EXPECT_EQ(c.service.limits.seconds_base, 60u);
  EXPECT_EQ(c.server.max_in_flight, 7u);
  EXPECT_EQ(c.server.max_head, 16u << 10);
  EXPECT_EQ(c.server.idle_timeout, milliseconds(300));
  EXPECT_EQ(c.network.connect_timeout_ms, 1500);
  EXPECT_EQ(c.network.silence_s, 120);
  EXPECT_TRUE(c.network.private_redirects);
  EXPECT_EQ(c.logging.level, LogLevel::warning);
  EXPECT_EQ(c.logging.format, LogFormat::json);
}

TEST(Load, NothingIsTheDefaults) {
  for (const char* yaml : {"", "# nothing\n", "---\n", "caches:\n", "bind:\n", "sources: []\n"}) {
    const Loaded loaded = parsed(yaml);
    EXPECT_THAT(error_lines(loaded.report, {}), IsEmpty()) << yaml;
    EXPECT_EQ(print(loaded.config), print(Config{})) << yaml;
  }
}

TEST(Load, NullIsNoneWhereThereIsNone) {
  const Config config = parsed("caches: {max_size: null, max_unused_for: ~}\nbind: null\n").config;
  EXPECT_EQ(config.caches.total.max_size, std::nullopt);
  EXPECT_EQ(config.caches.max_unused_for, std::nullopt);
  EXPECT_EQ(config.bind, Config{}.bind);
}

TEST(Load, ErrorsSayLineFoundAndWhatToWrite) {
  struct Row {
    std::string_view why, yaml, want;
  };
  const Row rows[] = {
      {"misspelt", "\ncaches:\n  max_sise: 1GB\n",
       "3: error: caches.max_sise: unknown key; the nearest is caches.max_size"},
      {"in the wrong map", "max_queued: 1", "1: error: max_queued: unknown key; the nearest is limits.max_queued"},
      {"misspelt group", "cache:\n  max_size: 1GB", "1: error: cache: unknown key; the nearest is caches"},
      {"unit", "caches: {max_size: 20gb}",
       "1: error: caches.max_size: \"20gb\" has no unit we know; write 20GB or 20GiB"},
      {"time", "caches: {max_unused_for: soon}",
       "1: error: caches.max_unused_for: \"soon\" is not a time we can read; write 7d, 1h30m, 90s or 250ms"},
      {"part of a time", "caches: {max_unused_for: {moons: 1}}",
       "1: error: caches.max_unused_for: \"moons\" does not name a part of a time; write days: 7 or hours: 1, or 7d as "
       "text"},
      {"too short", "limits: {idle_timeout: 1ms}",
       "1: error: limits.idle_timeout: \"1ms\" is out of range; write 100ms to 1d"},
      {"no whole seconds", "caches: {retry: {absent: 1500ms}}",
       "1: error: caches.retry.absent: \"1s500ms\": write whole seconds"},
      {"range", "workers: {processes: 300}", "1: error: workers.processes: \"300\" is not a number from 0 to 256"},
      {"negative", "workers: {processes: -1}", "1: error: workers.processes: \"-1\" is not a number from 0 to 256"},
      {"size in MiB", "workers: {memory: 1000}", "1: error: workers.memory: \"1000\": write a multiple of 1MiB"},
      {"list for text", "bind: [1]", "1: error: bind: wanted ADDRESS:PORT, found a list"},
      {"text for map", "caches: much", "1: error: caches: wanted a map, found text"},
      {"address", "bind: example.org:1",
       "1: error: bind: \"example.org:1\": use a numeric address, such as 127.0.0.1:3021 or [::1]:3021"},
      {"flag", "auth: {negotiate: yes}", "1: error: auth.negotiate: \"yes\": write true or false"},
      {"choice", "logging: {format: xml}",
       "1: error: logging.format: \"xml\": write one of text, json, auto, pretty, simplified"},
      {"variable", "cache_dir: ${NO_SUCH}", "1: error: cache_dir: the environment variable NO_SUCH is not set"},
      {"no variable", "cache_dir: ${", "1: error: cache_dir: write ${NAME} for a variable, or $$ for a dollar sign"},
      {"twice", "bind: 1\nbind: 2\n", "2: error: \"bind\" is given twice, first in line 1"},
      {"twice by two names", "limits: {max_in_flight: 1}\nmax_concurrent_requests: 2\n",
       "2: error: max_concurrent_requests: the same as limits.max_in_flight in line 1; remove one"},
      {"no map", "- bind", "1: error: wanted a map of keys, found a list"},
      {"no YAML", "bind: [", "1: error: not YAML: end of sequence flow not found"},
      {"transcoder", "symcache: {transcoders: {3: {version: 2.0.0, command: [x]}}}",
       "1: error: symcache.transcoders.3.version: \"2.0.0\": write a version such as 3.1.0"},
  };
  for (const Row& r : rows) EXPECT_THAT(errors(r.yaml), ElementsAre(std::string(":").append(r.want))) << r.why;
}

TEST(Load, AllErrorsAtOnce) {
  const auto all =
      errors("bind: x\nworkers: {processes: many, memry: 1GiB}\nsources:\n- type: ftp\n  id: a\n- id: b\n");
  EXPECT_EQ(all.size(), 5u) << ::testing::PrintToString(all);
}

TEST(Load, TheKeysOfSymbolicator) {
  const Loaded loaded = parsed(R"(
max_concurrent_requests: 120
max_download_size: 16106127360
max_download_timeout: 5min
connect_to_reserved_ips: true
cache_cleanup_interval: 1h
deny_list_threshold: 20
caches:
  downloaded: {max_unused_for: 1d, retry_misses_after: 30m, retry_misses_after_public: 1d}
  derived: {max_unused_for: 14d}
  in_memory: {sentry_index_capacity: 100000}
sentry_dsn: ${NO_SUCH}
metrics: {statsd: "statsd:8125", prefix: crashes, custom_tags: {}}
)");
  EXPECT_THAT(error_lines(loaded.report, {}), IsEmpty());
  const Config& c = loaded.config;
  EXPECT_EQ(c.server.max_in_flight, 120u);
  EXPECT_EQ(c.network.max_download, 16106127360u);
  EXPECT_EQ(c.network.total_ms, 300'000);
  EXPECT_TRUE(c.network.private_redirects);
  EXPECT_EQ(c.deny_list.rules.threshold, 20u);
  EXPECT_EQ(c.caches.kinds.at("objects").max_unused_for, hours(24));
  for (const char* kind : {"symcaches", "ppdbcaches", "cficaches"})
    EXPECT_EQ(c.caches.kinds.at(kind).max_unused_for, hours(24 * 14)) << kind;
  EXPECT_EQ(c.service.retry.absent, seconds(1800));
  EXPECT_EQ(c.statsd.address, "statsd:8125");
  EXPECT_EQ(c.statsd.prefix, "crashes");
  const auto said = warning_lines(loaded.report, "f");
  for (const char* want : {"f:13: warning: metrics.custom_tags: ignored; metrics have no tags but their own",
                           "f:12: warning: sentry_dsn: ignored; nothing is sent to Sentry"})
    EXPECT_THAT(said, ::testing::Contains(want));
}

TEST(Load, TheAddressOfAStatsdServer) {
  for (const char* good : {"127.0.0.1:8125", "[::1]:8125", "localhost:1", "statsd-1.example:8125", ""})
    EXPECT_THAT(errors(fmt::format("statsd: {{address: \"{}\"}}", good)), IsEmpty()) << good;
  for (const char* bad : {"statsd", "statsd:", "statsd:0", ":8125", "::1:8125", "a b:1", "[a b]:1", "h:65536"})
    EXPECT_EQ(errors(fmt::format("statsd: {{address: \"{}\"}}", bad)).size(), 1u) << bad;
}

TEST(Load, TheVariablesOfMicrosoftsServerAreDefaults) {
  const auto environment = [](const std::string& name) -> std::optional<std::string> {
    if (name == "SymCacheDirectory") return "/srv/SymCache";
    if (name == "SymbolServer") return "https://sym.example/download";
    if (name == "TranscoderPath") return "/opt/symcachegen";
    if (name == "TranscoderVersion") return "v3.2.1";
    return std::nullopt;
  };
  const Config config = parse("", environment).config;
  EXPECT_EQ(config.symcache.directory, "/srv/SymCache");
  EXPECT_EQ(std::get<sources::HttpPlace>(config.sources.at(0).location).url, "https://sym.example/download");
  EXPECT_EQ(config.symcache.transcoders.at(3).version, "3.2.1");
  EXPECT_THAT(config.symcache.transcoders.at(3).program.command, ElementsAre("/opt/symcachegen"));
  EXPECT_THAT(parse("sources: []\n", environment).config.sources, IsEmpty()) << "the file comes after them";
}

TEST(Print, IsReadBackAsTheSame) {
  const char* const yaml = R"(
cache_dir: "a\tb $$HOME ${TOKEN} #: '"
caches: {max_unused_for: null, objects: {min_free: 0.5%}}
auth: {tokens: [{name: n, token: "${TOKEN}", scopes: [a, "null"]}, {name: m, token: t}]}
symcache: {transcoders: {3: {version: 3.1.0, command: [wine, "x y"], timeout: 90s}}}
sources:
- {id: a, type: http, url: "https://u:p@x/", headers: {X-A: "1: 2"}, connect_timeout: 1s, proxy: ""}
- {id: b, type: s3, bucket: k, region: [r, "http://e"], filters: {filetypes: [pe, pdb]}, layout: {type: ssqp}}
)";
  const Config config = parsed(yaml).config;
  const std::string text = print(config, Secrets::shown);
  const Loaded again = parsed(text);
  EXPECT_THAT(error_lines(again.report, {}), IsEmpty());
  EXPECT_EQ(print(again.config, Secrets::shown), text);
  EXPECT_THAT(changes(config, again.config), IsEmpty());
  EXPECT_EQ(again.config.cache_dir, "a\tb $HOME s3cret #: '");
}

TEST(Print, HidesSecrets) {
  const Config config = parsed(R"(
auth: {tokens: [{name: n, token: TOPSECRET}]}
sources:
- {id: a, type: http, url: "https://TOPSECRET:TOPSECRET@x/", headers: {X: TOPSECRET}, password: TOPSECRET,
   proxy: "http://u:TOPSECRET@p/"}
- {id: b, type: s3, bucket: k, access_key: k, secret_key: TOPSECRET, session_token: TOPSECRET}
- {id: c, type: gcs, bucket: k, client_email: e, private_key: TOPSECRET, bearer_token: TOPSECRET}
- {id: d, type: azure, account: k, container: c, sas: TOPSECRET, shared_key: TOPSECRET}
)")
                            .config;
  ASSERT_EQ(config.sources.size(), 4u);
  EXPECT_THAT(print(config), Not(::testing::HasSubstr("TOPSECRET")));
  const Loaded again = parsed(print(config));
  EXPECT_THAT(error_lines(again.report, {}), IsEmpty());
  EXPECT_THAT(
      warning_lines(again.report, {}),
      ::testing::Contains(::testing::EndsWith("sources.a.proxy: \"***\" stands for a secret that was not printed")));
}

TEST(Changes, AreNamed) {
  Config after;
  after.bind = "127.0.0.1:1";
  after.service.retry.absent = seconds(1);
  const auto all = changes({}, after);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].key, "bind");
  EXPECT_EQ(all[0].use, Use::restart);
  EXPECT_EQ(all[1].key, "caches.retry.absent");
  EXPECT_EQ(all[1].use, Use::live);
}

TEST(Assign, SetsOneKey) {
  Config config;
  EXPECT_EQ(assign(config, "workers.processes", "3"), "");
  EXPECT_EQ(config.workers.processes, 3u);
  EXPECT_EQ(assign(config, "workers.processes", "300"), "\"300\" is not a number from 0 to 256");
}

}  // namespace
}  // namespace symcached::config
