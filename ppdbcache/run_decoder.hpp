#pragma once
/// Reads a run of points. Every byte is checked; a run that is wrong ends early and says so.
/// Spec: docs/formats/ppdbcache.md, section 4.
#include <cstdint>

#include "base/bytes.hpp"
#include "base/uleb_cursor.hpp"
#include "model/managed_module.hpp"
#include "ppdbcache/format.hpp"

namespace symcached::ppdbcache {

/// @return the value of 4 bytes, little-endian
inline std::uint32_t load32(const std::byte* from) { return *reinterpret_cast<const u32le*>(from); }
inline std::uint64_t load64(const std::byte* from) { return *reinterpret_cast<const u64le*>(from); }

class RunDecoder {
 public:
  /// @param run       kPadding bytes behind it can be read
  /// @param document  of the block
  RunDecoder(Bytes run, std::uint32_t document) : at_(run.data()), end_(at_ + run.size()) {
    state_.document = document;
  }

  const model::ManagedPoint& point() const { return state_; }
  bool failed() const { return failed_; }

  /// The first point. False if there is none.
  bool first() {
    if (at_ == end_) return fail();
    const std::uint32_t bits = load32(at_);
    at_ += kHeadSize;
    state_.line = bits >> kHeadLineShift & low_bits(kHeadLineBits);
    state_.column = bits >> kHeadColumnShift & low_bits(kHeadColumnBits);
    if ((bits & (kHasIlOffset | kHasDocument | kIsWide | kIsLarge)) != 0) return rest_of_head(bits);
    return true;
  }

  /// Takes one step further, if it does not lead beyond `limit`. False at the end, too.
  bool next(std::uint32_t limit) {
    if (at_ >= end_) return false;
    const std::uint32_t bits = load32(at_);
    if ((bits & kIsMedium) == 0) {
      const std::uint32_t step = (bits >> kShortStepShift & low_bits(kShortStepBits)) + 1;
      if (step > limit - state_.il_offset) return false;
      state_.il_offset += step;
      state_.line += (bits >> kShortLineShift & low_bits(kShortLineBits)) - kShortLineBias;
      state_.column = bits >> kShortColumnShift & low_bits(kShortColumnBits);
      at_ += kShortSize;
      return true;
    }
    const std::uint32_t step = bits >> kMediumStepShift & low_bits(kMediumStepBits);
    if (step == 0) [[unlikely]]
      return long_point(bits, limit);
    if (step > limit - state_.il_offset) return false;
    state_.il_offset += step;
    state_.line += (bits >> kMediumLineShift & low_bits(kMediumLineBits)) - kMediumLineBias;
    state_.column = bits >> kMediumColumnShift & low_bits(kMediumColumnBits);
    at_ += kMediumSize;
    return true;
  }
  /// Whether the run was read up to its last byte and not beyond.
  bool ended() const { return at_ == end_ && !failed_; }

 private:
  UlebCursor numbers_behind(std::size_t size) const {
    const auto left = static_cast<std::size_t>(end_ - at_);
    return {Bytes(at_, left), size};
  }
  [[gnu::noinline]] bool rest_of_head(std::uint32_t bits) {
    if (at_ > end_ || (bits & kIsLarge) != 0) return fail();
    UlebCursor in = numbers_behind(0);
    if ((bits & kHasIlOffset) != 0) state_.il_offset = in.number();
    if ((bits & kHasDocument) != 0) state_.document += static_cast<std::uint32_t>(in.signed_number());
    if ((bits & kIsWide) != 0) {
      state_.line = in.number();
      state_.column = in.number();
    }
    at_ += in.position();
    return !in.failed() || fail();
  }
  [[gnu::noinline]] bool long_point(std::uint32_t bits, std::uint32_t limit) {
    UlebCursor in = numbers_behind(kLongSize);
    const std::uint32_t step = in.number();
    const auto line = static_cast<std::uint32_t>(in.signed_number());
    const std::uint32_t column = in.number();
    const auto document = (bits & kLongHasDocument) != 0 ? static_cast<std::uint32_t>(in.signed_number()) : 0;
    if (in.failed() || step == 0) return fail();
    if (step > limit - state_.il_offset) return false;
    state_ = {state_.il_offset + step, state_.document + document, state_.line + line, column};
    at_ += in.position();
    return true;
  }
  bool fail() {
    failed_ = true;
    at_ = end_;
    return false;
  }

  const std::byte *at_, *end_;
  model::ManagedPoint state_;
  bool failed_ = false;
};

}  // namespace symcached::ppdbcache
