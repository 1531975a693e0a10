#pragma once
/// The pages of libsymcached_pprof in a server that uses cpp-httplib, 0.11 or newer.
///
///     httplib::Server server;
///     symcached::pprof::add_pages(server);
///
/// A profile takes one of the server's threads for as long as it is asked to. It ends when the client goes, or closes
/// its side of the connection.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <httplib.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <symcached/pprof.hpp>
#include <system_error>
#include <thread>
#include <utility>

namespace symcached::pprof {
inline namespace v0 {
namespace httplib_details {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

/// Whether that is what `name_of` (getpeername or getsockname) says of the socket.
template <class NameOf>
bool is_at(NameOf name_of, int socket, const std::string& address, int port) {
  sockaddr_storage name{};
  socklen_t size = sizeof(name);
  auto* const generic = reinterpret_cast<sockaddr*>(&name);
  char host[NI_MAXHOST] = "", service[NI_MAXSERV] = "";
  if (name_of(socket, generic, &size) != 0) return false;
  if (name.ss_family != AF_INET && name.ss_family != AF_INET6) return false;
  const int numeric = NI_NUMERICHOST | NI_NUMERICSERV;
  if (::getnameinfo(generic, size, host, sizeof(host), service, sizeof(service), numeric) != 0) return false;
  return address == host && std::atoi(service) == port;
}

inline bool is_socket_of(const httplib::Request& request, int socket) {
  return is_at(::getpeername, socket, request.remote_addr, request.remote_port) &&
         is_at(::getsockname, socket, request.local_addr, request.local_port);
}

/// A second descriptor of the socket that the request came by: cpp-httplib does not hand out its own. Not open if there
/// is none with these addresses, such as in a server on a unix domain socket.
inline Descriptor socket_of(const httplib::Request& request) {
  DIR* const folder = request.remote_port > 0 ? ::opendir("/proc/self/fd") : nullptr;
  if (folder == nullptr) return Descriptor();
  int found = -1;
  while (const dirent* const entry = found < 0 ? ::readdir(folder) : nullptr) {
    const int fd = std::atoi(entry->d_name);
    if (entry->d_name[0] == '.' || !is_socket_of(request, fd)) continue;
    found = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  }
  ::closedir(folder);
  return Descriptor(found);
}

/// Ends the profile of a client that goes while this lives, if there are descriptors and threads for it.
class Watch {
 public:
  Watch(const httplib::Request& request, const Canceller& canceller)
      : socket_(socket_of(request)), end_(socket_.is_open() ? ::eventfd(0, EFD_CLOEXEC) : -1) {
    if (end_.is_open()) start(canceller);
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() {
    if (!thread_.joinable()) return;
    ::eventfd_write(end_.get(), 1);
    thread_.join();
  }

 private:
  /// The program's signals are for its own threads.
  void start(const Canceller& canceller) {
    sigset_t all, usual;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &usual);
    try {
      thread_ = std::thread([this, &canceller] { watch(canceller); });
    } catch (const std::system_error&) {
    }
    ::pthread_sigmask(SIG_SETMASK, &usual, nullptr);
  }
  void watch(const Canceller& canceller) const {
    pollfd watched[] = {{socket_.get(), POLLRDHUP, 0}, {end_.get(), POLLIN, 0}};
    while (::poll(watched, 2, -1) < 0 && errno == EINTR) {
    }
    if (watched[0].revents != 0) canceller.cancel();
  }

  Descriptor socket_, end_;
  std::thread thread_;
};

}  // namespace httplib_details

/// Adds /pprof/, /debug/pprof/ and /symbolz to it; / stays yours.
/// @param token  that clients have to send; empty: your server decides who may ask
inline void add_pages(httplib::Server& server, std::string token = {}) {
  const auto answer = [token = std::move(token)](const httplib::Request& request, httplib::Response& response) {
    const std::string accept = request.get_header_value("Accept");
    const std::string authorization = request.get_header_value("Authorization");
    const Canceller canceller;
    Request asked;
    asked.method = request.method;
    asked.target = request.target;
    asked.body = request.body;
    asked.accept = accept;
    asked.authorization = authorization;
    asked.token = token;
    asked.canceller = &canceller;
    const httplib_details::Watch watch(request, canceller);
    const Response page = handle(asked);
    std::string type = "application/octet-stream";
    for (const auto& [name, value] : page.headers()) {
      if (name == "Content-Type") type = value;
      else response.headers.emplace(name, value);
    }
    response.status = page.status();
    response.set_content(std::string(page.body()), type);
  };
  for (const char* const path : {"/pprof(/.*)?", "/debug/pprof(/.*)?", "/symbolz"}) {
    server.Get(path, answer);
    server.Post(path, answer);
  }
}

}  // namespace v0
}  // namespace symcached::pprof
