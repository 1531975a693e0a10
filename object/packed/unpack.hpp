#pragma once
/// One layer of packing taken off a file. docs/formats/wrappers.md
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "base/bytes.hpp"

namespace symcached::object {

struct Unpacked {
  Buffer file;
  std::string member;  ///< its name in the archive, unchecked; empty = it is no archive, or names nothing
};
using UnpackedOrWhy = std::expected<Unpacked, std::string>;

/// A file in an archive, by what tells its kind.
struct Member {
  std::string name;              ///< unchecked
  std::vector<std::byte> start;  ///< its first kMemberStart bytes, fewer if it is shorter
};
inline constexpr std::size_t kMemberStart = 4096;

/// Which member of an archive is meant: its index, or a sentence why none is.
using Choose = std::expected<std::size_t, std::string> (*)(std::span<const Member> members);

/// @param limit   bytes that may come out
/// @param choose  asked about archives; not about a cabinet with one member, which is meant whatever it is
/// @return what is inside, or a sentence: damaged, too large, in an archive none that was meant
UnpackedOrWhy unpack_gzip(Bytes packed, std::uint64_t limit, Choose choose);
UnpackedOrWhy unpack_zstd(Bytes packed, std::uint64_t limit, Choose choose);
UnpackedOrWhy unpack_xz(Bytes packed, std::uint64_t limit, Choose choose);
UnpackedOrWhy unpack_szdd(Bytes packed, std::uint64_t limit, Choose choose);
UnpackedOrWhy unpack_kwaj(Bytes packed, std::uint64_t limit, Choose choose);
UnpackedOrWhy unpack_cabinet(Bytes packed, std::uint64_t limit, Choose choose);
UnpackedOrWhy unpack_zip(Bytes packed, std::uint64_t limit, Choose choose);

/// As a message may show it: names come from the archive, so what a terminal would take for more than text is left out.
std::string shown_name(std::string_view name);

}  // namespace symcached::object
