#pragma once
/// Makes a symcache of Microsoft's format out of a PDB, by a program that is not ours: Microsoft's symcachegen.exe,
/// directly or by Wine; a script. What it does with a hostile PDB is not for us to know, so it gets little: a folder of
/// its own, a short environment, no network, limits of time, memory and output; nothing that it starts outlives it.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ids/guid.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "transcode/job_folders.hpp"
#include "transcode/placing.hpp"
#include "wpt/version.hpp"

namespace symcached::transcode {

struct TranscoderConfig {
  wpt::Version announced;            ///< what it is said to make; what it did make is told by the name of the file
  std::vector<std::string> command;  ///< with placeholders: arguments.hpp
  std::string folder = {};           ///< that it runs in; empty: the program's own, where its libraries are
  std::vector<std::string> environment = {};  ///< "WINEPREFIX=/srv/wine" and so on, besides the usual and above it
  std::chrono::milliseconds timeout{600'000};
  std::chrono::seconds processor{0};        ///< of each process; 0: the timeout on each processor of the machine
  std::uint64_t memory_limit = 0;           ///< bytes of address space of each process; 0: none
  std::uint64_t output_limit = 4ull << 30;  ///< bytes
  bool has_network = false;
};

struct TranscodeJob {
  Original pdb;
  std::string pdb_name;  ///< sources::check_file_name() accepted it
  DebugId id;
  JobFolder folder;
};

/// For SymcacheDirectory::publish(), as long as the folder lives.
struct Made {
  JobFolder folder;
  std::filesystem::path file;
  wpt::Version version;
};
/// The program's fault or the PDB's: the same would happen again.
struct Failed {
  std::string why;     ///< one line: "exit status 1", "it wrote no symcache"
  std::string output;  ///< the end of what it printed, for the operator; one line without control characters
};
struct TimedOut {
  std::chrono::milliseconds after;
  std::string output;
};
struct TooBig {
  std::string why;
  std::string output;
};
/// Says nothing of the PDB: the program is missing, we are stopping, the disk or something else is exhausted.
struct NotRun {
  std::string why;
};
using Transcoded = std::variant<Made, Failed, TimedOut, TooBig, NotRun>;

class Transcoder {
 public:
  /// @param keeper  command that calls keep() with the arguments behind kKeeperCommand, which is not part of it
  Transcoder(TranscoderConfig config, std::vector<std::string> keeper, Log log);
  Transcoder(const Transcoder&) = delete;
  Transcoder& operator=(const Transcoder&) = delete;
  ~Transcoder();  ///< stop(), and waits for the threads

  /// On a thread of its own, as many at once as it is called; whoever needs a bound has one. Programs of Wine that
  /// share a WINEPREFIX share a server process, which ends with the first of them: run those one at a time.
  Task<Transcoded> run(TranscodeJob job);
  /// Ends what is running, which becomes NotRun, and starts nothing more.
  void stop();

  const TranscoderConfig& config() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace symcached::transcode
