#include "profiling/listen_address.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include "base/ascii.hpp"

namespace symcached::pprof {
namespace {

constexpr int kBacklog = 64;

struct HostAndPort {
  std::string host;
  std::string_view port;  ///< empty if there is none
};

/// "[::1]:80" is host ::1.
HostAndPort split(std::string_view text) {
  if (text.starts_with('[')) {
    const std::size_t end = std::min(text.find(']'), text.size());
    const std::string_view rest = text.substr(std::min(end + 1, text.size()));
    return {std::string(text.substr(1, end - 1)), rest.starts_with(':') ? rest.substr(1) : std::string_view()};
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {std::string(text), {}};
  return {std::string(text.substr(0, colon)), text.substr(colon + 1)};
}

std::optional<std::uint16_t> parse_port(std::string_view digits) {
  std::uint16_t port = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, port);
  if (digits.empty() || error != std::errc() || at != end) return std::nullopt;
  return port;
}

bool is_localhost(std::string_view host) {
  const std::string lower = lower_ascii(host);
  return lower == "localhost" || lower.ends_with(".localhost");
}

std::string why() { return std::strerror(errno); }

Descriptor with_high_number(Descriptor socket) {
  for (const int least : {1000, 200}) {
    Descriptor high(::fcntl(socket.get(), F_DUPFD_CLOEXEC, least));
    if (high) return high;
  }
  return socket;
}

std::uint64_t inode_of(int fd) {
  struct stat state{};
  return ::fstat(fd, &state) == 0 && S_ISSOCK(state.st_mode) ? state.st_ino : 0;
}

}  // namespace

std::uint16_t ListenAddress::port() const {
  const auto* v6 = reinterpret_cast<const sockaddr_in6*>(&socket);
  const auto* v4 = reinterpret_cast<const sockaddr_in*>(&socket);
  return ntohs(socket.ss_family == AF_INET6 ? v6->sin6_port : v4->sin_port);
}

std::string ListenAddress::text() const {
  char host[INET6_ADDRSTRLEN] = "";
  if (socket.ss_family == AF_INET6) {
    ::inet_ntop(AF_INET6, &reinterpret_cast<const sockaddr_in6*>(&socket)->sin6_addr, host, sizeof(host));
    return fmt::format("[{}]:{}", host, port());
  }
  ::inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in*>(&socket)->sin_addr, host, sizeof(host));
  return fmt::format("{}:{}", host, port());
}

std::expected<ListenAddress, std::string> parse_listen_address(std::string_view text) {
  HostAndPort parts = split(text);
  const auto port = parse_port(parts.port);
  if (!port) return std::unexpected(fmt::format("address \"{}\" has no port; write 127.0.0.1:8080, or :0", text));
  if (parts.host.empty() || is_localhost(parts.host)) parts.host = "127.0.0.1";
  ListenAddress address;
  in_addr v4{};
  in6_addr v6{};
  if (::inet_pton(AF_INET, parts.host.c_str(), &v4) == 1) {
    auto* to = reinterpret_cast<sockaddr_in*>(&address.socket);
    to->sin_family = AF_INET, to->sin_addr = v4, to->sin_port = htons(*port);
    address.size = sizeof(*to);
    address.is_loopback = ntohl(v4.s_addr) >> 24 == 127;
  } else if (::inet_pton(AF_INET6, parts.host.c_str(), &v6) == 1) {
    auto* to = reinterpret_cast<sockaddr_in6*>(&address.socket);
    to->sin6_family = AF_INET6, to->sin6_addr = v6, to->sin6_port = htons(*port);
    address.size = sizeof(*to);
    address.is_loopback = IN6_IS_ADDR_LOOPBACK(&v6);
  } else {
    return std::unexpected(fmt::format("address \"{}\" begins with no IP address", text));
  }
  return address;
}

std::expected<Listening, std::string> listen_at(const ListenAddress& address) {
  const int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;
  Listening listening{with_high_number(Descriptor(::socket(address.socket.ss_family, type, 0))), address};
  const int fd = listening.socket.get();
  if (fd < 0) return std::unexpected(fmt::format("no socket for {}: {}", address.text(), why()));
  const int yes = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  const auto* to = reinterpret_cast<const sockaddr*>(&address.socket);
  if (::bind(fd, to, address.size) != 0 || ::listen(fd, kBacklog) != 0)
    return std::unexpected(fmt::format("cannot listen on {}: {}", address.text(), why()));
  socklen_t size = sizeof(listening.address.socket);
  if (::getsockname(fd, reinterpret_cast<sockaddr*>(&listening.address.socket), &size) != 0)
    return std::unexpected(fmt::format("cannot listen on {}: {}", address.text(), why()));
  listening.inode = inode_of(fd);
  return listening;
}

bool Listening::is_open() const { return inode != 0 && inode_of(socket.get()) == inode; }

bool is_local_name(std::string_view host) {
  const std::string name = host.find(':') == std::string_view::npos ? std::string(host) : split(host).host;
  in_addr v4{};
  in6_addr v6{};
  return name.empty() || is_localhost(name) || ::inet_pton(AF_INET, name.c_str(), &v4) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), &v6) == 1;
}

}  // namespace symcached::pprof
