#include "ppdbcache/reader.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace symcached::ppdbcache {
namespace {

/// Sum of the bytes before number `count`. Reads up to 7 bytes behind them.
std::size_t sum_of_bytes(const std::byte* bytes, unsigned count) {
  constexpr std::uint64_t kEvenBytes = 0x00FF00FF00FF00FF;
  std::uint64_t sums = 0;  // four, of 16 bits each
  const auto add = [&](std::uint64_t eight) { sums += (eight & kEvenBytes) + (eight >> 8 & kEvenBytes); };
  for (; count >= 8; count -= 8, bytes += 8) add(load64(bytes));
  if (count != 0) add(load64(bytes) & ~std::uint64_t{0} >> (64 - 8 * count));
  return sums * 0x0001000100010001 >> 48;
}

/// As std::popcount, which is a call where the compiler may not assume the instruction.
unsigned count_bits(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0F;
  return static_cast<unsigned>(bits * 0x0101010101010101 >> 56);
}

/// Bytes of `run` number `index` among those of a large method.
bool slice_run(Bytes bytes, std::span<const Restart> restarts, std::size_t index, Bytes& out) {
  const std::size_t begin = index == 0 ? 0 : std::size_t{restarts[index - 1].end}, end = restarts[index].end;
  if (begin > end || end > bytes.size()) return false;
  out = bytes.subspan(begin, end - begin);
  return true;
}

}  // namespace

bool is_ppdbcache(Bytes file) { return as_text(file).starts_with(std::string_view(kMagic.data(), kMagic.size())); }

Read<Reader> Reader::open(Bytes file) {
  Reader cache;
  SC_TRY(cache.header_, read_at<Header>(file, 0, "ppdbcache.header"));
  Header& header = cache.header_;
  if (header.magic != kMagic) return bad_value("ppdbcache.magic", 0, static_cast<std::uint8_t>(header.magic[0]), 'p');
  if (header.version != kFormatVersion) return bad_value("ppdbcache.version", 8, header.version, kFormatVersion);
  const std::uint64_t stated = std::exchange(header.header_checksum, u64le(0));
  const std::uint64_t actual = XXH3_64bits(&header, sizeof header);
  if (stated != actual) return bad_value("ppdbcache.header_checksum", 16, stated, actual);
  if (auto ok = cache.set_sections(file); !ok) return std::unexpected(ok.error());
  if (auto ok = cache.set_names(file); !ok) return std::unexpected(ok.error());
  return cache;
}

Read<void> Reader::set_sections(Bytes file) {
  const auto view = [&](const Section& section, std::string_view field, std::size_t padding = 0) -> Read<Bytes> {
    SC_TRY(const Bytes bytes, slice(file, section.offset, section.size, field));
    if (bytes.size() > kMaxSection + padding) return too_large(field, section.offset, bytes.size(), kMaxSection);
    if (bytes.size() < padding) return truncated(field, section.offset, padding, bytes.size());
    return bytes.first(bytes.size() - padding);
  };
  payload_ = file.subspan(sizeof(Header));
  SC_TRY(points_, view(header_.points, "ppdbcache.points", kPadding));
  SC_TRY(large_, view(header_.large, "ppdbcache.large", kPadding));
  SC_TRY(paths_, view(header_.paths, "ppdbcache.paths"));
  SC_TRY(const Bytes blocks, view(header_.blocks, "ppdbcache.blocks"));
  SC_TRY(blocks_, ByteReader(blocks).array<Block>(blocks.size() / sizeof(Block), "ppdbcache.blocks"));
  SC_TRY(const Bytes documents, view(header_.documents, "ppdbcache.documents"));
  SC_TRY(documents_,
         ByteReader(documents).array<DocumentRecord>(documents.size() / sizeof(DocumentRecord), "ppdbcache.documents"));
  SC_TRY(const Bytes kickoffs, view(header_.kickoffs, "ppdbcache.kickoffs"));
  SC_TRY(kickoffs_, RowPairs::open(kickoffs, header_.kickoff_count, "ppdbcache.kickoffs"));
  SC_TRY(const Bytes move_nexts, view(header_.move_nexts, "ppdbcache.move_nexts"));
  SC_TRY(move_nexts_, RowPairs::open(move_nexts, header_.move_next_count, "ppdbcache.move_nexts"));
  constexpr std::size_t kMostBlocks = model::kMaxMethodRow / kRowsPerBlock + 1;
  if (blocks_.size() > kMostBlocks) return too_large("ppdbcache.blocks", 0, blocks_.size(), kMostBlocks);
  return {};
}

Read<void> Reader::set_names(Bytes file) {
  NameSections names;
  names.width = header_.name_width;
  if (names.width > 4) return bad_value("ppdbcache.name_width", 12, names.width, 4);
  SC_TRY(const Bytes blocks,
         slice(file, header_.name_blocks.offset, header_.name_blocks.size, "ppdbcache.name_blocks"));
  SC_TRY(names.blocks, ByteReader(blocks).array<NameBlock>(blocks.size() / sizeof(NameBlock), "ppdbcache.name_blocks"));
  SC_TRY(names.names, slice(file, header_.names.offset, header_.names.size, "ppdbcache.names"));
  if (names.width != 0 && names.names.size() < kPadding)
    return truncated("ppdbcache.names", header_.names.offset, kPadding, names.names.size());
  const std::uint64_t most = kPadding + names.width * (std::uint64_t{model::kMaxMethodRow} + 1);
  if (names.names.size() > most) return too_large("ppdbcache.names", header_.names.offset, names.names.size(), most);
  SC_TRY(const Bytes scopes, slice(file, header_.scopes.offset, header_.scopes.size, "ppdbcache.scopes"));
  SC_TRY(names.scopes, ByteReader(scopes).array<u32le>(scopes.size() / 4, "ppdbcache.scopes"));
  SC_TRY(names.text, slice(file, header_.text.offset, header_.text.size, "ppdbcache.text"));
  names_ = NameReader(names);
  return {};
}

DebugId Reader::debug_id() const { return {Guid{header_.guid}, header_.age}; }

std::uint32_t Reader::row_limit() const {
  const auto rows = static_cast<std::uint32_t>(blocks_.size() * kRowsPerBlock);
  const std::uint32_t pointed =
      rows == 0 ? 0 : rows - static_cast<unsigned>(std::countl_zero(std::uint64_t{blocks_.back().present}));
  return std::max(pointed, names_.row_limit());
}

inline bool Reader::find_runs(std::uint32_t row, Runs& out) const {
  if (row / kRowsPerBlock >= blocks_.size()) return false;
  const Block& block = blocks_[row / kRowsPerBlock];
  const std::uint64_t present = block.present, bit = std::uint64_t{1} << row % kRowsPerBlock;
  if ((present & bit) == 0) return false;
  const auto count = count_bits(present);
  const auto before = count_bits(present & (bit - 1));
  const std::size_t position = block.position;
  if (position > points_.size() || count > points_.size() - position) return false;
  const std::byte* const lengths = points_.data() + position;
  const std::size_t begin = position + count + sum_of_bytes(lengths, before);
  const auto length = static_cast<std::size_t>(lengths[before]);
  if (begin > points_.size() || length > points_.size() - begin) return false;
  out.bytes = points_.subspan(begin, length);
  out.document = block.document;
  if (length == 0 || (static_cast<std::uint32_t>(out.bytes[0]) & kIsLarge) == 0) [[likely]]
    return true;
  return find_large(out.bytes, out);
}

bool Reader::find_large(Bytes head, Runs& out) const {
  UlebCursor in(head, kHeadSize);
  const std::uint32_t position = in.number();
  if (in.failed() || position > large_.size()) return false;
  ByteReader rest(large_.subspan(position));
  const auto count = rest.read<u32le>("ppdbcache.large");
  if (!count || *count == 0) return false;
  const auto restarts = rest.array<Restart>(*count, "ppdbcache.large");
  if (!restarts) return false;
  out.restarts = *restarts;
  out.bytes = rest.rest();
  return true;
}

inline bool Reader::find_point(const Runs& runs, std::uint32_t il_offset, model::ManagedPoint& out) const {
  Bytes bytes = runs.bytes;
  if (!runs.restarts.empty()) {
    const auto after = std::ranges::upper_bound(runs.restarts, il_offset, {},
                                                [](const Restart& r) { return std::uint32_t{r.il_offset}; });
    if (after == runs.restarts.begin()) return false;
    if (!slice_run(runs.bytes, runs.restarts, static_cast<std::size_t>(after - runs.restarts.begin()) - 1, bytes))
      return false;
  }
  RunDecoder run(bytes, runs.document);
  if (!run.first() || run.point().il_offset > il_offset) return false;
  for (std::size_t left = kMostPointsDecoded; left > 1 && run.next(il_offset); --left) {
  }
  out = run.point();
  return !run.failed();
}

inline bool Reader::find_document(std::uint32_t number, Place& out) const {
  if (number >= documents_.size()) return false;
  const std::size_t begin = documents_[number].path;
  const std::size_t end = number + 1 < documents_.size() ? std::size_t{documents_[number + 1].path} : paths_.size();
  if (begin > end || end > paths_.size()) return false;
  out.document = as_text(paths_.subspan(begin, end - begin));
  out.language = static_cast<model::Language>(std::uint8_t{documents_[number].language});
  return true;
}

/// Filled in where it is returned: copies of what was just written part by part are slow.
std::optional<Place> Reader::lookup(std::uint32_t row, std::uint32_t il_offset) const {
  std::optional<Place> found(std::in_place);
  Runs runs;
  model::ManagedPoint point;
  if (!find_runs(row, runs) || !find_point(runs, il_offset, point) || !find_document(point.document, *found)) {
    found.reset();
    return found;
  }
  found->line = point.line;
  found->column = point.column;
  if (has_names()) found->method = name_a_person_wrote(row);
  return found;
}

MethodName Reader::name_a_person_wrote(std::uint32_t row) const {
  MethodName name;
  if (const std::uint32_t kickoff = kickoffs_.find(row); kickoff != 0) name = names_.name(kickoff);
  return name.empty() ? names_.name(row) : name;
}

std::uint32_t Reader::row_in_trace(std::uint32_t row) const {
  Runs runs;
  if (find_runs(row, runs)) return row;
  const std::uint32_t machine = method(row).move_next;
  return machine != 0 ? machine : row;
}

Method Reader::method(std::uint32_t row) const {
  Runs runs;
  return {.name = names_.name(row),
          .kickoff = kickoffs_.find(row),
          .move_next = move_nexts_.find(row),
          .has_points = find_runs(row, runs)};
}

std::optional<model::ManagedDocument> Reader::document(std::uint32_t number) const {
  Place place;
  if (!find_document(number, place)) return std::nullopt;
  return model::ManagedDocument{.path = place.document, .language = place.language};
}

PointCursor Reader::points(std::uint32_t row) const {
  PointCursor cursor;
  Runs runs;
  if (!find_runs(row, runs)) return cursor;
  cursor.bytes_ = runs.bytes;
  cursor.restarts_ = runs.restarts;
  cursor.document_ = runs.document;
  cursor.run_count_ = std::max<std::size_t>(1, runs.restarts.size());
  return cursor;
}

bool PointCursor::next(model::ManagedPoint& out) {
  constexpr std::uint32_t kAnyOffset = 0xFFFFFFFF;
  if (failed_) return false;
  if (entered_ != 0 && run_.next(kAnyOffset)) {
    ++in_run_;
  } else {
    if (entered_ != 0 && !run_.ended()) failed_ = true;
    if (failed_ || entered_ == run_count_ || !enter_next_run()) return false;
  }
  out = run_.point();
  return true;
}

bool PointCursor::enter_next_run() {
  Bytes run = bytes_;
  failed_ = !restarts_.empty() && !slice_run(bytes_, restarts_, entered_, run);
  if (failed_) return false;
  run_ = RunDecoder(run, document_);
  failed_ = !run_.first();
  in_run_ = 1;
  ++entered_;
  return !failed_;
}

}  // namespace symcached::ppdbcache
