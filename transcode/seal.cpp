#include "transcode/seal.hpp"

#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <string>
#include <vector>

#include "base/hex.hpp"

namespace symcached::transcode {
namespace {

constexpr const char* kSize = "user.symcached.size";
constexpr const char* kDigest = "user.symcached.sha256";
constexpr std::size_t kReadSize = 256 * 1024;

std::string attribute(int file, const char* name) {
  std::array<char, 80> value{};
  const ssize_t size = ::fgetxattr(file, name, value.data(), value.size());
  return {value.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace

std::shared_ptr<const store::Head> head_of(const Seal& seal) {
  auto head = std::make_shared<store::Head>();
  head->payload_size = seal.size;
  head->payload_sha256 = seal.digest;
  return head;
}

std::optional<Seal> content_seal(int file) {
  std::vector<std::byte> buffer(kReadSize);
  store::Sha256Hasher hasher;
  Seal seal;
  while (true) {
    const ssize_t n = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(seal.size));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::nullopt;
    if (n == 0) break;
    hasher.update(Bytes(buffer).first(static_cast<std::size_t>(n)));
    seal.size += static_cast<std::uint64_t>(n);
  }
  seal.digest = hasher.finish();
  return seal;
}

std::optional<Seal> read_seal(int file) {
  const std::string size = attribute(file, kSize);
  const auto digest = parse_hex(attribute(file, kDigest));
  Seal seal;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), seal.size);
  if (error != std::errc() || end != size.data() + size.size()) return std::nullopt;
  if (!digest || digest->size() != seal.digest.size()) return std::nullopt;
  std::ranges::copy(*digest, seal.digest.begin());
  return seal;
}

void write_seal(int file, const Seal& seal) {
  const std::string size = std::to_string(seal.size), digest = to_hex(seal.digest);
  if (::fsetxattr(file, kDigest, digest.data(), digest.size(), 0) == 0)
    ::fsetxattr(file, kSize, size.data(), size.size(), 0);
}

}  // namespace symcached::transcode
