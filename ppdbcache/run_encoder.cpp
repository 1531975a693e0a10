#include "ppdbcache/run_encoder.hpp"

#include "base/byte_writer.hpp"

namespace symcached::ppdbcache {
namespace {

using model::ManagedPoint;

/// Stores 4 bytes; what follows overwrites those that are not meant.
void store(std::uint8_t* to, std::uint32_t bits) {
  const u32le value(bits);
  std::memcpy(to, &value, sizeof value);
}

/// The difference b - a modulo 2^32, as the number it is told by.
std::uint32_t difference(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(zigzag(static_cast<std::int32_t>(b - a)));
}

std::uint8_t* put_head(const ManagedPoint& p, std::uint32_t block_document, std::uint8_t* to) {
  const bool wide = p.line > low_bits(kHeadLineBits) || p.column > low_bits(kHeadColumnBits);
  std::uint32_t bits = (p.il_offset != 0 ? kHasIlOffset : 0u) | (p.document != block_document ? kHasDocument : 0u);
  bits |= wide ? std::uint32_t{kIsWide} : p.line << kHeadLineShift | p.column << kHeadColumnShift;
  store(to, bits);
  to += kHeadSize;
  if (p.il_offset != 0) to = put_number(to, p.il_offset);
  if (p.document != block_document) to = put_number(to, difference(block_document, p.document));
  if (!wide) return to;
  return put_number(put_number(to, p.line), p.column);
}

std::uint8_t* put_long(const ManagedPoint& before, const ManagedPoint& p, std::uint8_t* to) {
  const bool moves = p.document != before.document;
  store(to, kIsMedium | (moves ? kLongHasDocument : 0));
  to = put_number(to + kLongSize, p.il_offset - before.il_offset);
  to = put_number(put_number(to, difference(before.line, p.line)), p.column);
  return moves ? put_number(to, difference(before.document, p.document)) : to;
}

}  // namespace

std::uint8_t* encode_run(std::span<const ManagedPoint> points, std::uint32_t block_document, std::uint8_t* to) {
  to = put_head(points[0], block_document, to);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const ManagedPoint &before = points[i - 1], &p = points[i];
    const std::uint32_t step = p.il_offset - before.il_offset;
    const std::uint32_t short_line = p.line - before.line + kShortLineBias;
    const std::uint32_t medium_line = p.line - before.line + kMediumLineBias;
    if (p.document != before.document) {
      to = put_long(before, p, to);
    } else if (step <= low_bits(kShortStepBits) + 1 && short_line <= low_bits(kShortLineBits) &&
               p.column <= low_bits(kShortColumnBits)) {
      store(to, (step - 1) << kShortStepShift | short_line << kShortLineShift | p.column << kShortColumnShift);
      to += kShortSize;
    } else if (step <= low_bits(kMediumStepBits) && medium_line <= low_bits(kMediumLineBits) &&
               p.column <= low_bits(kMediumColumnBits)) {
      store(to,
            kIsMedium | step << kMediumStepShift | medium_line << kMediumLineShift | p.column << kMediumColumnShift);
      to += kMediumSize;
    } else {
      to = put_long(before, p, to);
    }
  }
  return to;
}

}  // namespace symcached::ppdbcache
