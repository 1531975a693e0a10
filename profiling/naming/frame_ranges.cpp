#include "profiling/naming/frame_ranges.hpp"

#include "profiling/unwinding/frame_entries.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMaxEntries = std::size_t{1} << 24;

class Walk {
 public:
  Walk(Bytes frames, std::uint64_t address) : frames_(frames), address_(address) {}

  std::vector<FrameRange> run() {
    for (std::uint64_t at = 0; out_.size() < kMaxEntries;) {
      const auto entry = frame_entry_at(frames_, at);
      if (!entry) break;
      if (entry->id != 0 && entry->id <= entry->start)
        add(entry->start + 4, entry->end, encoding_at(entry->start - entry->id));
      at = entry->end;
    }
    return std::move(out_);
  }

 private:
  /// Of the common entry there; most entries have the same as the one before.
  std::uint8_t encoding_at(std::uint64_t common) {
    if (common == last_common_) return last_encoding_;
    last_common_ = common;
    const auto entry = frame_entry_at(frames_, common);
    last_encoding_ = entry ? read_common_entry(entry->body(frames_)).pointers : kOmittedPointer;
    return last_encoding_;
  }

  void add(std::uint64_t at, std::uint64_t end, std::uint8_t encoding) {
    const std::size_t width = encoding == kOmittedPointer ? 0 : pointer_size(encoding);
    if (width == 0 || end - at < 2 * width) return;
    const auto begin = pointer_at(frames_, at, encoding, address_);
    const auto size = pointer_number(frames_, at + width, encoding);
    if (begin && *begin != 0 && size && *size != 0 && *size <= ~*begin) out_.push_back({*begin, *begin + *size});
  }

  Bytes frames_;
  std::uint64_t address_;
  std::uint64_t last_common_ = ~std::uint64_t{0};
  std::uint8_t last_encoding_ = kOmittedPointer;
  std::vector<FrameRange> out_;
};

}  // namespace

std::vector<FrameRange> frame_ranges(Bytes frames, std::uint64_t address) { return Walk(frames, address).run(); }

std::uint64_t frames_address(Bytes header, std::uint64_t address) {
  if (header.size() < 4 || header[0] != std::byte{1}) return 0;
  return pointer_at(header, 4, static_cast<std::uint8_t>(header[1]), address).value_or(0);
}

}  // namespace symcached::pprof
