#include "worker/pool.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "base/threads.hpp"
#include "worker/channel.hpp"
#include "worker/file_state.hpp"

namespace symcached::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr milliseconds kLookAround{100};  ///< how often a slot looks whether the pool is stopping, its process alive
constexpr seconds kStartPause{1};         ///< after a process that could not be started ahead
constexpr seconds kStartLimit{30};        ///< for a new process to say that it is ready

std::string describe_death(const Process& process, const std::string& end, const Limits& limits) {
  if (process.last_signal() == SIGXCPU) return fmt::format("exceeded {} s of CPU time", limits.processor.count());
  if (process.last_signal() == SIGKILL) return "was killed (signal 9), usually for lack of memory";
  return fmt::format("ended with {}", end);
}

}  // namespace

/// A thread, and the process that works for it.
class Pool::Slot {
 public:
  explicit Slot(Pool& pool) : pool_(pool), buffer_(sizeof(MessageHead) + kMaxPiece) {
    thread_ = std::thread([this] { run(); });
  }
  void join() { thread_.join(); }

 private:
  void run() {
    while (!pool_.stopping()) {
      if (process_ && process_->ended()) process_.reset();
      if (!process_ && steady_clock::now() >= next_start_ && !start()) next_start_ = steady_clock::now() + kStartPause;
      const auto queued = pool_.next(kLookAround);
      if (!queued) continue;
      Result result = NotRun{"the server is shutting down"};
      try {
        if (!pool_.stopping()) result = execute(*queued);
      } catch (const std::exception& fault) {
        process_.reset();
        result = NotRun{fault.what()};
      }
      queued->done(std::move(result));
    }
  }

  /// @return nothing, or why there is no process
  std::expected<void, std::string> start() {
    auto started = Process::start(pool_.options_.command);
    if (!started) return std::unexpected(std::move(started.error()));
    process_.emplace(std::move(*started));
    jobs_done_ = 0;
    ++pool_.started_;
    Message ready;
    if (wait_for(ready, steady_clock::now() + kStartLimit) != Received::message || ready.tag != Tag::ready) {
      const std::string end = process_->end();
      process_.reset();
      return std::unexpected("a worker process ended before its first job: " + end);
    }
    pool_.note_gaps(as_text(ready.body));
    return {};
  }

  Received wait_for(Message& message, steady_clock::time_point deadline) {
    while (true) {
      const auto slice = std::min(deadline, steady_clock::now() + kLookAround);
      const Received received = receive(process_->channel(), buffer_, message, slice);
      if (received != Received::timed_out || slice == deadline || pool_.stopping()) return received;
    }
  }

  Result execute(const Queued& queued) {
    if (process_ && process_->ended()) process_.reset();
    if (!process_)
      if (const auto started = start(); !started) return NotRun{started.error()};
    const Job& job = queued.job;
    const auto before = states_of(job.inputs);
    ++pool_.jobs_;
    process_->limit(job.limits);
    std::vector<int> files;
    for (const Input& input : job.inputs) files.push_back(input.file->get());
    const Message order{.tag = Tag::job,
                        .kind = job.kind,
                        .max_output = job.limits.max_output,
                        .body = as_bytes(job.arguments),
                        .files = {}};
    Result result = send(process_->channel(), order, files) ? take_output(queued)
                                                            : Result(died(job.limits, "did not get its job: "));
    retire_if_worn();
    if (std::string change = change_since(before, job.inputs);
        !change.empty() && !std::holds_alternative<NotRun>(result))
      return Changed{std::move(change)};
    return result;
  }

  Result take_output(const Queued& queued) {
    const Limits& limits = queued.job.limits;
    const auto deadline = steady_clock::now() + limits.deadline;
    std::uint64_t left = limits.max_output;
    while (true) {
      Message message;
      switch (wait_for(message, deadline)) {
        case Received::message: break;
        case Received::closed: return died(limits, "");
        case Received::broken: return kill("sent a malformed answer");
        case Received::timed_out:
          if (pool_.stopping()) {
            process_.reset();
            return NotRun{"the server is shutting down"};
          }
          return kill(fmt::format("took longer than {:g} s", static_cast<double>(limits.deadline.count()) / 1000));
      }
      if (message.tag != Tag::output) return conclude(message, limits);
      if (message.body.size() > left) return conclude({.tag = Tag::too_much, .files = {}}, limits);
      left -= message.body.size();
      if (auto written = queued.sink(message.body); !written) {
        process_.reset();
        return SinkFailed{std::move(written.error())};
      }
    }
  }

  Result conclude(const Message& message, const Limits& limits) {
    std::string text(as_text(message.body));
    switch (message.tag) {
      case Tag::done: return Done{std::move(text)};
      case Tag::refused: return Refused{std::move(text)};
      case Tag::no_memory:
        return kill(fmt::format("ran out of memory, with {} MiB of address space", limits.address_space >> 20));
      case Tag::too_much: return kill(fmt::format("produced more than {} bytes", limits.max_output));
      case Tag::internal_fault: return kill("internal error: " + text);
      case Tag::job:
      case Tag::ready:
      case Tag::output: break;
    }
    return kill("sent a malformed answer");
  }

  /// The process is gone, or as good as gone.
  Died died(const Limits& limits, std::string_view doing) {
    ++pool_.died_;
    const std::string end = process_->end();
    std::string why = fmt::format("{}{}", doing, describe_death(*process_, end, limits));
    process_.reset();
    return Died{std::move(why)};
  }
  Died kill(std::string why) {
    ++pool_.died_;
    process_.reset();
    return Died{std::move(why)};
  }

  void retire_if_worn() {
    if (!process_) return;
    const bool grew = process_->resident() > pool_.options_.max_resident;
    if (++jobs_done_ >= pool_.options_.jobs_per_process || grew) process_.reset();
  }

  Pool& pool_;
  std::optional<Process> process_;
  unsigned jobs_done_ = 0;
  steady_clock::time_point next_start_ = {};  ///< not earlier without a job that needs it
  std::vector<std::byte> buffer_;
  std::thread thread_;
};

Pool::Pool(PoolOptions options, Log log) : options_(std::move(options)), log_(std::move(log)) {
  const unsigned wanted = options_.processes != 0 ? options_.processes : hardware_threads();
  for (unsigned i = 0; i < wanted; ++i) slots_.push_back(std::make_unique<Slot>(*this));
}

Pool::~Pool() { stop(); }

Task<Result> Pool::run(Job job, Sink sink) {
  const auto queued =
      std::make_shared<std::unique_ptr<Queued>>(std::make_unique<Queued>(Queued{std::move(job), std::move(sink), {}}));
  std::function<void(std::function<void(Result)>)> start = [this, queued](std::function<void(Result)> done) {
    (*queued)->done = std::move(done);
    {
      const std::scoped_lock lock(mutex_);
      if (!stopping()) queue_.push_back(std::move(*queued));
    }
    if (*queued) (*queued)->done(NotRun{"the server is shutting down"});
    else changed_.notify_one();
  };
  co_return co_await await_callback<Result>(std::move(start));
}

std::unique_ptr<Pool::Queued> Pool::next(milliseconds limit) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, limit, [this] { return !queue_.empty() || stopping(); });
  if (queue_.empty()) return nullptr;
  auto queued = std::move(queue_.front());
  queue_.pop_front();
  return queued;
}

void Pool::stop() {
  {
    const std::scoped_lock lock(mutex_);
    if (stopping_.exchange(true)) return;
  }
  changed_.notify_all();
  for (const auto& slot : slots_) slot->join();
  for (const auto& queued : std::exchange(queue_, {})) queued->done(NotRun{"the server is shutting down"});
  slots_.clear();
}

PoolStats Pool::stats() const {
  const std::scoped_lock lock(mutex_);
  return {started_, jobs_, died_, queue_.size()};
}

void Pool::note_gaps(std::string_view gaps) {
  if (!gaps.empty() && !gaps_logged_.exchange(true))
    log_(Severity::warning, fmt::format("workers are less isolated than they should be: {}", gaps));
}

}  // namespace symcached::worker
