#include "fetch/secrets.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

namespace symcached::fetch {
namespace {

template <auto free>
struct With {
  template <class T>
  void operator()(T* object) const {
    free(object);
  }
};
using Bio = std::unique_ptr<BIO, With<BIO_free>>;
using Key = std::unique_ptr<EVP_PKEY, With<EVP_PKEY_free>>;
using Context = std::unique_ptr<EVP_MD_CTX, With<EVP_MD_CTX_free>>;

const unsigned char* raw(const void* data) { return static_cast<const unsigned char*>(data); }

/// OpenSSL would ask the terminal for the password of an encrypted key.
int no_password(char*, int, int, void*) { return -1; }

}  // namespace

store::Sha256 hmac_sha256(Bytes key, std::string_view text) {
  store::Sha256 code{};
  unsigned size = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), raw(text.data()), text.size(),
           reinterpret_cast<unsigned char*>(code.data()), &size) == nullptr)
    throw std::bad_alloc();
  return code;
}

std::string base64(Bytes data) {
  std::string text((data.size() + 2) / 3 * 4, '\0');
  EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()), raw(data.data()), static_cast<int>(data.size()));
  return text;
}

std::string base64_url(Bytes data) {
  std::string text = base64(data);
  while (text.ends_with('=')) text.pop_back();
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

std::optional<std::vector<std::byte>> base64_decode(std::string_view text) {
  constexpr std::size_t kMost = 64 << 10;  // keys and digests are much shorter
  if (text.size() % 4 != 0 || text.size() > kMost) return std::nullopt;
  std::vector<std::byte> data(text.size() / 4 * 3);
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(data.data()), raw(text.data()), static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  data.resize(static_cast<std::size_t>(size) - padding);
  return data;
}

std::expected<std::vector<std::byte>, std::string> sign_rs256(std::string_view private_key, std::string_view text) {
  const Bio pem(BIO_new_mem_buf(private_key.data(), static_cast<int>(private_key.size())));
  const Key key(pem ? PEM_read_bio_PrivateKey(pem.get(), nullptr, no_password, nullptr) : nullptr);
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA)
    return std::unexpected("the private key is not an RSA key in PEM form");
  const Context context(EVP_MD_CTX_new());
  std::size_t size = 0;
  if (!context || EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, raw(text.data()), text.size()) != 1)
    return std::unexpected("the private key cannot sign");
  std::vector<std::byte> signature(size);
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size, raw(text.data()),
                     text.size()) != 1)
    return std::unexpected("the private key cannot sign");
  signature.resize(size);
  return signature;
}

std::uint64_t fingerprint(std::initializer_list<std::string_view> secrets) {
  static const auto kKey = [] {
    std::array<std::byte, 32> key{};
    if (RAND_bytes(reinterpret_cast<unsigned char*>(key.data()), static_cast<int>(key.size())) != 1)
      throw std::bad_alloc();
    return key;
  }();
  std::string all;
  for (const std::string_view secret : secrets) {  // each as a code of one size: no two lists give the same text
    const store::Sha256 one = hmac_sha256(kKey, secret);
    all += as_text(one);
  }
  const store::Sha256 code = hmac_sha256(kKey, all);
  std::uint64_t number = 0;
  std::memcpy(&number, code.data(), sizeof number);
  return number == 0 ? 1 : number;
}

}  // namespace symcached::fetch
