#include "transcode/remote_transcoders.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "base/hex.hpp"
#include "base/utf8.hpp"
#include "wpt/choice.hpp"
#include "wpt/file_name.hpp"

namespace symcached::transcode {
namespace {

using std::chrono::seconds;

constexpr seconds kBetweenLooks{1};  ///< at the clock
constexpr std::size_t kMostTransfers = 8;
constexpr const char* kStopping = "the server is shutting down";

std::string random_id() {
  std::array<std::byte, 16> id{};
  if (::getrandom(id.data(), id.size(), 0) != static_cast<ssize_t>(id.size()))
    throw std::runtime_error("the system has no random numbers");
  return to_hex(id);
}

std::string text_of(const RemoteJob& job) {
  return fmt::format("{}/{} version {}", job.pdb_name, wpt::folder_name(job.id), job.major_part);
}

/// For fallocate(), which not every file system has; then a write finds out.
bool is_about_space(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

}  // namespace

Upload::~Upload() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

/// The lock, and first of all what the time that went by has ended. What is called back is so without the lock.
class RemoteTranscoders::Turn {
 public:
  explicit Turn(RemoteTranscoders& all) : lock_(all.mutex_), now(all.options_.now()) { all.pass_time(now, ends); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    lock_.unlock();
    for (const auto& end : ends) end();
  }

 private:
  std::unique_lock<std::mutex> lock_;

 public:
  const RemoteTime now;
  Ends ends;
};

RemoteTranscoders::RemoteTranscoders(RemoteOptions options)
    : options_(std::move(options)), queue_(options_.rules, random_id), time_([this] { keep_time(); }) {}

RemoteTranscoders::~RemoteTranscoders() {
  stop();
  time_.join();
}

void RemoteTranscoders::stop() {
  Turn turn(*this);
  has_stopped_ = true;
  stopping_.notify_all();
  while (!jobs_.empty()) end(jobs_.begin(), NotRun{kStopping}, turn.ends);
}

void RemoteTranscoders::keep_time() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (stopping_.wait_for(lock, kBetweenLooks, [this] { return has_stopped_; })) return;
    }
    try {
      const Turn turn(*this);
    } catch (const std::exception& fault) {  // out of memory: what is due is due again at the next look
      options_.log(Severity::error, fmt::format("transcoders on other machines: {}", fault.what()));
    }
  }
}

Task<Transcoded> RemoteTranscoders::run(TranscodeJob job, std::uint32_t major_part) {
  const auto given = std::make_shared<TranscodeJob>(std::move(job));
  std::function<void(std::function<void(Transcoded)>)> start = [this, given,
                                                                major_part](std::function<void(Transcoded)> done) {
    wait_for(std::move(*given), major_part, std::move(done));
  };
  co_return co_await await_callback<Transcoded>(std::move(start));
}

void RemoteTranscoders::wait_for(TranscodeJob job, std::uint32_t major_part, std::function<void(Transcoded)> done) {
  const RemoteJob offered{job.pdb_name, job.id, major_part, job.pdb.size};
  Turn turn(*this);
  const Offered answer = has_stopped_ ? Offered::full : queue_.offer(offered);
  if (answer == Offered::queued) {
    jobs_.emplace(RemoteQueue::key_of(offered), Waiting{std::move(job), std::move(done), offered, turn.now});
    return;
  }
  const char* why = answer == Offered::known ? "it waits for a worker already" : "too many jobs wait for workers";
  turn.ends.emplace_back([done = std::move(done), why = has_stopped_ ? kStopping : why] { done(NotRun{why}); });
}

/// A lease with a transfer under way is not silent; how slow that may be is for the connection to say.
void RemoteTranscoders::keep_transfers(RemoteTime now) {
  for (auto& [key, job] : jobs_) {
    std::erase_if(job.transfers, [](const auto& transfer) { return transfer.expired(); });
    if (job.transfers.empty() || !queue_.renew(job.lease, now)) continue;
    hear({&job.offered.major_part, 1}, now);
  }
}

void RemoteTranscoders::pass_time(RemoteTime now, Ends& ends) {
  keep_transfers(now);
  for (const RemoteLost& lost : queue_.expire(now)) {
    const auto job = jobs_.find(RemoteQueue::key_of(lost.job));
    end(job, NotRun{fmt::format("{} workers took it, and none came back with it", options_.rules.attempts)}, ends);
  }
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const auto next = std::next(job);
    if (job->second.heard + options_.patience <= now) {
      queue_.withdraw(job->second.offered);
      end(job, NotRun{fmt::format("no worker has asked for a job for {} s", options_.patience.count())}, ends);
    }
    job = next;
  }
}

void RemoteTranscoders::hear(std::span<const std::uint32_t> majors, RemoteTime now) {
  for (auto& [key, job] : jobs_)
    if (std::ranges::find(majors, job.offered.major_part) != majors.end()) job.heard = now;
}

/// The folder goes with the result, or is removed when the lock is free.
void RemoteTranscoders::end(Jobs::iterator job, Transcoded result, Ends& ends) {
  const auto ended = std::make_shared<Jobs::node_type>(jobs_.extract(job));
  const auto told = std::make_shared<Transcoded>(std::move(result));
  ends.emplace_back([ended, told] { ended->mapped().done(std::move(*told)); });
}

std::expected<RemoteTranscoders::Jobs::iterator, std::variant<Unknown, Stopping>> RemoteTranscoders::holder_of(
    std::string_view lease, RemoteTime now) {
  if (has_stopped_) return std::unexpected(Stopping{});
  const auto job = queue_.find(lease);
  if (!job) return std::unexpected(Unknown{});
  hear({&job->major_part, 1}, now);
  return jobs_.find(RemoteQueue::key_of(*job));
}

OrRefused<std::optional<RemoteTranscoders::Given>> RemoteTranscoders::take(std::string_view worker,
                                                                           std::span<const std::uint32_t> majors) {
  Turn turn(*this);
  if (has_stopped_) return std::unexpected(Stopping{});
  hear(majors, turn.now);
  auto lease = queue_.take(worker, majors, turn.now);
  if (!lease) return std::nullopt;
  Waiting& job = jobs_.at(RemoteQueue::key_of(lease->job));
  job.lease = lease->id;
  job.transfers.clear();
  turn.ends.emplace_back([this, line = fmt::format("worker {} makes {}", escaped(worker), text_of(lease->job))] {
    options_.log(Severity::info, line);
  });
  return Given{std::move(*lease), options_.rules.lease};
}

OrRefused<seconds> RemoteTranscoders::renew(std::string_view lease) {
  Turn turn(*this);
  if (const auto job = holder_of(lease, turn.now); !job) return std::unexpected(job.error());
  const auto until = queue_.renew(lease, turn.now);
  if (!until) return std::unexpected(Unknown{});
  return std::chrono::duration_cast<seconds>(*until - turn.now);
}

OrRefused<Original> RemoteTranscoders::pdb(std::string_view lease) {
  Turn turn(*this);
  const auto job = holder_of(lease, turn.now);
  if (!job) return std::unexpected(job.error());
  Original pdb = (*job)->second.job.pdb;
  const auto transfer = std::make_shared<std::shared_ptr<const Descriptor>>(pdb.file);
  (*job)->second.transfers.emplace_back(transfer);
  pdb.file = {transfer, transfer->get()};
  return pdb;
}

OrRefused<std::shared_ptr<Upload>, NoSpace, OtherVersion> RemoteTranscoders::begin_upload(std::string_view lease,
                                                                                          const wpt::Version& version,
                                                                                          std::uint64_t size) {
  using Refusal = std::variant<Unknown, Stopping, NoSpace, OtherVersion>;
  const auto refuse = [](auto why) { return std::unexpected(Refusal(std::move(why))); };
  Turn turn(*this);
  const auto found = holder_of(lease, turn.now);
  if (!found) return std::visit(refuse, found.error());
  Waiting& job = (*found)->second;
  if (version.major_part != job.offered.major_part || version < wpt::kMicrosoftMinimum) return refuse(OtherVersion{});
  if (job.transfers.size() >= kMostTransfers) return refuse(NoSpace{"too many transfers under one lease"});
  std::filesystem::path path = job.job.folder.path() / fmt::format("upload-{}", ++job.uploads);
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file) return refuse(NoSpace{fmt::format("cannot create {}: {}", path.string(), std::strerror(errno))});
  auto upload = std::make_shared<Upload>(std::move(path), std::move(file));
  if (::fallocate(upload->descriptor(), FALLOC_FL_KEEP_SIZE, 0, static_cast<off_t>(size)) != 0 && is_about_space(errno))
    return refuse(NoSpace{fmt::format("no space for {} bytes: {}", size, std::strerror(errno))});
  job.transfers.emplace_back(upload);
  return upload;
}

OrRefused<void, OtherVersion> RemoteTranscoders::complete(std::string_view lease, const wpt::Version& version,
                                                          Upload& upload) {
  using Refusal = std::variant<Unknown, Stopping, OtherVersion>;
  Turn turn(*this);
  const auto job = holder_of(lease, turn.now);
  if (!job) return std::visit([](auto why) { return std::unexpected(Refusal(why)); }, job.error());
  if (version.major_part != (*job)->second.offered.major_part) return std::unexpected(Refusal(OtherVersion{}));
  if (!queue_.complete(lease, version)) return std::unexpected(Refusal(Unknown{}));
  JobFolder folder = std::move((*job)->second.job.folder);
  end(*job, Made{std::move(folder), upload.take(), version}, turn.ends);
  return {};
}

OrRefused<void> RemoteTranscoders::fail(std::string_view lease, std::string_view why) {
  Turn turn(*this);
  const auto job = holder_of(lease, turn.now);
  if (!job) return std::unexpected(job.error());
  auto failed = queue_.fail(lease, why);
  if (!failed) return std::unexpected(Unknown{});
  end(*job, Failed{std::move(failed->why), ""}, turn.ends);
  return {};
}

}  // namespace symcached::transcode
