#pragma once
/// The multi-stream file under every PDB: numbered streams cut into blocks. Spec: docs/formats/pdb.md, section 1.
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::pdb {

using StreamIndex = std::uint32_t;
inline constexpr StreamIndex kNoStream = 0xFFFF;

/// Views into the input; lives as long as it.
class Msf {
 public:
  /// Checks magic, block size (512 to 65536, a power of two), block count, directory and every block number, and that
  /// the streams together are not larger than the file could hold.
  /// Cost: one pass over the directory.
  static Read<Msf> open(Bytes file);

  std::uint32_t stream_count() const { return static_cast<std::uint32_t>(streams_.size()); }
  bool has_stream(StreamIndex index) const { return index < streams_.size() && streams_[index].exists; }
  std::uint32_t stream_size(StreamIndex index) const { return streams_[index].size; }
  std::uint32_t block_size() const { return block_size_; }

  /// The first `limit` bytes of a stream (all of them by default): in place if its blocks are consecutive, otherwise
  /// assembled in `scratch`. The view lives as long as the input and `scratch` untouched.
  Read<Bytes> stream(StreamIndex index, std::vector<std::byte>& scratch, std::string_view field,
                     std::uint32_t limit = 0xFFFFFFFF) const;
  /// `size` bytes of a stream from `offset` on, in place or assembled as above. For streams of which little is needed.
  Read<Bytes> range(StreamIndex index, std::uint32_t offset, std::uint32_t size, std::vector<std::byte>& scratch,
                    std::string_view field) const;

  Msf() = default;
  Msf(Msf&&) = default;  // streams are views into directory_
  Msf& operator=(Msf&&) = default;

 private:
  struct Stream {
    std::span<const u32le> blocks;
    std::uint32_t size = 0;
    bool exists = false;
    bool consecutive = false;
  };
  Bytes file_;
  std::uint32_t block_size_ = 0;
  std::vector<std::byte> directory_;  // only when it does not lie in one piece
  std::vector<Stream> streams_;
};

/// True if the bytes start as an MSF 7.00 file does.
bool is_msf(Bytes file);

}  // namespace symcached::pdb
