#include "formats/ppdb/checksum.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>

namespace symcached::ppdb {
namespace {

struct Algorithm {
  std::string_view name;
  const EVP_MD* (*make)();
};
constexpr Algorithm kAlgorithms[] = {
    {"SHA256", EVP_sha256}, {"SHA384", EVP_sha384}, {"SHA512", EVP_sha512}, {"SHA1", EVP_sha1}};

struct Free {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

}  // namespace

std::vector<std::byte> digest_of(std::string_view algorithm, std::initializer_list<Bytes> parts) {
  const auto known = std::ranges::find(kAlgorithms, algorithm, &Algorithm::name);
  if (known == std::end(kAlgorithms)) return {};
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  if (!context || EVP_DigestInit_ex(context.get(), known->make(), nullptr) != 1) throw std::bad_alloc();
  for (const Bytes part : parts) EVP_DigestUpdate(context.get(), part.data(), part.size());
  std::vector<std::byte> digest(EVP_MAX_MD_SIZE);
  unsigned size = 0;
  EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(digest.data()), &size);
  digest.resize(size);
  return digest;
}

std::vector<std::byte> checksum_of(const Pdb& pdb, std::string_view algorithm) {
  const Bytes file = pdb.metadata().bytes();
  const auto id = static_cast<std::size_t>(pdb.metadata().offset_of(pdb.metadata().pdb_stream()));
  constexpr std::array<std::byte, kPdbIdSize> kNoId{};
  return digest_of(algorithm, {file.first(id), kNoId, file.subspan(id + kPdbIdSize)});
}

ChecksumResult verify_checksum(const Pdb& pdb, std::string_view algorithm, Bytes digest) {
  const std::vector<std::byte> computed = checksum_of(pdb, algorithm);
  if (computed.empty()) return ChecksumResult::unknown_algorithm;
  if (digest.size() != computed.size()) return ChecksumResult::other_size;
  return std::ranges::equal(digest, computed) ? ChecksumResult::equal : ChecksumResult::different;
}

}  // namespace symcached::ppdb
