#include "object/dwarf/units.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace symcached::object {
namespace {

constexpr std::string_view kField = "dwarf.debug_info";
constexpr std::size_t kBatch = 256 * 1024;          ///< bytes; fit into the second-level cache of most processors
constexpr std::size_t kUnitsPerThread = 8;          ///< fewer are not worth a thread
constexpr std::uint64_t kReleaseEvery = 64u << 20;  ///< bytes inflated
constexpr std::uint64_t kInflatedPerThread = 4 * kBatch;

/// Fills a buffer piece by piece.
class Filler {
 public:
  Filler(InflateStream& stream, Buffer& buffer) : stream_(stream), buffer_(buffer) {}

  Bytes bytes() const { return buffer_.bytes().first(used_); }
  /// Until `size` bytes are there; the stream has them.
  Read<void> fill(std::uint64_t size) {
    if (size > buffer_.size()) {
      Buffer larger(static_cast<std::size_t>(std::max<std::uint64_t>(size, kBatch)));
      if (used_ != 0) std::memcpy(larger.data(), buffer_.data(), used_);
      buffer_ = std::move(larger);
    }
    const std::size_t from = std::exchange(used_, static_cast<std::size_t>(size));
    return stream_.read({buffer_.data() + from, used_ - from});
  }

 private:
  InflateStream& stream_;
  Buffer& buffer_;
  std::size_t used_ = 0;
};

}  // namespace

Read<UnitQueue> UnitQueue::open(const DwarfInput& input, const DwarfFiles& files) {
  UnitQueue queue(input, files);
  if (input.compressed_info) {
    SC_TRY(queue.stream_, InflateStream::open(*input.compressed_info, kField));
  }
  return queue;
}

std::size_t UnitQueue::useful_threads() const {
  if (stream_) return static_cast<std::size_t>(stream_->left() / kInflatedPerThread);
  return files_->main().units.size() / kUnitsPerThread;
}

Read<bool> UnitQueue::next(UnitBatch& batch) {
  const std::lock_guard lock(mutex_);
  if (stream_) return next_inflated(batch);
  const auto& units = files_->main().units;
  if (next_ >= units.size()) return false;
  batch.sections = input_->sections;
  batch.units.assign(1, units[next_]);
  batch.first = next_++;
  return true;
}

Read<bool> UnitQueue::next_inflated(UnitBatch& batch) {
  if (stream_->left() == 0) return false;
  batch.sections = input_->sections;
  batch.sections.info_start = stream_->position();
  batch.first = next_;
  Filler filler(*stream_, batch.inflated);
  if (auto ok = filler.fill(std::min<std::uint64_t>(kBatch, stream_->left())); !ok) return std::unexpected(ok.error());
  for (;;) {  // up to the end of a unit
    const dwarf::UnitEnds ends = dwarf::find_unit_ends(filler.bytes(), input_->sections.big_endian);
    if (ends.whole == filler.bytes().size() || stream_->left() == 0) break;
    const std::uint64_t all = filler.bytes().size() + stream_->left();
    if (auto ok = filler.fill(std::min(ends.next, all)); !ok) return std::unexpected(ok.error());
  }
  auto units = dwarf::read_unit_headers(filler.bytes(), input_->sections.big_endian);
  if (!units) {
    units.error().offset += batch.sections.info_start;
    return std::unexpected(units.error());
  }
  batch.units = *std::move(units);
  batch.sections.info = filler.bytes();
  next_ += batch.units.size();
  unreleased_ += filler.bytes().size();
  if (input_->release && unreleased_ >= kReleaseEvery) {
    unreleased_ = 0;
    input_->release();
  }
  return true;
}

}  // namespace symcached::object
