#include "auth/tokens.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>

#include <array>
#include <new>

#include "fetch/secrets.hpp"

namespace symcached::auth {
namespace {

/// With a key that lasts as long as the process, hashes cannot be compared with those of guesses made elsewhere.
store::Sha256 hash_of(std::string_view token) {
  static const auto kKey = [] {
    std::array<std::byte, 32> key{};
    if (RAND_bytes(reinterpret_cast<unsigned char*>(key.data()), static_cast<int>(key.size())) != 1)
      throw std::bad_alloc();
    return key;
  }();
  return fetch::hmac_sha256(kKey, token);
}

}  // namespace

Tokens::Tokens(const std::vector<Token>& tokens) {
  for (const Token& token : tokens) entries_.push_back({hash_of(token.token), {token.name, {}, token.scopes}});
}

std::optional<http::Principal> Tokens::find(std::string_view token, std::optional<std::string_view> name,
                                            std::string_view scheme) const {
  const store::Sha256 hash = hash_of(token);
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    const bool same = CRYPTO_memcmp(entry.hash.data(), hash.data(), hash.size()) == 0;
    if (same && (!name || *name == entry.principal.name)) found = &entry;
  }
  if (found == nullptr) return std::nullopt;
  http::Principal principal = found->principal;
  principal.scheme = scheme;
  return principal;
}

}  // namespace symcached::auth
