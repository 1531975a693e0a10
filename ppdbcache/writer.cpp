#include "ppdbcache/writer.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "ppdbcache/run_encoder.hpp"

namespace symcached::ppdbcache {

using model::ManagedPoint;

Writer::Writer(std::size_t expected_size)
    : block_(kRowsPerBlock * kLargestInline), run_(kLongestRun * kMostBytesOfAPoint + 1) {
  file_.reserve(expected_size);
  file_.put(Header{});
}

std::uint32_t Writer::document(const model::ManagedDocument& document) {
  if (within(paths_.size() + document.path.size(), "ppdbcache.paths")) {
    documents_.put(
        DocumentRecord{static_cast<std::uint32_t>(paths_.size()), static_cast<std::uint8_t>(document.language)});
    paths_.put_text(document.path.substr(0, kMaxTextSize));
  }
  return document_count_++;
}

void Writer::method(const model::ManagedMethod& method) {
  if (!check(method)) return;
  last_row_ = method.row;
  if (!method.points.empty()) put_points(method.row, method.points);
  if (!method.name.empty() && within(names_.text_size() + method.name.size() + 16, "ppdbcache.text"))
    names_.put(method.row, method.name);
  if (method.kickoff != 0) kickoffs_.push_back({method.row, method.kickoff});
}

bool Writer::check(const model::ManagedMethod& method) {
  const auto fail = [&](std::string_view field, std::uint64_t found, std::uint64_t wanted) {
    error_ = ReadError{ReadError::Kind::bad_value, method.row, field, wanted, found};
    return false;
  };
  if (error_) return false;
  if (method.row <= last_row_ || method.row > model::kMaxMethodRow)
    return fail("ppdbcache.method.row", method.row, last_row_ + 1u);
  if (method.kickoff > model::kMaxMethodRow) return fail("ppdbcache.method.kickoff", method.kickoff, 0);
  const ManagedPoint* before = nullptr;
  for (const ManagedPoint& p : method.points) {
    if (p.document >= document_count_) return fail("ppdbcache.point.document", p.document, document_count_);
    if (before != nullptr && p.il_offset <= before->il_offset)
      return fail("ppdbcache.point.il_offset", p.il_offset, before->il_offset + std::uint64_t{1});
    before = &p;
  }
  point_count_ += method.points.size();
  return within(file_.size() + kRowsPerBlock * (kLargestInline + 1), "ppdbcache.points") &&
         within(large_.size() + method.points.size() * (kMostBytesOfAPoint + 1), "ppdbcache.large") &&
         within(point_count_, "ppdbcache.point_count");
}

bool Writer::within(std::uint64_t size, std::string_view section) {
  if (size <= kMaxSection) return !error_;
  if (!error_) error_ = ReadError{ReadError::Kind::too_large, last_row_, section, kMaxSection, size};
  return false;
}

void Writer::put_points(std::uint32_t row, std::span<const ManagedPoint> points) {
  while (blocks_.size() < row / kRowsPerBlock) close_block();
  if (present_ == 0) block_document_ = points[0].document;
  std::size_t size = kLargestInline + 1;
  if (points.size() <= kLongestRun)
    size = static_cast<std::size_t>(encode_run(points, block_document_, run_.data()) - run_.data());
  if (size > kLargestInline) {
    const std::uint8_t head[kHeadSize] = {kIsLarge};
    std::ranges::copy(head, run_.data());
    const auto position = static_cast<std::uint32_t>(large_.size());
    size = static_cast<std::size_t>(put_number(run_.data() + kHeadSize, position) - run_.data());
    put_large(points);
    std::ranges::copy(head, run_.data());
    put_number(run_.data() + kHeadSize, position);
  }
  std::copy_n(run_.data(), size, block_.data() + block_size_);
  block_size_ += size;
  lengths_[present_count_++] = static_cast<std::byte>(size);
  present_ |= std::uint64_t{1} << row % kRowsPerBlock;
  ++method_count_;
}

void Writer::put_large(std::span<const ManagedPoint> points) {
  ByteWriter runs;
  large_.put(u32le(static_cast<std::uint32_t>((points.size() + kPointsPerRun - 1) / kPointsPerRun)));
  for (; !points.empty(); points = points.subspan(std::min(points.size(), kPointsPerRun))) {
    const std::uint8_t* const end =
        encode_run(points.first(std::min(points.size(), kPointsPerRun)), block_document_, run_.data());
    runs.put_bytes(std::as_bytes(std::span(std::as_const(run_).data(), end)));
    large_.put(Restart{points[0].il_offset, static_cast<std::uint32_t>(runs.size())});
  }
  large_.put_bytes(runs.bytes());
}

void Writer::close_block() {
  blocks_.push_back({present_, static_cast<std::uint32_t>(file_.size() - sizeof(Header)), block_document_});
  file_.put_bytes(Bytes(lengths_).first(present_count_));
  file_.put_bytes(std::as_bytes(std::span(block_).first(block_size_)));
  present_ = block_size_ = present_count_ = block_document_ = 0;
}

void Writer::end_section(Section& section, std::size_t start) {
  section = {start, file_.size() - start};
  file_.align(8);
}

void Writer::put_section(Section& section, Bytes bytes) {
  const std::size_t start = file_.size();
  file_.put_bytes(bytes);
  end_section(section, start);
}

/// Both ways. Where two methods name one kick-off method, it leads to the first of them.
void Writer::put_kickoffs(Header& header) {
  std::size_t start = file_.size();
  put_pairs(kickoffs_, file_);
  header.kickoff_count = static_cast<std::uint32_t>(kickoffs_.size());
  end_section(header.kickoffs, start);
  for (RowPair& pair : kickoffs_) std::swap(pair.key, pair.value);
  std::ranges::sort(kickoffs_);
  const auto rest = std::ranges::unique(kickoffs_, {}, &RowPair::key);
  kickoffs_.erase(rest.begin(), rest.end());
  start = file_.size();
  put_pairs(kickoffs_, file_);
  header.move_next_count = static_cast<std::uint32_t>(kickoffs_.size());
  end_section(header.move_nexts, start);
}

Read<std::vector<std::byte>> Writer::finish() && {
  if (error_) return std::unexpected(*error_);
  constexpr std::array<std::byte, kPadding> kZeros{};
  if (present_ != 0) close_block();
  names_.finish();
  Header header{};
  header.magic = kMagic;
  header.version = kFormatVersion;
  header.name_width = static_cast<std::uint8_t>(names_.width());
  header.guid = debug_id_.guid.bytes;
  header.age = debug_id_.age;
  header.method_count = method_count_;
  header.point_count = static_cast<std::uint32_t>(point_count_);
  file_.put_bytes(kZeros);
  end_section(header.points, sizeof(Header));
  large_.put_bytes(kZeros);
  put_section(header.blocks, std::as_bytes(std::span(blocks_)));
  put_section(header.large, large_.bytes());
  put_section(header.documents, documents_.bytes());
  put_section(header.paths, paths_.bytes());
  put_kickoffs(header);
  put_section(header.name_blocks, names_.blocks.bytes());
  const std::size_t start = file_.size();
  names_.put_names(file_);
  end_section(header.names, start);
  put_section(header.scopes, names_.scopes.bytes());
  put_section(header.text, names_.text());
  const Bytes payload = file_.bytes().subspan(sizeof(Header));
  header.payload_checksum = XXH3_64bits(payload.data(), payload.size());
  header.header_checksum = XXH3_64bits(&header, sizeof header);
  file_.patch(0, header);
  return std::move(file_).finish();
}

}  // namespace symcached::ppdbcache
