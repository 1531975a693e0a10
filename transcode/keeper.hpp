#pragma once
/// A process that stands between us and a program of others: it sets that program's limits, takes its network away, and
/// sees to it that nothing which the program started outlives it, whatever it did to get away. A program of its own, so
/// that the server need not fork.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace symcached::transcode {

inline constexpr std::string_view kKeeperCommand = "transcode-keeper";  ///< not for people
inline constexpr int kReportTo = 3;                                     ///< descriptor that the keeper has for it

struct ProgramLimits {
  std::uint64_t processor = 0;  ///< seconds
  std::uint64_t memory = 0;     ///< bytes of address space of each process; 0: no limit
  std::uint64_t file_size = 0;  ///< bytes of each file
  bool has_network = false;
};

/// What the keeper says at the end, once, in one write.
struct KeeperReport {
  enum class Kind : std::uint32_t { ended, not_started } kind{};
  std::int32_t value = 0;             ///< ended: as waitpid() has it; not_started: errno
  std::uint32_t network_refused = 0;  ///< 1: the system does not let us take it away
};

/// Arguments that make this program the keeper of `command`.
std::vector<std::string> keeper_arguments(const ProgramLimits& limits, std::span<const std::string> command);

/// The keeper itself. SIGTERM makes it end everything. @param arguments  of main(), behind kKeeperCommand
/// @return the exit status
int keep(std::span<char* const> arguments);

}  // namespace symcached::transcode
