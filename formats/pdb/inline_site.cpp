#include "formats/pdb/inline_site.hpp"

#include <algorithm>

namespace symcached::pdb {
namespace {

enum Op : std::uint32_t {
  kEnd = 0,
  kCodeOffset = 1,
  kChangeCodeOffsetBase = 2,
  kChangeCodeOffset = 3,
  kChangeCodeLength = 4,
  kChangeFile = 5,
  kChangeLineOffset = 6,
  kChangeLineEndDelta = 7,
  kChangeRangeKind = 8,
  kChangeColumnStart = 9,
  kChangeColumnEndDelta = 10,
  kChangeCodeOffsetAndLineOffset = 11,
  kChangeCodeLengthAndCodeOffset = 12,
  kChangeColumnEnd = 13,
};

/// Numbers of 1, 2 or 4 bytes; the first byte's top bits tell which.
class Program {
 public:
  explicit Program(Bytes bytes) : bytes_(bytes) {}
  std::size_t position() const { return at_; }
  bool at_end() const { return at_ >= bytes_.size(); }
  bool failed() const { return failed_; }

  std::uint32_t number() {
    if (at_end()) return fail();
    const std::uint32_t first = byte(at_);
    if (first < 0x80) {
      ++at_;
      return first;
    }
    if ((first & 0xC0) == 0x80) {
      if (bytes_.size() - at_ < 2) return fail();
      const std::uint32_t value = (first & 0x3F) << 8 | byte(at_ + 1);
      at_ += 2;
      return value;
    }
    if ((first & 0xE0) != 0xC0 || bytes_.size() - at_ < 4) return fail();
    const std::uint32_t value = (first & 0x1F) << 24 | byte(at_ + 1) << 16 | byte(at_ + 2) << 8 | byte(at_ + 3);
    at_ += 4;
    return value;
  }
  /// The sign is in bit 0.
  static std::int32_t to_signed(std::uint32_t value) {
    const auto magnitude = static_cast<std::int32_t>(value >> 1);
    return (value & 1) != 0 ? -magnitude : magnitude;
  }

 private:
  std::uint32_t byte(std::size_t i) const { return static_cast<std::uint8_t>(bytes_[i]); }
  std::uint32_t fail() {
    failed_ = true;
    at_ = bytes_.size();
    return 0;
  }
  Bytes bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// Collects ranges; each is open until the next one starts unless a length is given.
class Ranges {
 public:
  Ranges(std::vector<InlineRange>& out, std::uint32_t function_size)
      : out_(out), first_(out.size()), function_size_(function_size) {}

  void open(std::uint32_t offset, std::int32_t line, std::uint32_t file, std::uint32_t column) {
    close_at(offset);
    if (offset >= function_size_) return;
    out_.push_back({offset, function_size_, line, file, column});
    open_ = true;
  }
  void close_at(std::uint32_t offset) {
    if (!std::exchange(open_, false)) return;
    InlineRange& last = out_.back();
    if (offset > last.start) last.end = std::min(offset, function_size_);
    else out_.pop_back();
  }
  void finish() {
    const auto begin = out_.begin() + static_cast<std::ptrdiff_t>(first_);
    const auto by_start = [](const InlineRange& a, const InlineRange& b) { return a.start < b.start; };
    if (!std::is_sorted(begin, out_.end(), by_start)) std::stable_sort(begin, out_.end(), by_start);
    for (std::size_t i = first_; i + 1 < out_.size(); ++i) out_[i].end = std::min(out_[i].end, out_[i + 1].start);
  }

 private:
  std::vector<InlineRange>& out_;
  std::size_t first_;
  std::uint32_t function_size_;
  bool open_ = false;
};

}  // namespace

Read<void> read_inline_ranges(Bytes annotations, std::uint32_t function_size, std::vector<InlineRange>& out) {
  Program in(annotations);
  Ranges ranges(out, function_size);
  std::uint32_t offset = 0, file = kFileOfInlinee, column = 0;
  std::int64_t line = 0;
  bool in_main_code = true;  // ranges in separated code are not the function's own bytes
  const auto open = [&] {
    if (in_main_code) ranges.open(offset, static_cast<std::int32_t>(line), file, column);
  };
  while (!in.at_end()) {
    const std::size_t at = in.position();
    switch (const std::uint32_t op = in.number(); op) {
      case kEnd:
        if (!in.failed()) return ranges.finish(), Read<void>{};
        break;
      case kCodeOffset: offset = in.number(); break;
      case kChangeCodeOffsetBase: in_main_code = in.number() == 0; break;
      case kChangeCodeOffset:
        offset += in.number();
        open();
        break;
      case kChangeCodeLength:
        offset += in.number();
        ranges.close_at(offset);
        break;
      case kChangeFile: file = in.number(); break;
      case kChangeLineOffset: line += Program::to_signed(in.number()); break;
      case kChangeColumnStart: column = in.number(); break;
      case kChangeLineEndDelta:
      case kChangeRangeKind:
      case kChangeColumnEndDelta:
      case kChangeColumnEnd: in.number(); break;
      case kChangeCodeOffsetAndLineOffset: {
        const std::uint32_t both = in.number();
        line += Program::to_signed(both >> 4);
        offset += both & 0xF;
        open();
        break;
      }
      case kChangeCodeLengthAndCodeOffset: {
        const std::uint32_t length = in.number();
        offset += in.number();
        open();
        ranges.close_at(offset + length);
        break;
      }
      default: return bad_value("pdb.inline_site.annotation", at, op);
    }
    if (in.failed()) return truncated("pdb.inline_site.annotation", at, 4, annotations.size() - at);
  }
  ranges.finish();
  return {};
}

}  // namespace symcached::pdb
