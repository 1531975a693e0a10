#include "store/sha256.hpp"

#include <openssl/evp.h>

#include <new>

namespace symcached::store {
namespace {

EVP_MD_CTX* raw(void* context) { return static_cast<EVP_MD_CTX*>(context); }

}  // namespace

void Sha256Hasher::Free::operator()(void* context) const { EVP_MD_CTX_free(raw(context)); }

Sha256Hasher::Sha256Hasher() : context_(EVP_MD_CTX_new()) {
  if (!context_ || EVP_DigestInit_ex(raw(context_.get()), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
}

void Sha256Hasher::update(Bytes data) { EVP_DigestUpdate(raw(context_.get()), data.data(), data.size()); }

Sha256 Sha256Hasher::finish() {
  Sha256 digest{};
  EVP_DigestFinal_ex(raw(context_.get()), reinterpret_cast<unsigned char*>(digest.data()), nullptr);
  return digest;
}

Sha256 sha256(Bytes data) {
  Sha256Hasher hasher;
  hasher.update(data);
  return hasher.finish();
}

}  // namespace symcached::store
