#pragma once
/// Jobs for transcoders on other machines, which ask for work: a Windows machine with symcachegen.exe behind a
/// firewall. A state machine without threads, clock or network; whoever owns it has those and a lock.
/// Protocol: docs/protocols/remote-transcoder.md.
#include <chrono>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ids/guid.hpp"
#include "wpt/version.hpp"

namespace symcached::transcode {

using RemoteTime = std::chrono::steady_clock::time_point;

struct RemoteRules {
  std::chrono::seconds lease{120};     ///< how long a worker may be silent
  std::chrono::seconds longest{3600};  ///< how long it may work on one job, whatever it says
  unsigned attempts = 3;               ///< leases of one job that may run out
  std::size_t most_jobs = 10'000;
};

/// One symcache that is wanted.
struct RemoteJob {
  std::string pdb_name;  ///< sources::check_file_name() accepted it
  DebugId id;
  std::uint32_t major_part = 0;  ///< of the version wanted
  std::uint64_t pdb_size = 0;    ///< bytes
};

struct Lease {
  std::string id;  ///< 32 hex digits, not to be guessed: who knows it may complete the job
  RemoteJob job;
  RemoteTime until{};
};

/// How a job ended; each has one end.
struct RemoteMade {
  RemoteJob job;
  wpt::Version version;
};
struct RemoteFailed {
  RemoteJob job;
  std::string why;  ///< the worker's words, cut and fit for a log; it said so, so the same would happen again
};
struct RemoteLost {
  RemoteJob job;  ///< no worker came back with it; says nothing of the PDB
};

enum class Offered : std::uint8_t {
  queued,
  known,  ///< it was there already
  full,
};
/// The lease has run out, was ended, or never was: the worker drops what it has.
struct Unknown {};

class RemoteQueue {
 public:
  /// @param random  32 hex digits that nobody can guess
  RemoteQueue(RemoteRules rules, std::function<std::string()> random) : rules_(rules), random_(std::move(random)) {}

  /// What a job is known by: its name in lower case, id and major version.
  static std::string key_of(const RemoteJob& job);

  /// One job per key.
  Offered offer(RemoteJob job);
  /// The oldest job that a worker can do; nothing if there is none. @param majors  of the versions that it makes
  std::optional<Lease> take(std::string_view worker, std::span<const std::uint32_t> majors, RemoteTime now);
  /// @return until when
  std::expected<RemoteTime, Unknown> renew(std::string_view lease, RemoteTime now);
  /// What is leased under that id, for its PDB; it stays leased.
  std::optional<RemoteJob> find(std::string_view lease) const;
  /// The file is here whole, and has been checked. Ends the job.
  std::expected<RemoteMade, Unknown> complete(std::string_view lease, const wpt::Version& version);
  std::expected<RemoteFailed, Unknown> fail(std::string_view lease, std::string_view why);
  /// Leases that have run out: their jobs wait again, those that did so too often are lost. Call it before take().
  std::vector<RemoteLost> expire(RemoteTime now);
  /// Nobody wants it any more. A worker that has it learns so when it renews or completes.
  void withdraw(const RemoteJob& job);

  std::size_t waiting() const { return waiting_.size(); }
  std::size_t leased() const { return leases_.size(); }
  /// When expire() has something to do; nothing if nothing is leased. Cost: looks at all leases.
  std::optional<RemoteTime> next_expiry() const;

 private:
  struct Entry {
    RemoteJob job;
    unsigned leases_lost = 0;
  };
  struct Leased {
    std::string key, worker;
    RemoteTime until, longest;
  };
  using Leases = std::map<std::string, Leased, std::less<>>;
  std::optional<RemoteJob> end(std::string_view lease);

  const RemoteRules rules_;
  const std::function<std::string()> random_;
  std::map<std::string, Entry, std::less<>> jobs_;  ///< all, by key
  std::deque<std::string> waiting_;                 ///< keys, oldest first
  Leases leases_;                                   ///< by id
};

}  // namespace symcached::transcode
