#include "transcode/program.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>

#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "base/utf8.hpp"

namespace symcached::transcode {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t kKept = 4096;  ///< bytes of each of stdout and stderr
constexpr std::size_t kMostFiles = 10'000;
constexpr milliseconds kSizeInterval{100};  ///< between two looks at the output
constexpr milliseconds kGrace{5'000};       ///< for the keeper to end everything

struct Pipe {
  Descriptor read, write;
};
std::expected<Pipe, std::string> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return std::unexpected(fmt::format("cannot make a pipe: {}", std::strerror(errno)));
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// The last of what came out of a pipe.
class Tail {
 public:
  explicit Tail(Descriptor pipe) : pipe_(std::move(pipe)) {}

  int descriptor() const { return pipe_.get(); }  ///< -1 when it has ended
  void read() {
    std::array<char, 16 * 1024> buffer;
    const ssize_t n = ::read(pipe_.get(), buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) return;
    if (n <= 0) pipe_ = Descriptor();
    else text_.append(buffer.data(), static_cast<std::size_t>(n));
    if (text_.size() > 2 * kKept) text_.erase(0, text_.size() - kKept);
  }
  std::string text() const {
    std::string_view last(text_);
    if (last.size() > kKept) last.remove_prefix(last.size() - kKept);
    while (last.ends_with('\n') || last.ends_with('\r')) last.remove_suffix(1);
    return escaped(last);
  }

 private:
  Descriptor pipe_;
  std::string text_;
};

class Running {
 public:
  Running(const ProgramPlan& plan, pid_t keeper, Pipe report, Pipe out, Pipe err)
      : plan_(plan),
        keeper_(keeper),
        report_(std::move(report.read)),
        out_(std::move(out.read)),
        err_(std::move(err.read)) {}

  std::expected<ProgramEnd, std::string> wait() {
    while (!has_reported_) step();
    reap();
    std::string text = out_.text();
    if (!text.empty() && !err_.text().empty()) text += " | ";
    text += err_.text();
    if (said_ && said_->kind == KeeperReport::Kind::not_started)
      return std::unexpected(
          fmt::format("cannot start {}: {}", escaped(plan_.command.front()), std::strerror(said_->value)));
    if (ending_ == Ending::by_itself && !said_) return std::unexpected("the process that watches the program has died");
    return ProgramEnd{ending_, said_ ? said_->value : 0, said_ && said_->network_refused != 0, std::move(text)};
  }

 private:
  /// Waits for what comes first: output, the end, a time to look after it.
  void step() {
    pollfd waited[] = {{report_.get(), POLLIN, 0},
                       {out_.descriptor(), POLLIN, 0},
                       {err_.descriptor(), POLLIN, 0},
                       {ending_ == Ending::by_itself ? plan_.stop : -1, POLLIN, 0}};
    ::poll(waited, std::size(waited), static_cast<int>(kSizeInterval.count()));
    if (waited[1].revents != 0) out_.read();
    if (waited[2].revents != 0) err_.read();
    if (waited[0].revents != 0) read_report();
    else if (waited[3].revents != 0) end(Ending::stopped);
    else look();
  }

  void look() {
    const auto now = Clock::now();
    if (ending_ != Ending::by_itself) {
      if (now - told_ > kGrace) ::kill(keeper_, SIGKILL);
    } else if (now - begin_ > plan_.timeout) {
      end(Ending::timed_out);
    } else if (now - looked_ > kSizeInterval) {
      looked_ = now;
      if (total_size(plan_.output) > plan_.output_limit) end(Ending::too_big);
    }
  }

  void end(Ending why) {
    ending_ = why;
    told_ = Clock::now();
    ::kill(keeper_, SIGTERM);
  }

  void read_report() {
    KeeperReport said;
    const ssize_t n = ::read(report_.get(), &said, sizeof said);
    if (n < 0 && errno == EINTR) return;
    // Of a program that was not started, the keeper reports once more: that it ended.
    if (n == sizeof said && !said_) said_ = said;
    has_reported_ = n != sizeof said;
  }

  void reap() {
    int ignored = 0;
    while (::waitpid(keeper_, &ignored, 0) < 0 && errno == EINTR) {
    }
    for (Tail* tail : {&out_, &err_})
      if (tail->descriptor() >= 0 && ::fcntl(tail->descriptor(), F_SETFL, O_NONBLOCK) == 0)
        while (tail->descriptor() >= 0) tail->read();
  }

  const ProgramPlan& plan_;
  const pid_t keeper_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point told_{}, looked_ = begin_;
  Ending ending_ = Ending::by_itself;
  bool has_reported_ = false;
  std::optional<KeeperReport> said_;
  Descriptor report_;
  Tail out_, err_;
};

}  // namespace

std::uint64_t total_size(const std::filesystem::path& folder) {
  namespace fs = std::filesystem;
  std::uint64_t total = 0;
  std::size_t seen = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end && ++seen < kMostFiles;
       at.increment(error)) {
    std::error_code gone;
    const bool counts = at->is_regular_file(gone) && !at->is_symlink(gone);
    const std::uint64_t size = counts ? at->file_size(gone) : 0;
    if (!gone) total += size;
  }
  return total;
}

std::expected<ProgramEnd, std::string> run_program(const ProgramPlan& plan, const std::vector<std::string>& keeper) {
  auto report = make_pipe(), out = make_pipe(), err = make_pipe();
  for (const auto* pipe : {&report, &out, &err})
    if (!*pipe) return std::unexpected(pipe->error());
  std::vector<std::string> command = keeper;
  const std::vector<std::string> arguments = keeper_arguments(plan.limits, plan.command);
  command.insert(command.end(), arguments.begin(), arguments.end());
  const std::pair<int, int> descriptors[] = {
      {out->write.get(), STDOUT_FILENO}, {err->write.get(), STDERR_FILENO}, {report->write.get(), kReportTo}};
  const auto pid = start_child({.command = command,
                                .folder = plan.folder.string(),
                                .environment = plan.environment,
                                .descriptors = descriptors});
  if (!pid) return std::unexpected(fmt::format("cannot start a process: {}", std::strerror(pid.error())));
  for (Pipe* pipe : {&*report, &*out, &*err}) pipe->write = Descriptor();
  return Running(plan, *pid, std::move(*report), std::move(*out), std::move(*err)).wait();
}

}  // namespace symcached::transcode
