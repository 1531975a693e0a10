#include "config/compatible.hpp"

namespace symcached::config {
namespace {

constexpr Alias kAliases[] = {
    {"max_concurrent_requests", "limits.max_in_flight"},
    {"max_download_size", "network.max_download_size"},
    {"max_download_timeout", "network.download_timeout"},
    {"connect_timeout", "network.connect_timeout"},
    {"connect_to_reserved_ips", "network.private_redirects"},
    {"deny_list_enabled", "network.deny_list.enabled"},
    {"deny_list_threshold", "network.deny_list.threshold"},
    {"deny_list_block_time", "network.deny_list.block_time"},
    {"deny_list_never_block_hosts", "network.deny_list.never_block_hosts"},
    {"cache_cleanup_interval", "caches.cleanup_interval"},
    {"caches.downloaded.max_unused_for", "caches.objects.max_unused_for"},
    {"caches.downloaded.retry_misses_after", "caches.retry.absent"},
    {"caches.derived.max_unused_for", "caches.symcaches.max_unused_for"},
    {"caches.derived.max_unused_for", "caches.ppdbcaches.max_unused_for"},
    {"caches.derived.max_unused_for", "caches.cficaches.max_unused_for"},
    {"caches.derived.retry_malformed_after", "caches.retry.malformed"},
    {"caches.index.max_unused_for", "caches.source_index.max_unused_for"},
    {"metrics.statsd", "statsd.address"},
    {"metrics.prefix", "statsd.prefix"},
};

constexpr std::string_view kOnce = "it is remembered once, see caches.retry";
constexpr std::string_view kNoRanks = "public sources have no times of their own";
constexpr std::string_view kNoLazy = "entries of old versions are not served";
constexpr std::string_view kNoSentry = "nothing is sent to Sentry";
constexpr std::string_view kNotOffered = "there is no such thing here";

constexpr std::string_view kNoTags = "metrics have no tags but their own";

constexpr std::string_view kInARow = "failures in a row count, however long they took";

constexpr Ignored kIgnored[] = {
    {"deny_list_time_window", kInARow},
    {"deny_list_bucket_size", kInARow},
    {"caches.downloaded.retry_misses_after_public", kNoRanks},
    {"caches.downloaded.retry_malformed_after", kOnce},
    {"caches.downloaded.max_lazy_redownloads", kNoLazy},
    {"caches.derived.retry_misses_after", kOnce},
    {"caches.derived.retry_misses_after_public", kNoRanks},
    {"caches.derived.max_lazy_recomputations", kNoLazy},
    {"caches.index.retry_misses_after", kOnce},
    {"caches.index.retry_misses_after_public", kNoRanks},
    {"caches.index.retry_malformed_after", kOnce},
    {"caches.diagnostics", "files that failed are not kept"},
    {"caches.in_memory", "entries are mapped, not kept in memory"},
    {"enable_cache_cleanup", "limits of the cache hold always"},
    {"shared_cache", kNotOffered},
    {"symstore_proxy", "sources are not served as a symbol server yet"},
    {"head_timeout", "see network.silence_timeout, and head_timeout of a source"},
    {"crash_file_body_max_bytes", "crash reports are not taken yet"},
    {"symbolicate_body_max_bytes", "stack traces are not taken yet"},
    {"object_file_max_decompressed_section_size", "see workers.memory"},
    {"object_file_max_decompressed_source_size", "see workers.memory"},
    {"max_unwind_chain_len", "its limit is fixed"},
    {"logging.enable_backtraces", kNotOffered},
    {"metrics.custom_tags", kNoTags},
    {"metrics.hostname_tag", kNoTags},
    {"metrics.environment_tag", kNoTags},
    {"sentry_dsn", kNoSentry},
    {"traces_sample_rate", kNoSentry},
    {"transaction_sample_rate", kNoSentry},
    {"propagate_traces", kNoSentry},
    {"_crash_db", kNotOffered},
};

}  // namespace

OtherKeys symbolicator_keys() { return {kAliases, kIgnored}; }

}  // namespace symcached::config
