#pragma once
/// Every place where a file of a module might lie, asked one by one: for those who want to know where symbols were
/// looked for. docs/protocols/symbolicator.md
#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/task.hpp"
#include "service/cache_query.hpp"
#include "service/file_features.hpp"
#include "service/listed_places.hpp"
#include "service/originals.hpp"
#include "stacks/candidates.hpp"

namespace symcached::service {

/// Safe to use from any thread. Its tasks run on threads that may wait for the disk.
class Candidates {
 public:
  /// `originals` and `features` outlive it. @param time_limit  of a download, for texts
  Candidates(Originals& originals, FileFeatures& features, std::chrono::milliseconds time_limit)
      : originals_(originals), features_(features), time_limit_(time_limit) {}

  /// What each place has, in the order of sources and types of files. What a place said is remembered as long as what a
  /// source says; files that were found are kept, so that looking for the module afterwards asks nobody again.
  /// @param with_sources  also those where only the text of source files may lie
  Task<std::vector<stacks::CandidateInfo>> list(CacheQuery query, SharedSources sources, bool with_sources = true);
  /// The same of source bundles alone: afterwards those that nobody has are not looked for elsewhere.
  Task<void> ask_bundles(CacheQuery query, SharedSources sources);
  /// Places that were asked; not those that were known.
  std::uint64_t asked() const { return asked_; }

 private:
  struct Question {
    std::size_t source;  ///< index
    ListedPlace place;
  };
  struct Questions {
    std::vector<Question> all;
    std::vector<std::size_t> without_places;  ///< indices of sources that have none for names, or none for sources
  };
  /// What one place said.
  struct Said {
    stacks::CandidateInfo candidate;
    store::TimePoint until;
    std::optional<store::Negative> verdict;  ///< nothing: it has the file
  };
  static Questions questions_of(const CacheQuery& query, const SourceSet& sources, std::span<const Purpose> purposes);
  Task<std::vector<Said>> ask_all(std::vector<Question> questions, SharedSources sources);
  void refuse_unasked(const CacheQuery& query, const std::vector<Question>& questions, const SourceSet& sources);
  Task<Said> ask(Question question, SharedSources sources);
  Task<Said> ask_source(Question question, SharedSources sources);
  void tell_originals(const std::vector<Question>& questions, const std::vector<Said>& said, const SourceSet& sources);

  Originals& originals_;
  FileFeatures& features_;
  const std::chrono::milliseconds time_limit_;
  std::atomic<std::uint64_t> asked_ = 0;
  std::mutex mutex_;
  std::unordered_map<std::string, Said> known_;
};

}  // namespace symcached::service
