#include "object/go/debug_id.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <vector>

#include "formats/go/build_info.hpp"

namespace symcached::object {
namespace {

struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

DebugId id_of(const std::vector<Bytes>& parts) {
  const std::unique_ptr<EVP_MD_CTX, FreeDigest> context(EVP_MD_CTX_new());
  if (!context || EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) throw std::bad_alloc();
  for (const Bytes part : parts) EVP_DigestUpdate(context.get(), part.data(), part.size());
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest{};
  EVP_DigestFinal_ex(context.get(), digest.data(), nullptr);
  std::array<std::uint8_t, 16> first{};
  std::copy_n(digest.begin(), first.size(), first.begin());
  return {Guid{first}, 0};
}

}  // namespace

DebugId go_debug_id(const GoImage& image, const GoTable& table) {
  std::vector<Bytes> code;
  for (const GoRegion& region : image.regions()) {
    if (!region.is_code) continue;
    if (const std::string_view id = go::find_build_id(region.bytes); !id.empty()) return id_of({as_bytes(id)});
    code.push_back(region.bytes);
  }
  // A table without a section of its own ends where is not known: what all its parts start with has to do.
  code.push_back(
      table.table.bytes().first(std::min<std::uint64_t>(table.table.bytes().size(), table.table.records_end())));
  return id_of(code);
}

}  // namespace symcached::object
