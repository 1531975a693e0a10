#pragma once
/// Worker processes and the jobs that wait for them.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "net/log.hpp"
#include "net/task.hpp"
#include "worker/process.hpp"
#include "worker/serve.hpp"

namespace symcached::worker {

/// A file for a worker to read.
struct Input {
  std::shared_ptr<const Descriptor> file;
  bool may_be_touched = false;  ///< its times may change while it is read, its size not: an entry of a cache
};

struct Job {
  std::uint32_t kind = 0;
  std::string arguments = {};      ///< at most 16 KiB
  std::vector<Input> inputs = {};  ///< at most 8
  Limits limits;
};

/// Takes the output as it arrives, on a thread of the pool that may wait for a disk.
using Sink = std::function<std::expected<void, std::string>(Bytes)>;

struct Done {
  std::string note;
};
struct Refused {
  std::string why;
};  ///< the handler's word: the file is no use
struct Died {
  std::string why;
};  ///< crashed, hung, was killed or ran into a limit
struct Changed {
  std::string why;
};  ///< a file changed while it was read: what was read of it means nothing
struct SinkFailed {
  std::string why;
};
struct NotRun {
  std::string why;
};  ///< the pool is stopping, or no process can be started
using Result = std::variant<Done, Refused, Died, Changed, SinkFailed, NotRun>;

struct PoolOptions {
  std::vector<std::string> command;                       ///< starts a process that calls serve()
  unsigned processes = 0;                                 ///< 0: one per processor
  unsigned jobs_per_process = 1000;                       ///< after so many it is replaced
  std::uint64_t max_resident = std::uint64_t{128} << 20;  ///< bytes; one that keeps more between jobs is replaced
};

struct PoolStats {
  std::uint64_t started = 0;  ///< processes, in all
  std::uint64_t jobs = 0;     ///< begun
  std::uint64_t died = 0;     ///< jobs that cost a process
  std::size_t queued = 0;
};

class Pool {
 public:
  /// Starts all processes ahead; what cannot be started is tried again for each job.
  Pool(PoolOptions options, Log log);
  ~Pool();  ///< stop()

  /// One job after the other for each process, in the order they came. The job goes on when the one who waits is gone.
  /// Cost over the work itself: about 0.1 ms, and the output is copied once.
  Task<Result> run(Job job, Sink sink);

  /// Kills all processes; jobs under way and queued end as NotRun.
  void stop();
  PoolStats stats() const;

 private:
  struct Queued {
    Job job;
    Sink sink;
    std::function<void(Result)> done;
  };
  class Slot;

  std::unique_ptr<Queued> next(std::chrono::milliseconds limit);
  bool stopping() const { return stopping_.load(); }
  void note_gaps(std::string_view gaps);

  const PoolOptions options_;
  const Log log_;
  std::atomic<bool> stopping_ = false;
  std::atomic<bool> gaps_logged_ = false;
  std::atomic<std::uint64_t> started_ = 0, jobs_ = 0, died_ = 0;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Queued>> queue_;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace symcached::worker
