#pragma once
/// The use-case: text of a source file, from where a debug file or a bundle says that it is.
#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <memory>
#include <string>

#include "fetch/text_fetcher.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "service/job_table.hpp"
#include "service/retry_policy.hpp"
#include "stacks/candidates.hpp"
#include "store/store.hpp"
#include "symbolize/source_lines.hpp"

namespace symcached::service {

using SharedLines = std::shared_ptr<const symbolize::SourceLines>;

inline constexpr std::uint64_t kMaxSourceFile = 8u << 20;  ///< bytes

struct SourceFileOrder {
  std::string url;          ///< from fetch::check_text_url()
  std::string scope;        ///< who sees it
  http::Headers headers{};  ///< of the request, for the origin of the URL alone

  /// What it is called, in the store and in memory; what was told to others' credentials is another thing.
  std::string name() const;
};

struct SourceFileAnswer {
  SharedLines lines;  ///< null: none
  stacks::DownloadStatus status = stacks::DownloadStatus::error;
  std::string details = {};  ///< of an error
};

/// Texts that were asked for over the network, by what came of it.
struct SourceFileStats {
  std::uint64_t found = 0, absent = 0, malformed = 0, unavailable = 0;
  std::uint64_t bytes = 0;  ///< of those found
};

/// One download of a name at a time. Only UTF-8 counts. Safe to use from any thread.
class SourceFiles {
 public:
  /// `store` outlives it.
  SourceFiles(store::Store& store, fetch::TextLimits limits, std::string user_agent, RetryPolicy policy, Log log);
  ~SourceFiles() { stop(); }

  /// From the cache directory, else from its server; what failed is remembered there.
  Task<SourceFileAnswer> find(SourceFileOrder order);
  SourceFileStats stats() const;
  void stop();

 private:
  Task<SourceFileAnswer> resolve(SourceFileOrder order);
  Task<SourceFileAnswer> fetch(SourceFileOrder order, store::EntryKey key);
  void count(const fetch::NotFetched& failed);
  void keep(const store::EntryKey& key, const std::string& url, const std::string& text);

  store::Store& store_;
  const RetryPolicy policy_;
  const Log log_;
  std::atomic<std::uint64_t> found_ = 0, absent_ = 0, malformed_ = 0, unavailable_ = 0, bytes_ = 0;
  fetch::TextFetcher fetcher_;
  JobTable<SourceFileOrder, SourceFileAnswer> jobs_;
  boost::asio::thread_pool pool_;  ///< the last, as what it has queued uses the rest
};

}  // namespace symcached::service
