#pragma once
/// Which addresses count as one client.
#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace symcached::net {

/// Of IPv6 the first 64 bits, as a host has the others to itself; of IPv4, also as IPv6 writes it, all.
inline boost::asio::ip::address network_of(const boost::asio::ip::address& address) {
  namespace ip = boost::asio::ip;
  if (address.is_v4()) return address;
  const ip::address_v6 v6 = address.to_v6();
  if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6);
  ip::address_v6::bytes_type bytes = v6.to_bytes();
  std::fill(bytes.begin() + 8, bytes.end(), 0);
  return ip::address_v6(bytes);
}

}  // namespace symcached::net
