#include "fetch/body_digest.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <new>
#include <string>

#include "fetch/secrets.hpp"
#include "net/http.hpp"

namespace symcached::fetch {
namespace {

EVP_MD_CTX* raw(void* context) { return static_cast<EVP_MD_CTX*>(context); }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Of "name=value, name=value", the first value under that name; a value may stand between colons (RFC 8941).
std::string_view value_in(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t end = list.find(',');
    const std::string_view one = trimmed(list.substr(0, end));
    const std::size_t equals = one.find('=');
    if (equals != std::string_view::npos && http::same_name(one.substr(0, equals), name)) {
      std::string_view value = one.substr(equals + 1);
      if (value.size() >= 2 && value.starts_with(':') && value.ends_with(':'))
        value = value.substr(1, value.size() - 2);
      return value;
    }
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return {};
}

std::vector<std::byte> digest_of(std::string_view text, std::size_t size) {
  auto digest = base64_decode(text);
  return digest && digest->size() == size ? std::move(*digest) : std::vector<std::byte>();
}

}  // namespace

std::optional<BodyDigest> BodyDigest::stated_by(const HttpHead& head) {
  if (!head.content_encoding.empty() && !http::same_name(head.content_encoding, "identity")) return std::nullopt;
  const bool whole = head.status == 200;
  const std::array sha256{value_in(head.repr_digest, "sha-256"), value_in(head.digest, "sha-256"),
                          whole ? std::string_view(head.amz_sha256) : std::string_view()};
  for (const std::string_view text : sha256)
    if (auto wanted = digest_of(text, 32); !wanted.empty()) return BodyDigest("SHA256", std::move(wanted));
  const std::array md5{value_in(head.goog_hash, "md5"), value_in(head.digest, "md5"),
                       whole ? std::string_view(head.content_md5) : std::string_view()};
  for (const std::string_view text : md5)
    if (auto wanted = digest_of(text, 16); !wanted.empty()) return BodyDigest("MD5", std::move(wanted));
  return std::nullopt;
}

BodyDigest::BodyDigest(const char* algorithm, std::vector<std::byte> wanted)
    : context_(EVP_MD_CTX_new()), wanted_(std::move(wanted)) {
  if (!context_ || EVP_DigestInit_ex(raw(context_.get()), EVP_get_digestbyname(algorithm), nullptr) != 1)
    throw std::bad_alloc();
}

void BodyDigest::Free::operator()(void* context) const { EVP_MD_CTX_free(raw(context)); }

void BodyDigest::update(Bytes piece) { EVP_DigestUpdate(raw(context_.get()), piece.data(), piece.size()); }

bool BodyDigest::matches() const {
  const std::unique_ptr<void, Free> copy(EVP_MD_CTX_new());
  std::array<std::byte, EVP_MAX_MD_SIZE> found{};
  unsigned size = 0;
  if (!copy || EVP_MD_CTX_copy_ex(raw(copy.get()), raw(context_.get())) != 1) throw std::bad_alloc();
  EVP_DigestFinal_ex(raw(copy.get()), reinterpret_cast<unsigned char*>(found.data()), &size);
  return std::ranges::equal(Bytes(found).first(size), wanted_);
}

}  // namespace symcached::fetch
