#include "formats/dwarf/eh_frame.hpp"

#include <algorithm>
#include <optional>

#include "formats/dwarf/cursor.hpp"

namespace symcached::dwarf {
namespace {

// How a place is written: DW_EH_PE_…
constexpr std::uint8_t kAbsolute = 0x00, kFromHere = 0x10;  // what the number counts from
constexpr std::uint8_t kOmitted = 0xFF;
/// How much of a CIE is looked at, which many FDEs may make read again. What is wanted stands in its first 30 bytes.
constexpr std::uint64_t kCieHead = 128;

/// @tparam Big  byte order
template <bool Big>
class EhFrameReader {
 public:
  explicit EhFrameReader(const EhFrame& table) : table_(table), in_(table.data) {}

  std::vector<FrameExtent> run() {
    std::vector<FrameExtent> extents;
    while (!in_.at_end()) {
      const auto [length, offset_size] = in_.initial_length();
      if (length == 0) break;  // the end mark
      const std::uint64_t id_at = in_.position();
      Cursor<Big> entry(in_.bytes(length));
      if (in_.failed()) break;
      const std::uint64_t id = entry.offset(offset_size);
      if (id == 0) continue;  // a CIE, read when an FDE names it
      if (id > id_at) break;
      const auto encoding = encoding_at(id_at - id);
      if (!encoding) continue;
      if (const auto extent = read_extent(entry, id_at, *encoding)) extents.push_back(*extent);
    }
    return extents;
  }

 private:
  /// One CIE serves all FDEs behind it, mostly.
  std::optional<std::uint8_t> encoding_at(std::uint64_t cie) {
    if (cie != known_cie_) {
      known_cie_ = cie;
      known_encoding_ = read_encoding(cie);
    }
    return known_encoding_;
  }

  /// How the FDEs of a CIE write addresses.
  std::optional<std::uint8_t> read_encoding(std::uint64_t at) const {
    Cursor<Big> all(table_.data, at);
    const auto [length, offset_size] = all.initial_length();
    Cursor<Big> in(all.bytes(std::min(length, kCieHead)));
    if (in.offset(offset_size) != 0 || in.failed()) return std::nullopt;
    const std::uint8_t version = in.u8();
    const std::string_view augmentation = in.c_string();
    if (version == 4) in.skip(2);  // sizes of addresses and segments
    in.skip_leb();                 // code alignment
    in.skip_leb();                 // data alignment
    if (version == 1) in.skip(1);
    else in.skip_leb();  // return address
    if (in.failed()) return std::nullopt;
    if (augmentation.empty()) return kAbsolute;
    if (!augmentation.starts_with('z')) return std::nullopt;
    in.uleb();  // bytes of augmentation
    for (const char letter : augmentation.substr(1)) {
      switch (letter) {
        case 'R': return in.failed() ? std::nullopt : std::optional(in.u8());
        case 'L': in.skip(1); break;
        case 'P': skip_pointer(in, in.u8()); break;
        case 'S':
        case 'B': break;
        default: return std::nullopt;
      }
      if (in.failed()) return std::nullopt;
    }
    return kAbsolute;
  }

  void skip_pointer(Cursor<Big>& in, std::uint8_t encoding) const {
    if (encoding != kOmitted) number(in, encoding);
  }

  /// The value as it stands, of whatever size and sign.
  std::uint64_t number(Cursor<Big>& in, std::uint8_t encoding) const {
    switch (encoding & 0x0F) {
      case 0x0: return in.fixed_size(table_.address_size);
      case 0x1: return in.uleb();
      case 0x2: return in.u16();
      case 0x3: return in.u32();
      case 0x4:
      case 0xC: return in.u64();
      case 0x9: return static_cast<std::uint64_t>(in.sleb());
      case 0xA: return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int16_t>(in.u16())});
      case 0xB: return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(in.u32())});
      default: in.fail(); return 0;
    }
  }

  std::optional<FrameExtent> read_extent(Cursor<Big> in, std::uint64_t entry_at, std::uint8_t encoding) const {
    const std::uint8_t from = encoding & 0xF0;
    if (from != kAbsolute && from != kFromHere) return std::nullopt;
    const std::uint64_t here = table_.address + entry_at + in.position();
    std::uint64_t start = number(in, encoding);
    if (from == kFromHere) start += here;
    const std::uint64_t size = number(in, encoding & 0x07);  // never negative
    if (table_.address_size == 4) start &= 0xFFFFFFFF;
    if (in.failed() || size == 0) return std::nullopt;
    return FrameExtent{start, size};
  }

  const EhFrame& table_;
  Cursor<Big> in_;
  std::uint64_t known_cie_ = ~std::uint64_t{0};
  std::optional<std::uint8_t> known_encoding_;
};

}  // namespace

std::vector<FrameExtent> frame_extents(const EhFrame& table) {
  return table.big_endian ? EhFrameReader<true>(table).run() : EhFrameReader<false>(table).run();
}

}  // namespace symcached::dwarf
