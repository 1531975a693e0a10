#pragma once
/// The sources there are, and what each last said of each file. Private to `service/`.
#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "fetch/source.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "service/key_status.hpp"
#include "service/retry_policy.hpp"
#include "service/source_memory.hpp"

namespace symcached::service {

/// Sources in the order to ask, and how long what they say counts.
struct Sources {
  std::vector<std::unique_ptr<fetch::Source>> all;
  RetryPolicy policy;
};

/// Sources that are asked together.
struct SourceSet {
  Sources sources;
  std::string asked;  ///< names them all, for absences
};
using SharedSources = std::shared_ptr<const SourceSet>;
SharedSources shared(Sources sources);

/// Safe to use from any thread.
class Originals {
 public:
  /// A Negative is remembered until it is to be asked again.
  using Answer = std::variant<fetch::Original, fetch::SaysLess, store::Negative, fetch::Exhausted>;

  explicit Originals(Sources sources) : in_use_(shared(std::move(sources))) {}

  /// Other sources from now on. Work under way ends with the old ones. What each said of a key is not forgotten.
  void use(Sources sources);
  SharedSources in_use() const;

  /// What the source said last, while that counts; otherwise it is asked. Of what is only wanted if it is at hand,
  /// nothing is remembered.
  Task<Answer> ask(fetch::Source& source, fetch::Wanted wanted, const RetryPolicy& policy);
  std::optional<store::Negative> said(const fetch::Source& source, const fetch::Wanted& wanted) {
    return memory_.find(source, wanted);
  }
  /// An original of the source was no use.
  void refuse(const fetch::Source& source, const fetch::Wanted& wanted, store::Negative verdict) {
    memory_.put(source, wanted, std::move(verdict));
  }
  /// One of the source's places was asked for the file.
  void place_said(const fetch::Source& source, const std::string& place, const fetch::Wanted& wanted,
                  const store::Negative& verdict) {
    memory_.put_place(source, place, wanted, verdict);
  }
  /// The source has the file, whatever it said before; that one was no use is not forgotten.
  void found(fetch::Source& source, const fetch::Wanted& wanted);
  /// Whether a source has another original now than the one that was refused, or one at last.
  Task<bool> any_changed(std::vector<fetch::Wanted> wanted, SharedSources now);
  /// What the sources there are now last said.
  std::vector<SourceStatus> said(std::span<const fetch::Wanted> wanted);

 private:
  bool may_identify(const fetch::Source& source, const std::string& key, const RetryPolicy& policy);

  SourceMemory memory_;
  mutable std::mutex mutex_;
  SharedSources in_use_;
  std::unordered_map<std::string, std::chrono::steady_clock::time_point> identified_;  ///< by source and key
};

}  // namespace symcached::service
