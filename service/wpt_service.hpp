#pragma once
/// The use-case of Microsoft's symcaches: found in the SymCache directory, or made by a transcoder from the PDB that
/// the sources have. One computation per PDB and major version at a time, however many ask.
#include <array>
#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "fetch/file_reader.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "service/gate.hpp"
#include "service/job_table.hpp"
#include "service/originals.hpp"
#include "service/outcome.hpp"
#include "store/store.hpp"
#include "transcode/directory.hpp"
#include "transcode/transcoder.hpp"
#include "wpt/choice.hpp"

namespace symcached::service {

struct WptQuery {
  std::string pdb_name;  ///< sources::check_file_name() accepted it
  DebugId id;
  wpt::Version requested;
  std::optional<wpt::Version> exceeds = {};  ///< what the client has
};

/// The client has the best there is.
struct NothingNewer {};
/// There is none, and nobody here makes one: no transcoder, or no source of PDBs.
struct NotMade {};
using WptOutcome =
    std::variant<transcode::SharedSymcache, NothingNewer, NotMade, Absent, Failed, Pending, Overloaded, Unable>;

/// What is known of one PDB, for people who ask why they do not get its symcache.
struct WptStatus {
  struct ByTool {
    wpt::Version version;                   ///< that it makes
    std::optional<store::Negative> barred;  ///< why it is not asked now
    bool is_under_way = false;
  };
  std::string key;
  std::vector<transcode::Held> held;
  std::vector<ByTool> tools;
  std::vector<SourceStatus> sources;  ///< as KeyStatus has them
};

/// Since the start, but for jobs.
struct WptStats {
  struct Runs {
    wpt::Version version;  ///< that the tool announced
    std::uint64_t made = 0, failed = 0;
    double seconds = 0;  ///< of both
  };
  std::array<std::uint64_t, std::variant_size_v<WptOutcome>> requests{};  ///< by what they were answered with
  JobCounts jobs;
  std::vector<Runs> tools;
};

/// transcode::Transcoder::run, or what a test puts in its place.
using RunTranscoder = std::function<Task<transcode::Transcoded>(transcode::TranscodeJob)>;

/// One that makes symcaches.
struct Tool {
  wpt::Version version;  ///< as announced
  /// Another text when the program is another: what it could not read before is tried again.
  std::function<std::string()> identity;
  RunTranscoder run;
  bool is_elsewhere = false;  ///< on another machine, so it does not count as running here
};

struct WptOptions {
  JobLimits jobs = {};
  std::size_t max_running = 1;                 ///< tools at once, on this machine
  unsigned threads = 2;                        ///< for work that keeps a thread: copies, reads, looks at the disk
  std::chrono::seconds failed_for{24 * 3600};  ///< how long a PDB that a tool could not read is not given to it again
  std::chrono::seconds timed_out_for{3600};    ///< the same of one that it was not done with in time
};

class WptService {
 public:
  /// What is given by reference outlives it. The store keeps nothing but why there is no symcache.
  /// @param tools  at most one for a major version
  WptService(store::Store& store, transcode::SymcacheDirectory& directory, Originals& originals,
             fetch::FileReader& reader, std::vector<Tool> tools, WptOptions options, Log log);
  ~WptService() { stop(); }

  /// What a request is answered with. The best version that is there and that the client can read is served at once,
  /// while a better one is made behind its back.
  /// @param hold  how long to wait for work that is not done; 0: Pending at once, the work goes on
  Task<WptOutcome> find(WptQuery query, std::chrono::milliseconds hold);
  /// Starts no work. Cost: that of a request that finds nothing.
  WptStatus status(const std::string& pdb_name, const DebugId& id);
  WptStats stats() const;
  /// Before the end: everybody who waits gets Pending, what is queued is dropped.
  void drain() { jobs_.drain(); }
  /// drain(), then waits for what is under way. No download and no tool may be running any more.
  void stop();

 private:
  struct Work {
    std::string pdb_name;
    DebugId id;
    std::size_t tool = 0;                         ///< index
    std::optional<transcode::Held> to_read = {};  ///< nothing is made: a file that others wrote is read once
  };
  struct Done {
    transcode::SharedSymcache opened = nullptr;  ///< what was to be read
  };
  using Made = std::variant<Done, Absent, Failed, Unable>;
  using Next = std::variant<WptOutcome, Work>;
  struct Plan {
    wpt::Choice choice;
    std::optional<store::Negative> barred = {};
  };

  Plan plan_of(const WptQuery& query, std::span<const transcode::Held> held);
  Next next_for(const WptQuery& query);
  WptOutcome counted(WptOutcome outcome);
  std::optional<store::Negative> remembered(const store::EntryKey& key);
  std::vector<std::optional<store::Negative>> barred(const std::string& pdb_name, const DebugId& id);
  static Made told(const store::Negative& negative);
  static WptOutcome as_outcome(const Made& made);
  WptOutcome not_now(NoResult why) const;
  std::string name_of(const Work& work) const;
  void begin(const WptQuery& query, const wpt::Version& version);
  std::vector<wpt::Version> versions_made() const;
  std::size_t tool_of(const wpt::Version& version) const;
  void learn(std::size_t tool, const wpt::Version& made);
  Task<Made> run(Work work);
  Task<Made> make(Work work);
  Task<Made> transcode(Work work, fetch::Original original);
  Made failed(const Work& work, const transcode::Transcoded& result);
  Made remember(const store::EntryKey& key, const store::Negative& verdict);
  Made unable(const Work& work, const std::string& why) const;

  store::Store& store_;
  transcode::SymcacheDirectory& directory_;
  Originals& originals_;
  fetch::FileReader& reader_;
  const std::vector<Tool> tools_;
  const WptOptions options_;
  const Log log_;
  struct RunCounts {
    std::atomic<std::uint64_t> made = 0, failed = 0, milliseconds = 0;
  };
  std::array<std::atomic<std::uint64_t>, std::variant_size_v<WptOutcome>> requests_{};
  std::vector<RunCounts> runs_;  ///< of each tool
  mutable std::mutex mutex_;
  std::vector<wpt::Version> versions_;  ///< of each tool: what it made last, or else announced
  Gate gate_;                           ///< to the tools
  JobTable<Work, Made> jobs_;           ///< by PDB and major version, or by the file to be read
  boost::asio::thread_pool pool_;       ///< the last, as what it has queued uses the rest
};

}  // namespace symcached::service
