#pragma once
/// Does an address belong to the public internet? For URLs that a file names and no person chose.
#include <sys/socket.h>

#include <string>

namespace symcached::fetch {

/// False for what the registries of special-purpose addresses (IANA; RFC 6890) set apart: this host, private and shared
/// networks, link-local, multicast, documentation, tunnels that hold an IPv4 address, and all families but IPv4 and
/// IPv6.
bool is_public(const sockaddr& address);
std::string address_text(const sockaddr& address);  ///< without the port, for messages

}  // namespace symcached::fetch
