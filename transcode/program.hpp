#pragma once
/// A program of others, run to its end under a keeper, and watched. Private to `transcode/`.
#include <chrono>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <string>
#include <variant>
#include <vector>

#include "transcode/keeper.hpp"

namespace symcached::transcode {

struct ProgramPlan {
  std::vector<std::string> command;      ///< of the program and, in front of that, of the keeper
  std::vector<std::string> environment;  ///< all of it
  std::filesystem::path folder;          ///< that it runs in
  ProgramLimits limits;
  std::chrono::milliseconds timeout{};
  std::filesystem::path output;    ///< the folder whose size is watched
  std::uint64_t output_limit = 0;  ///< bytes of all files in it
  int stop = -1;                   ///< readable when the program is to end at once
};

enum class Ending : std::uint8_t { by_itself, timed_out, too_big, stopped };

struct ProgramEnd {
  Ending ending{};
  int status = 0;  ///< by_itself: as waitpid() has it
  bool network_refused = false;
  std::string output;  ///< the last of what it wrote to stdout and to stderr, fit for a log
};

/// Waits for it. Nothing that it started is left afterwards. @return the end, or why it could not be started
std::expected<ProgramEnd, std::string> run_program(const ProgramPlan& plan, const std::vector<std::string>& keeper);

/// Bytes of all files below a folder; links count for nothing and lead nowhere. Looks at no more than 10,000 files.
std::uint64_t total_size(const std::filesystem::path& folder);

}  // namespace symcached::transcode
