#include "transcode/transcoder.hpp"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/child_process.hpp"
#include "base/threads.hpp"
#include "transcode/arguments.hpp"
#include "transcode/program.hpp"
#include "transcode/result.hpp"

namespace symcached::transcode {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

constexpr const char* kUsualPath = "PATH=/usr/local/bin:/usr/bin:/bin";
constexpr const char* kStopping = "the server is shutting down";

/// Of a job: what the program reads, what it writes, and an empty folder for symbols it must not look for.
struct Folders {
  fs::path pdb, out, symbols, tmp;
  explicit Folders(const fs::path& job)
      : pdb(job / "pdb"), out(job / "out"), symbols(job / "symbols"), tmp(job / "tmp") {}

  /// @return 0, or errno
  int create() const {
    std::error_code error;
    for (const fs::path* folder : {&pdb, &out, &symbols, &tmp})
      if (!error) fs::create_directory(*folder, error);
    return error.value();
  }
};

std::vector<std::string> environment_of(const TranscoderConfig& config, const Folders& folders) {
  std::vector<std::string> all;
  const auto set = [&](std::string_view name, std::string_view value) {
    std::erase_if(all, [&](const std::string& row) { return row.starts_with(fmt::format("{}=", name)); });
    all.push_back(fmt::format("{}={}", name, value));
  };
  all.emplace_back(kUsualPath);
  for (const char* name : {"PATH", "HOME", "WINEPREFIX", "LANG"})
    if (const char* value = std::getenv(name)) set(name, value);
  for (const std::string& row : config.environment) set(row.substr(0, row.find('=')), row.substr(row.find('=') + 1));
  for (const char* name : {"TMPDIR", "TMP", "TEMP"}) set(name, folders.tmp.string());
  const bool is_windows = has_windows_paths(config.command);
  const auto spelt = [&](const fs::path& path) { return is_windows ? windows_spelling(path) : path.string(); };
  set("_NT_SYMBOL_PATH", spelt(folders.symbols));
  set("_NT_SYMCACHE_PATH", spelt(folders.out));
  return all;
}

/// Where the program runs: its libraries lie beside it. One that is found by PATH runs in the job's folder.
fs::path folder_of(const TranscoderConfig& config, const fs::path& job) {
  if (!config.folder.empty()) return config.folder;
  const fs::path program = config.command.front();
  return program.has_parent_path() ? fs::absolute(program).parent_path() : job;
}

ProgramPlan plan_of(const TranscoderConfig& config, const TranscodeJob& job, const Folders& folders, int stop) {
  ProgramPlan plan;
  plan.command = with_places(config.command, {job.folder.path(), folders.pdb / job.pdb_name, folders.out});
  if (fs::path(plan.command.front()).has_parent_path()) plan.command.front() = fs::absolute(plan.command.front());
  plan.environment = environment_of(config, folders);
  plan.folder = folder_of(config, job.folder.path());
  const auto timeout = std::chrono::ceil<seconds>(config.timeout);
  const seconds processor = config.processor != seconds(0) ? config.processor : timeout * hardware_threads();
  plan.limits = {.processor = static_cast<std::uint64_t>(processor.count()),
                 .memory = config.memory_limit,
                 .file_size = config.output_limit,
                 .has_network = config.has_network};
  plan.timeout = config.timeout;
  plan.output = job.folder.path();
  plan.output_limit = config.output_limit + job.pdb.size;  // the PDB lies there, too
  plan.stop = stop;
  return plan;
}

/// Of a program that ended by itself, but not well. Nothing: it ended well.
std::optional<Transcoded> fault_of(const ProgramPlan& plan, const ProgramEnd& end) {
  const int signal = WIFSIGNALED(end.status) ? WTERMSIG(end.status) : 0;
  if (signal == SIGXCPU) return TimedOut{seconds(plan.limits.processor), end.output};
  const bool is_full = total_size(plan.output) >= plan.output_limit;
  if (signal == SIGXFSZ || is_full)
    return TooBig{fmt::format("it wrote more than {} bytes", plan.limits.file_size), end.output};
  if (end.status != 0) return Failed{ending_text(end.status), end.output};
  return std::nullopt;
}

}  // namespace

struct Transcoder::State {
  TranscoderConfig config;
  std::vector<std::string> keeper;
  Log log;
  Descriptor stop{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  std::atomic<bool> has_stopped = false, has_told_network = false, has_told_version = false;
  std::mutex mutex;
  std::condition_variable ended;
  std::size_t running = 0;  ///< guarded by mutex

  Transcoded transcode(TranscodeJob job);
  Transcoded outcome(TranscodeJob job, const Folders& folders, const ProgramPlan& plan, const ProgramEnd& end);
  void tell_once(std::atomic<bool>& told, const std::string& line) {
    if (!told.exchange(true)) log(Severity::warning, line);
  }
  std::string name() const {
    return fmt::format("the transcoder {}", fs::path(config.command.front()).filename().string());
  }
};

Transcoded Transcoder::State::transcode(TranscodeJob job) {
  const Folders folders(job.folder.path());
  int error = folders.create();
  if (error == 0) error = place(job.pdb, folders.pdb / job.pdb_name);
  if (error != 0) return NotRun{fmt::format("cannot prepare {}: {}", job.folder.path().string(), std::strerror(error))};
  const ProgramPlan plan = plan_of(config, job, folders, stop.get());
  const auto end = run_program(plan, keeper);
  if (!end) return NotRun{end.error()};
  return outcome(std::move(job), folders, plan, *end);
}

Transcoded Transcoder::State::outcome(TranscodeJob job, const Folders& folders, const ProgramPlan& plan,
                                      const ProgramEnd& end) {
  if (end.network_refused)
    tell_once(has_told_network, fmt::format("{} can use the network: the system does not let us take it away", name()));
  switch (end.ending) {
    case Ending::stopped: return NotRun{kStopping};
    case Ending::timed_out: return TimedOut{config.timeout, end.output};
    case Ending::too_big: return TooBig{fmt::format("it wrote more than {} bytes", config.output_limit), end.output};
    case Ending::by_itself: break;
  }
  if (auto fault = fault_of(plan, end)) return std::move(*fault);
  auto result = find_result(folders.out, job.pdb_name, job.id, config.output_limit);
  if (!result) return Failed{std::move(result.error()), end.output};
  if (result->version != config.announced)
    tell_once(has_told_version, fmt::format("{} makes version {}, not {} as configured; it is kept as what it is",
                                            name(), result->version.to_string(), config.announced.to_string()));
  return Made{std::move(job.folder), std::move(result->file), result->version};
}

Transcoder::Transcoder(TranscoderConfig config, std::vector<std::string> keeper, Log log)
    : state_(std::make_shared<State>()) {
  state_->config = std::move(config);
  state_->keeper = std::move(keeper);
  state_->log = std::move(log);
}

Transcoder::~Transcoder() {
  stop();
  std::unique_lock lock(state_->mutex);
  state_->ended.wait(lock, [this] { return state_->running == 0; });
}

void Transcoder::stop() {
  state_->has_stopped = true;
  ::eventfd_write(state_->stop.get(), 1);
}

const TranscoderConfig& Transcoder::config() const { return state_->config; }

Task<Transcoded> Transcoder::run(TranscodeJob job) {
  const auto waiting = std::make_shared<TranscodeJob>(std::move(job));
  std::function<void(std::function<void(Transcoded)>)> start = [state = state_,
                                                                waiting](std::function<void(Transcoded)> done) {
    const auto work = [state, waiting, done] {
      Transcoded result = NotRun{kStopping};
      try {
        if (!state->has_stopped) result = state->transcode(std::move(*waiting));
      } catch (const std::exception& fault) {
        result = NotRun{fault.what()};
      }
      done(std::move(result));
      const std::scoped_lock lock(state->mutex);
      --state->running;
      state->ended.notify_all();
    };
    const std::scoped_lock lock(state->mutex);
    try {
      std::thread(work).detach();
      ++state->running;
    } catch (const std::system_error& fault) {
      done(NotRun{fmt::format("cannot start a thread: {}", fault.what())});
    }
  };
  co_return co_await await_callback<Transcoded>(std::move(start));
}

}  // namespace symcached::transcode
