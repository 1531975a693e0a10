#pragma once
/// Transcoders on other machines: what asks for a symcache waits here until a worker has delivered it. The jobs are
/// those of a RemoteQueue; this adds the lock, the clock, the PDBs and the files that arrive.
/// Protocol: docs/protocols/remote-transcoder.md.
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "net/log.hpp"
#include "net/task.hpp"
#include "transcode/remote_queue.hpp"
#include "transcode/transcoder.hpp"

namespace symcached::transcode {

struct RemoteOptions {
  RemoteRules rules = {};
  std::chrono::seconds patience{600};       ///< with workers of which none is heard, above the lease
  std::uint64_t output_limit = 4ull << 30;  ///< bytes of a symcache
  std::function<RemoteTime()> now = &std::chrono::steady_clock::now;
  Log log;
};

/// A symcache that arrives. The file goes with it unless complete() took it.
class Upload {
 public:
  Upload(std::filesystem::path path, Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
  Upload(const Upload&) = delete;
  Upload& operator=(const Upload&) = delete;
  ~Upload();

  int descriptor() const { return file_.get(); }
  /// For who writes; the upload lives as long.
  static std::shared_ptr<const Descriptor> file_of(const std::shared_ptr<Upload>& upload) {
    return {upload, &upload->file_};
  }
  std::filesystem::path take() { return std::exchange(path_, {}); }

 private:
  std::filesystem::path path_;  ///< empty: taken
  const Descriptor file_;
};

/// Why a worker gets nothing.
struct Stopping {};
struct NoSpace {
  std::string why;  ///< for the log
};
struct OtherVersion {};  ///< than the job's, or too low
template <class T, class... Why>
using OrRefused = std::expected<T, std::variant<Unknown, Stopping, Why...>>;

/// Safe to use from any thread. A lease is not silent while its PDB is sent or its symcache arrives.
class RemoteTranscoders {
 public:
  explicit RemoteTranscoders(RemoteOptions options);
  ~RemoteTranscoders();

  /// Offers the job, and waits for its end: Made, Failed, or NotRun when nobody takes it, no worker comes back with it,
  /// there are too many jobs, or we stop.
  Task<Transcoded> run(TranscodeJob job, std::uint32_t major_part);
  /// Everything that waits becomes NotRun, and so does what comes.
  void stop();

  // What workers ask for. None of these waits for anything but a lock.
  struct Given {
    Lease lease;
    std::chrono::seconds time;  ///< that it lasts without a request
  };
  /// Nothing: no job for that worker. @param worker  for the log
  OrRefused<std::optional<Given>> take(std::string_view worker, std::span<const std::uint32_t> majors);
  OrRefused<std::chrono::seconds> renew(std::string_view lease);
  /// The lease is kept as long as somebody has the result's file.
  OrRefused<Original> pdb(std::string_view lease);
  /// @param size  bytes that will come, up to output_limit; the disk is asked for them
  OrRefused<std::shared_ptr<Upload>, NoSpace, OtherVersion> begin_upload(std::string_view lease,
                                                                         const wpt::Version& version,
                                                                         std::uint64_t size);
  /// @param upload  all of it has arrived
  OrRefused<void, OtherVersion> complete(std::string_view lease, const wpt::Version& version, Upload& upload);
  OrRefused<void> fail(std::string_view lease, std::string_view why);

  std::uint64_t output_limit() const { return options_.output_limit; }

 private:
  struct Waiting {
    TranscodeJob job;
    std::function<void(Transcoded)> done;
    RemoteJob offered;
    RemoteTime heard{};                                     ///< of a worker that makes this major version
    std::string lease = {};                                 ///< the last; may have run out
    std::vector<std::weak_ptr<const void>> transfers = {};  ///< under that lease; may be over
    unsigned uploads = 0;                                   ///< so far; names their files
  };
  /// Called when the lock is no longer held.
  using Ends = std::vector<std::function<void()>>;
  using Jobs = std::map<std::string, Waiting, std::less<>>;
  class Turn;

  void wait_for(TranscodeJob job, std::uint32_t major_part, std::function<void(Transcoded)> done);
  void pass_time(RemoteTime now, Ends& ends);
  void keep_transfers(RemoteTime now);
  void hear(std::span<const std::uint32_t> majors, RemoteTime now);
  void end(Jobs::iterator job, Transcoded result, Ends& ends);
  std::expected<Jobs::iterator, std::variant<Unknown, Stopping>> holder_of(std::string_view lease, RemoteTime now);
  void keep_time();

  const RemoteOptions options_;
  std::mutex mutex_;
  RemoteQueue queue_;  ///< this and the rest are guarded by mutex_
  Jobs jobs_;          ///< by RemoteQueue::key_of()
  bool has_stopped_ = false;
  std::condition_variable stopping_;
  std::thread time_;  ///< the last, as it uses the rest
};

}  // namespace symcached::transcode
