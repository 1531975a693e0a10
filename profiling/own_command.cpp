#include "profiling/own_command.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <climits>

#include "base/descriptor.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMost = 2 << 20;  ///< bytes, as much as Linux takes by default

std::string own_path() {
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  path.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
  return path.empty() ? "unknown" : path;
}

}  // namespace

std::string own_command() {
  std::string command;
  const Descriptor file(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  char piece[4096];
  ssize_t got = 0;
  while (file && command.size() < kMost && (got = ::read(file.get(), piece, sizeof(piece))) > 0)
    command.append(piece, static_cast<std::size_t>(got));
  if (command.empty() || command.front() == '\0' || command.front() == '\n') command = own_path();
  if (command.back() != '\0') command += '\0';
  return command;
}

}  // namespace symcached::pprof
