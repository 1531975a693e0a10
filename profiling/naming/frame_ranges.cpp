#include "profiling/naming/frame_ranges.hpp"

#include <cstring>
#include <optional>

#include "base/uleb_cursor.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMaxEntries = std::size_t{1} << 24;

// How a pointer is written: the format in the low half of the byte, what it counts from in the high one.
constexpr std::uint8_t kFormat = 0x0F, kBase = 0x70;
constexpr std::uint8_t kWord = 0x00, kU16 = 0x02, kU32 = 0x03, kU64 = 0x04, kS16 = 0x0A, kS32 = 0x0B, kS64 = 0x0C;
constexpr std::uint8_t kAbsolute = 0x00, kFromHere = 0x10;
constexpr std::uint8_t kOmitted = 0xFF;

template <class T>
std::optional<std::uint64_t> number(Bytes data, std::uint64_t at) {
  if (at > data.size() || sizeof(T) > data.size() - at) return std::nullopt;
  T value;
  std::memcpy(&value, data.data() + at, sizeof(T));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

/// Bytes of a pointer; 0: not of a fixed size, which is used nowhere.
std::size_t size_of(std::uint8_t encoding) {
  switch (encoding & kFormat) {
    case kWord: return sizeof(void*);
    case kU16:
    case kS16: return 2;
    case kU32:
    case kS32: return 4;
    case kU64:
    case kS64: return 8;
    default: return 0;
  }
}

std::optional<std::uint64_t> value_at(Bytes data, std::uint64_t at, std::uint8_t format) {
  switch (format & kFormat) {
    case kWord: return number<std::uintptr_t>(data, at);
    case kU16: return number<std::uint16_t>(data, at);
    case kU32: return number<std::uint32_t>(data, at);
    case kU64:
    case kS64: return number<std::int64_t>(data, at);
    case kS16: return number<std::int16_t>(data, at);
    case kS32: return number<std::int32_t>(data, at);
    default: return std::nullopt;
  }
}

/// @param address  stated, of data's first byte
std::optional<std::uint64_t> pointer_at(Bytes data, std::uint64_t at, std::uint8_t encoding, std::uint64_t address) {
  const std::uint8_t base = encoding & kBase;
  if (encoding == kOmitted || (base != kAbsolute && base != kFromHere)) return std::nullopt;
  auto value = value_at(data, at, encoding);
  if (value && base == kFromHere) *value += address + at;
  return value;
}

/// How the entries of a common one write their pointers. @param body  what follows its id
std::uint8_t encoding_of(Bytes body) {
  UlebCursor in(body, 0);
  const std::uint8_t version = in.byte();
  const std::size_t text = in.position();
  while (!in.failed() && in.byte() != 0) {
  }
  if (in.failed() || (version != 1 && version != 3)) return kOmitted;
  const std::string_view augmentation = as_text(body.subspan(text, in.position() - text - 1));
  if (augmentation.empty()) return kWord;
  if (augmentation.front() != 'z') return kOmitted;
  in.wide_number();  // how far a step in the code goes
  in.wide_number();  // and one in the stack
  if (version == 1) in.byte();
  else in.wide_number();  // the return address's register
  in.wide_number();       // bytes of what follows
  std::uint8_t found = kWord;
  for (const char letter : augmentation.substr(1)) {
    if (letter == 'R') found = in.byte();
    else if (letter == 'L') in.byte();
    else if (letter == 'P') in.bytes(size_of(in.byte()));
    else if (letter != 'S' && letter != 'B') break;
  }
  return in.failed() ? kOmitted : found;
}

class Walk {
 public:
  Walk(Bytes frames, std::uint64_t address) : frames_(frames), address_(address) {}

  std::vector<FrameRange> run() {
    while (out_.size() < kMaxEntries && step()) {
    }
    return std::move(out_);
  }

 private:
  /// @return false behind the last entry
  bool step() {
    const auto short_size = number<std::uint32_t>(frames_, at_);
    if (!short_size || *short_size == 0) return false;
    std::uint64_t size = *short_size, start = at_ + 4;
    if (size == 0xFFFFFFFF) {
      const auto long_size = number<std::int64_t>(frames_, start);
      if (!long_size) return false;
      size = *long_size;
      start += 8;
    }
    const auto id = number<std::uint32_t>(frames_, start);
    if (!id || size < 4 || size > frames_.size() - start) return false;
    const std::uint64_t common_back = *id;
    if (common_back != 0 && common_back <= start) add(start + 4, start + size, encoding_at(start - common_back));
    at_ = start + size;
    return true;
  }

  /// Of the common entry there; most entries have the same as the one before.
  std::uint8_t encoding_at(std::uint64_t common) {
    if (common == last_common_) return last_encoding_;
    last_common_ = common;
    last_encoding_ = kOmitted;
    const auto size = number<std::uint32_t>(frames_, common);
    const std::uint64_t body = common + 8;
    if (size && *size > 4 && body <= frames_.size() && *size - 4 <= frames_.size() - body)
      last_encoding_ =
          encoding_of(frames_.subspan(static_cast<std::size_t>(body), static_cast<std::size_t>(*size - 4)));
    return last_encoding_;
  }

  void add(std::uint64_t at, std::uint64_t end, std::uint8_t encoding) {
    const std::size_t width = encoding == kOmitted ? 0 : size_of(encoding);
    if (width == 0 || end - at < 2 * width) return;
    const auto begin = pointer_at(frames_, at, encoding, address_);
    const auto size = value_at(frames_, at + width, encoding);
    if (begin && *begin != 0 && size && *size != 0 && *size <= ~*begin) out_.push_back({*begin, *begin + *size});
  }

  Bytes frames_;
  std::uint64_t address_;
  std::uint64_t at_ = 0, last_common_ = ~std::uint64_t{0};
  std::uint8_t last_encoding_ = kOmitted;
  std::vector<FrameRange> out_;
};

}  // namespace

std::vector<FrameRange> frame_ranges(Bytes frames, std::uint64_t address) { return Walk(frames, address).run(); }

std::uint64_t frames_address(Bytes header, std::uint64_t address) {
  if (header.size() < 4 || header[0] != std::byte{1}) return 0;
  return pointer_at(header, 4, static_cast<std::uint8_t>(header[1]), address).value_or(0);
}

}  // namespace symcached::pprof
