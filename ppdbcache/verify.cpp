/// Checks a whole ppdbcache. Every byte is read once or twice: what blocks and methods refer to has to lie in their
/// order, so a hostile file cannot have the same bytes read again and again.
#include <xxhash.h>

#include <bit>

#include "ppdbcache/reader.hpp"

namespace symcached::ppdbcache {

class Verifier {
 public:
  explicit Verifier(const Reader& cache) : cache_(cache) {}
  Read<void> run();

 private:
  Read<void> check_checksum() const;
  Read<void> check_documents() const;
  Read<void> check_block(std::uint32_t index);
  Read<void> check_large(std::uint32_t row, Bytes head);
  Read<void> check_points(std::uint32_t row);
  Read<void> check_pairs() const;

  const Reader& cache_;
  std::size_t points_end_ = 0, large_end_ = 0;  // of what was checked
  std::uint64_t methods_ = 0, points_ = 0;
};

Read<void> Verifier::run() {
  if (auto ok = check_checksum(); !ok) return ok;
  if (auto ok = check_documents(); !ok) return ok;
  for (std::uint32_t i = 0; i < cache_.blocks_.size(); ++i)
    if (auto ok = check_block(i); !ok) return ok;
  if (points_end_ != cache_.points_.size())
    return bad_value("ppdbcache.points", points_end_, cache_.points_.size(), points_end_);
  if (large_end_ != cache_.large_.size())
    return bad_value("ppdbcache.large", large_end_, cache_.large_.size(), large_end_);
  if (methods_ != cache_.method_count())
    return bad_value("ppdbcache.method_count", 52, cache_.method_count(), methods_);
  if (points_ != cache_.point_count()) return bad_value("ppdbcache.point_count", 56, cache_.point_count(), points_);
  if (auto ok = check_pairs(); !ok) return ok;
  return cache_.names_.verify();
}

Read<void> Verifier::check_checksum() const {
  const std::uint64_t stated = cache_.header_.payload_checksum;
  const std::uint64_t actual = XXH3_64bits(cache_.payload_.data(), cache_.payload_.size());
  if (actual != stated) return bad_value("ppdbcache.payload_checksum", 24, stated, actual);
  return {};
}

Read<void> Verifier::check_documents() const {
  const std::size_t first = cache_.documents_.empty() ? cache_.paths_.size() : std::size_t{cache_.documents_[0].path};
  if (first != 0) return bad_value("ppdbcache.paths", 0, first);
  for (std::uint32_t i = 0; i < cache_.document_count(); ++i)
    if (!cache_.document(i)) return bad_value("ppdbcache.documents", i * sizeof(DocumentRecord), i);
  return {};
}

/// The block's methods begin where those before it ended.
Read<void> Verifier::check_block(std::uint32_t index) {
  const Block& block = cache_.blocks_[index];
  const std::uint64_t present = block.present;
  if (block.position != points_end_)
    return bad_value("ppdbcache.blocks", index * sizeof(Block), block.position, points_end_);
  if (index == 0 && (present & 1) != 0) return bad_value("ppdbcache.blocks", 0, present);
  const auto count = static_cast<unsigned>(std::popcount(present));
  if (count > cache_.points_.size() - points_end_)
    return truncated("ppdbcache.points", points_end_, count, cache_.points_.size() - points_end_);
  const Bytes lengths = cache_.points_.subspan(points_end_, count);
  points_end_ += count;
  std::size_t n = 0;
  for (std::uint64_t left = present; left != 0; left &= left - 1, ++n) {
    const auto length = static_cast<std::size_t>(lengths[n]);
    if (length < kHeadSize || length > cache_.points_.size() - points_end_)
      return truncated("ppdbcache.points", points_end_, length, cache_.points_.size() - points_end_);
    const Bytes method = cache_.points_.subspan(points_end_, length);
    points_end_ += length;
    const std::uint32_t row = index * kRowsPerBlock + static_cast<unsigned>(std::countr_zero(left));
    if ((static_cast<std::uint32_t>(method[0]) & kIsLarge) != 0)
      if (auto ok = check_large(row, method); !ok) return ok;
    if (auto ok = check_points(row); !ok) return ok;
  }
  methods_ += count;
  return {};
}

/// Large methods follow one another in the order of their rows.
Read<void> Verifier::check_large(std::uint32_t row, Bytes head) {
  UlebCursor in(head, kHeadSize);
  const std::uint32_t position = in.number();
  Reader::Runs runs;
  if (load32(head.data()) << 8 != kIsLarge << 8 || in.failed() || !in.at_end() || position != large_end_ ||
      !cache_.find_large(head, runs))
    return bad_value("ppdbcache.large", row, position, large_end_);
  std::uint32_t end = 0;
  for (const Restart& restart : runs.restarts) {
    if (restart.end < end) return bad_value("ppdbcache.restart", row, restart.end, end);
    end = restart.end;
  }
  if (end > runs.bytes.size()) return truncated("ppdbcache.restart", row, end, runs.bytes.size());
  large_end_ = static_cast<std::size_t>(runs.bytes.data() - cache_.large_.data()) + end;
  return {};
}

Read<void> Verifier::check_points(std::uint32_t row) {
  PointCursor cursor = cache_.points(row);
  std::uint64_t next_offset = 0;
  for (model::ManagedPoint point; cursor.next(point);) {
    if (point.il_offset < next_offset) return bad_value("ppdbcache.point.il_offset", row, point.il_offset, next_offset);
    next_offset = std::uint64_t{point.il_offset} + 1;
    if (point.document >= cache_.document_count())
      return bad_value("ppdbcache.point.document", row, point.document, cache_.document_count());
    if (cursor.in_run_ == 1 && !cursor.restarts_.empty() &&
        cursor.restarts_[cursor.entered_ - 1].il_offset != point.il_offset)
      return bad_value("ppdbcache.restart", row, cursor.restarts_[cursor.entered_ - 1].il_offset, point.il_offset);
    if (cursor.in_run_ > kMostPointsDecoded) return too_large("ppdbcache.run", row, cursor.in_run_, kMostPointsDecoded);
    ++points_;
  }
  if (cursor.failed()) return bad_value("ppdbcache.method", row, next_offset);
  return {};
}

/// Each way back is one of the pairs.
Read<void> Verifier::check_pairs() const {
  if (auto ok = cache_.kickoffs_.verify(); !ok) return ok;
  if (auto ok = cache_.move_nexts_.verify(); !ok) return ok;
  if (cache_.move_nexts_.count() > cache_.kickoffs_.count())
    return bad_value("ppdbcache.move_next_count", 64, cache_.move_nexts_.count(), cache_.kickoffs_.count());
  RowPair pair;
  for (RowPairs::Cursor all = cache_.move_nexts_.all(); all.next(pair);)
    if (cache_.kickoffs_.find(pair.value) != pair.key)
      return bad_value("ppdbcache.move_nexts", pair.key, cache_.kickoffs_.find(pair.value), pair.key);
  return {};
}

Read<void> Reader::verify() const { return Verifier(*this).run(); }

}  // namespace symcached::ppdbcache
