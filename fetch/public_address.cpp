#include "fetch/public_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace symcached::fetch {
namespace {

struct V4Block {
  std::array<std::uint8_t, 4> start;
  unsigned bits;  ///< that all its addresses have in common
};
constexpr V4Block kNotPublicV4[] = {
    {{0, 0, 0, 0}, 8},                                // this network
    {{10, 0, 0, 0}, 8},                               // private
    {{100, 64, 0, 0}, 10},                            // shared by customers of a provider
    {{127, 0, 0, 0}, 8},                              // this host
    {{169, 254, 0, 0}, 16},                           // link-local; data about a cloud's machine
    {{172, 16, 0, 0}, 12},                            // private
    {{192, 0, 0, 0}, 24},                             // protocol assignments
    {{192, 0, 2, 0}, 24},                             // documentation
    {{192, 88, 99, 0}, 24},                           // 6to4 relays
    {{192, 168, 0, 0}, 16},                           // private
    {{198, 18, 0, 0}, 15},                            // benchmarks
    {{198, 51, 100, 0}, 24}, {{203, 0, 113, 0}, 24},  // documentation
    {{224, 0, 0, 0}, 3},                              // multicast, reserved, broadcast
};

/// IPv6 is public in 2000::/3 alone, and there not in these.
struct V6Block {
  std::array<std::uint8_t, 4> start;
  unsigned bits;
};
constexpr std::array<std::uint8_t, 4> kGlobalV6{0x20, 0, 0, 0};
constexpr V6Block kNotPublicV6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23},  // protocol assignments, Teredo among them
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x20, 0x02, 0x00, 0x00}, 16},  // 6to4
    {{0x3f, 0xff, 0x00, 0x00}, 20},  // documentation
};

constexpr std::uint32_t number(const std::array<std::uint8_t, 4>& bytes) {
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

bool same_start(std::uint32_t a, std::uint32_t b, unsigned bits) { return (a ^ b) >> (32 - bits) == 0; }

/// The IPv4 address, or the first four bytes of the IPv6 one.
template <class Address, class Member>
std::uint32_t first_bytes(const sockaddr& address, Member Address::* member) {
  Address whole;
  std::memcpy(&whole, &address, sizeof whole);
  std::array<std::uint8_t, 4> bytes;
  std::memcpy(bytes.data(), &(whole.*member), bytes.size());
  return number(bytes);
}

}  // namespace

bool is_public(const sockaddr& address) {
  const auto outside = [](std::uint32_t start, const auto& blocks) {
    return std::ranges::none_of(blocks, [&](const auto& b) { return same_start(start, number(b.start), b.bits); });
  };
  if (address.sa_family == AF_INET) return outside(first_bytes(address, &sockaddr_in::sin_addr), kNotPublicV4);
  if (address.sa_family != AF_INET6) return false;
  const std::uint32_t start = first_bytes(address, &sockaddr_in6::sin6_addr);
  return same_start(start, number(kGlobalV6), 3) && outside(start, kNotPublicV6);
}

std::string address_text(const sockaddr& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.sa_family == AF_INET) {
    const in_addr v4{htonl(first_bytes(address, &sockaddr_in::sin_addr))};
    ::inet_ntop(AF_INET, &v4, text.data(), text.size());
  } else if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address, sizeof v6);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
  } else {
    return "of another family";
  }
  return text.data();
}

}  // namespace symcached::fetch
