#pragma once
/// What requests are signed with: message authentication, base64, and a way to tell secrets apart without showing them.
#include <cstdint>
#include <expected>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/sha256.hpp"

namespace symcached::fetch {

store::Sha256 hmac_sha256(Bytes key, std::string_view text);

std::string base64(Bytes data);
std::string base64_url(Bytes data);  ///< RFC 4648, section 5, without padding
/// @return the bytes; nothing if it is not base64 with its padding
std::optional<std::vector<std::byte>> base64_decode(std::string_view text);

/// Signs with RSASSA-PKCS1-v1_5 and SHA-256 (RS256). @param private_key  PEM
/// @return the signature, or why there is none, without the key
std::expected<std::vector<std::byte>, std::string> sign_rs256(std::string_view private_key, std::string_view text);

/// Differs whenever one of the secrets does, never 0, and says nothing about them: its key is random and lasts as long
/// as the process.
std::uint64_t fingerprint(std::initializer_list<std::string_view> secrets);

}  // namespace symcached::fetch
