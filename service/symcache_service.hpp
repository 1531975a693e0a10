#pragma once
/// The use-case: the symcache of a PDB, found or made. One computation per key at a time, however many ask.
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "fetch/source.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "service/derive.hpp"
#include "service/job.hpp"
#include "service/retry_policy.hpp"
#include "store/store.hpp"

namespace symcached::service {

struct SymcacheQuery {
  std::string pdb_name;  ///< as the client spelt it; sources::check_file_name() accepted it
  DebugId id;
};

struct Ready {
  std::shared_ptr<const store::Entry> entry;
};
struct Absent {
  std::chrono::seconds retry_in;
};  ///< every source said no; they are asked again after that time
struct Failed {
  std::string why;
  bool lasting;            ///< the original is no use; otherwise a source did not answer as it should
  std::uint16_t failures;  ///< not lasting: how often in a row
  std::chrono::seconds retry_in;
};
struct Pending {
  std::chrono::seconds retry_in;
};  ///< being worked on; ask again
struct Overloaded {};  ///< too many keys are being worked on
using Outcome = std::variant<Ready, Absent, Failed, Pending, Overloaded>;

using Deriver = std::function<std::expected<DerivedSymcache, std::string>(const object::Original& original)>;

struct ServiceOptions {
  RetryPolicy retry = {};
  unsigned threads = 0;         ///< for conversions and other work that keeps a thread; 0: one per processor
  std::size_t max_jobs = 4096;  ///< keys worked on or queued at once
};

class SymcacheService {
 public:
  /// `store` and what `sources` use outlive the service.
  SymcacheService(store::Store& store, std::vector<std::unique_ptr<fetch::Source>> sources, Deriver deriver, Log log,
                  ServiceOptions options = {});
  ~SymcacheService();

  /// @param hold  how long to wait for work that is not done; 0: Pending at once, the work goes on
  /// The work belongs to the key: it goes on when the one who asked is gone.
  Task<Outcome> find(SymcacheQuery query, std::chrono::milliseconds hold);
  /// What is known without any work or wait; nothing if that is nothing.
  std::optional<Outcome> peek(const SymcacheQuery& query);
  /// Before the end: everybody who waits gets Pending, failures are remembered no more.
  void drain();
  /// drain(), then waits for conversions under way; what is queued is dropped. No download may be under way any more.
  void stop();

 private:
  using KeyJob = Job<Outcome>;

  std::shared_ptr<KeyJob> join_or_start(const fetch::Wanted& wanted);
  Task<void> run(fetch::Wanted wanted, std::shared_ptr<KeyJob> job);
  Task<Outcome> resolve(fetch::Wanted wanted);
  /// Ready, or what is wrong with the original.
  std::expected<Outcome, std::string> derive(const fetch::Wanted& wanted, const fetch::Original& original);
  Outcome remember(const fetch::Wanted& wanted, const store::Negative& negative);
  std::optional<Outcome> known(const store::Lookup& lookup) const;
  std::chrono::seconds pending_hint();
  bool draining();

  store::Store& store_;
  const std::vector<std::unique_ptr<fetch::Source>> sources_;
  const Deriver deriver_;
  const Log log_;
  const ServiceOptions options_;
  std::mutex mutex_;
  bool draining_ = false;
  std::unordered_map<std::string, std::shared_ptr<KeyJob>> jobs_;  ///< by key
  boost::asio::thread_pool pool_;
};

}  // namespace symcached::service
