#pragma once
/// Compressed bytes to plain ones, a piece at a time: for what is read once from front to back and need not be kept.
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/decompress.hpp"

namespace symcached {

/// A section or file that is still compressed. A view.
struct Compressed {
  Codec codec = Codec::zlib;  ///< zlib or zstd
  Bytes data;
  std::uint64_t size = 0;  ///< of the plain bytes, as stated beside them
};

/// Moves on with every read. After one that failed nothing is left.
class InflateStream {
 public:
  /// @param from  the bytes must outlive the stream
  /// @param field   names the bytes in errors: "elf.debug_info"
  /// Cost: some 100 KB of memory. A size that no stream of this length could give is refused.
  static Read<InflateStream> open(const Compressed& from, std::string_view field);
  InflateStream(InflateStream&&) noexcept;
  InflateStream& operator=(InflateStream&&) noexcept;
  ~InflateStream();

  std::uint64_t position() const { return position_; }  ///< plain bytes read so far
  std::uint64_t left() const { return size_ - position_; }
  /// Fills `out`, at most left() bytes. With the last of them the stream has to end, and its checksum to be right.
  /// Cost: about 0.6 GB/s; many small pieces cost more, as the last 32 KB are kept aside after each.
  Read<void> read(std::span<std::byte> out);

 private:
  struct Decoder;
  struct Zlib;
  struct Zstd;
  InflateStream(std::unique_ptr<Decoder> decoder, std::uint64_t size, std::string_view field);

  std::unique_ptr<Decoder> decoder_;
  std::uint64_t size_ = 0, position_ = 0;
  std::string_view field_;
};

}  // namespace symcached
