/// LD_PRELOAD=libsymcached_pprof.so SYMCACHED_PPROF=127.0.0.1:0 ./any-program: a server without a line of code.
///
/// It starts when the library is loaded, before main(), so that all of main() can be profiled. The thread that serves
/// touches nothing of the program until it is asked to. The server is never destroyed: it serves until the process
/// ends.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"
#include "profiling/server.hpp"

namespace symcached::pprof {
namespace {

constexpr const char* kAddress = "SYMCACHED_PPROF";
constexpr const char* kPortFile = "SYMCACHED_PPROF_PORT_FILE";
constexpr const char* kToken = "SYMCACHED_PPROF_TOKEN";
constexpr const char* kRemote = "SYMCACHED_PPROF_ALLOW_REMOTE";
constexpr const char* kChildren = "SYMCACHED_PPROF_CHILDREN";
constexpr const char* kServerToken = "SYMCACHED_PPROF_SERVER_TOKEN";  // read with what else naming needs
constexpr std::string_view kVariables[] = {kAddress, kPortFile, kToken, kRemote, kChildren, kServerToken};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool write_all(int fd, std::string_view text) {
  return ::write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

void say(std::string_view what) { write_all(STDERR_FILENO, fmt::format("symcached pprof: {}\n", what)); }

/// Who waits for the file finds it whole. %p in the path is the number of this process.
bool write_port(std::string path, std::uint16_t port) {
  if (const std::size_t at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(::getpid()));
  const std::string half = fmt::format("{}.{}", path, ::getpid());
  const Descriptor file(::open(half.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  return file && write_all(file.get(), fmt::format("{}\n", port)) && std::rename(half.c_str(), path.c_str()) == 0;
}

/// Programs that this one starts are not served, or they would all want the same port. Not with unsetenv(): shells have
/// one of their own, which knows nothing yet.
void forget_variables() {
  const auto is_ours = [](std::string_view entry) {
    const std::string_view name = entry.substr(0, entry.find('='));
    return std::ranges::find(kVariables, name) != std::end(kVariables);
  };
  char** kept = environ;
  for (char** at = environ; at != nullptr && *at != nullptr; ++at)
    if (!is_ours(*at)) *kept++ = *at;
  if (kept != nullptr) *kept = nullptr;
}

void start() {
  const ServerOptions options{
      .address = variable(kAddress), .token = variable(kToken), .allow_remote = variable(kRemote) == "1"};
  if (options.address.empty()) return;
  const std::string port_file = variable(kPortFile);
  Sources sources = this_process();
  if (variable(kChildren) != "1") forget_variables();
  static std::unique_ptr<HttpServer>* kept = nullptr;
  auto server = HttpServer::start(options, std::move(sources));
  if (!server) return say(server.error());
  kept = new std::unique_ptr<HttpServer>(*std::move(server));
  if (port_file.empty()) return say(fmt::format("{}/debug/pprof/", (*kept)->url()));
  if (!write_port(port_file, (*kept)->port())) say(fmt::format("cannot write {}", port_file));
}

[[gnu::constructor]] void start_if_asked_to() {
  try {
    start();
  } catch (...) {  // no memory: the program has other worries
  }
}

}  // namespace
}  // namespace symcached::pprof
