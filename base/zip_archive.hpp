#pragma once
/// A zip file in memory, read with libzip.
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/buffer.hpp"
#include "base/byte_sink.hpp"

struct zip;

namespace symcached {

struct ZipMember {
  std::uint64_t index = 0;
  std::string name;        ///< as recorded, unchecked
  std::uint64_t size = 0;  ///< as stated; a member of another size is refused when it is read
};

/// A member as it lies in the archive.
struct PackedMember {
  enum class Method : std::uint8_t { stored, deflate, other } method = Method::other;
  Buffer data;             ///< empty of other methods
  std::uint64_t size = 0;  ///< of the plain bytes, as stated
};

/// A view of bytes that must outlive it. Errors are what is wrong with it: "truncated".
class ZipArchive {
 public:
  static constexpr std::size_t kMaxMembers = std::size_t{1} << 20;

  static std::expected<ZipArchive, std::string> open(Bytes file);

  /// All members that are no directories, in the order of the archive.
  std::expected<std::vector<ZipMember>, std::string> members() const;
  std::optional<std::uint64_t> find(const char* name) const;

  /// A whole member, its checksum compared.
  /// @param limit  of its plain bytes
  std::expected<Buffer, std::string> read(std::uint64_t index, std::uint64_t limit) const;
  /// The same without unpacking it: neither size nor checksum are compared.
  /// @param limit  of the packed bytes
  std::expected<PackedMember, std::string> read_packed(std::uint64_t index, std::uint64_t limit) const;
  /// A whole member as a stream: what the sink was given before an error is worth nothing.
  std::expected<void, UnpackFailure> extract(std::uint64_t index, std::uint64_t limit, const ByteSink& sink) const;
  /// At most the first `count` bytes of a member.
  std::expected<Buffer, std::string> read_start(std::uint64_t index, std::size_t count) const;

 private:
  struct Discard {
    void operator()(zip* archive) const;
  };
  explicit ZipArchive(zip* archive) : archive_(archive) {}
  std::unique_ptr<zip, Discard> archive_;
};

}  // namespace symcached
