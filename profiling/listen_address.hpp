#pragma once
/// Where a server listens.
#include <sys/socket.h>

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"

namespace symcached::pprof {

struct ListenAddress {
  sockaddr_storage socket{};
  socklen_t size = 0;
  bool is_loopback = false;  ///< only processes of this machine reach it

  std::uint16_t port() const;
  /// "127.0.0.1:8080", "[::1]:8080"
  std::string text() const;
};

/// "127.0.0.1:8080", "[::1]:8080", "localhost:8080", ":8080" (of 127.0.0.1). Port 0: any that is free. Names other than
/// localhost are not looked up. @return or why it is none
std::expected<ListenAddress, std::string> parse_listen_address(std::string_view text);

struct Listening {
  Descriptor socket;      ///< does not block; has a high number, which programs that count on low ones do not use
  ListenAddress address;  ///< with the port that it got
  std::uint64_t inode = 0;

  /// Whether the socket is still there: some programs close all descriptors that they do not know when they start, and
  /// soon have others of the same numbers.
  bool is_open() const;
};
/// @return or why it cannot listen there
std::expected<Listening, std::string> listen_at(const ListenAddress& address);

/// Whether a header Host names this machine as only its own users do: by an address or as localhost. A web page from
/// elsewhere that has its own name point to this machine cannot.
bool is_local_name(std::string_view host);

}  // namespace symcached::pprof
