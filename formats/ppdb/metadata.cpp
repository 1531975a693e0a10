#include "formats/ppdb/metadata.hpp"

#include <algorithm>
#include <cstring>

#include "formats/ppdb/blob.hpp"

namespace symcached::ppdb {
namespace {

struct RootHeader {
  u32le magic;  ///< kMetadataMagic
  u16le major_version;
  u16le minor_version;
  u32le reserved;
  u32le version_size;  ///< bytes of the version text, padding included
};
static_assert(sizeof(RootHeader) == 16 && alignof(RootHeader) == 1);

struct StreamHeader {
  u32le offset;  ///< from the start of the metadata
  u32le size;    ///< bytes
};
static_assert(sizeof(StreamHeader) == 8 && alignof(StreamHeader) == 1);

struct TablesHeader {
  u32le reserved;
  u8le major_version;
  u8le minor_version;
  u8le heap_sizes;  ///< kWide… flags
  u8le reserved2;
  u64le valid;   ///< a bit for each table that is there
  u64le sorted;  ///< not looked at: what must be sorted is checked
};
static_assert(sizeof(TablesHeader) == 24 && alignof(TablesHeader) == 1);
static_assert(offsetof(TablesHeader, heap_sizes) == 6 && offsetof(TablesHeader, valid) == 8);

constexpr std::uint8_t kWideStrings = 0x01, kWideGuids = 0x02, kWideBlobs = 0x04, kExtraData = 0x40;
constexpr std::uint32_t kMaxVersionSize = 256;
constexpr std::size_t kMaxStreamName = 32;
constexpr std::size_t kPdbIdAndEntryPoint = 24;

constexpr std::uint64_t kTypeTables = (std::uint64_t{1} << (kLastTypeTable + 1)) - 1;
constexpr std::uint64_t kDebugTables = std::uint64_t{0xFF} << kFirstDebugTable;

bool has(std::uint64_t bits, std::size_t table) { return (bits >> table & 1) != 0; }

}  // namespace

bool is_metadata(Bytes file) {
  const auto magic = read_at<u32le>(file, 0, "ppdb.magic");
  return magic && *magic == kMetadataMagic;
}

Read<Metadata> Metadata::open(Bytes bytes) {
  Metadata metadata;
  metadata.bytes_ = bytes;
  if (const auto read = metadata.read_streams(); !read) return std::unexpected(read.error());
  if (!metadata.tables_stream_.present) return unsupported("metadata without a table stream (ppdb.tables)", 0);
  for (const auto step : {&Metadata::read_referenced_rows, &Metadata::read_tables})
    if (const auto read = (metadata.*step)(); !read) return std::unexpected(read.error());
  return metadata;
}

Read<void> Metadata::read_streams() {
  ByteReader in(bytes_);
  SC_TRY(const auto root, in.read<RootHeader>("ppdb.root"));
  if (root.magic != kMetadataMagic) return bad_value("ppdb.root.magic", 0, root.magic, kMetadataMagic);
  if (root.version_size > kMaxVersionSize)
    return too_large("ppdb.root.version_size", offsetof(RootHeader, version_size), root.version_size, kMaxVersionSize);
  SC_TRY(const auto version, in.take(root.version_size, "ppdb.root.version"));
  version_ = as_text(version).substr(0, as_text(version).find('\0'));
  SC_TRY(const auto flags, in.read<u16le>("ppdb.root.flags"));
  static_cast<void>(flags);  // reserved
  const std::size_t count_offset = in.position();
  SC_TRY(const auto count, in.read<u16le>("ppdb.root.streams"));
  if (count > kMaxStreams) return too_large("ppdb.root.streams", count_offset, count, kMaxStreams);
  for (unsigned i = 0; i < count; ++i) {
    SC_TRY(const auto header, in.read<StreamHeader>("ppdb.stream"));
    const std::size_t start = in.position();
    SC_TRY(const auto name, in.c_string("ppdb.stream.name"));
    if (name.size() >= kMaxStreamName) return too_large("ppdb.stream.name", start, name.size(), kMaxStreamName - 1);
    const std::size_t padding = (4 - (in.position() - start) % 4) % 4;
    if (const auto skipped = in.skip(padding, "ppdb.stream.name"); !skipped) return skipped;
    SC_TRY(const auto data, slice(bytes_, header.offset, header.size, "ppdb.stream.data"));
    if (const auto placed = place(name, data); !placed) return placed;
  }
  return {};
}

Read<void> Metadata::place(std::string_view name, Bytes data) {
  struct Known {
    std::string_view name;
    Stream Metadata::* stream;
  };
  static constexpr Known kKnown[] = {{"#~", &Metadata::tables_stream_}, {"#-", &Metadata::tables_stream_},
                                     {"#Strings", &Metadata::strings_}, {"#US", &Metadata::user_strings_},
                                     {"#GUID", &Metadata::guids_},      {"#Blob", &Metadata::blobs_},
                                     {"#Pdb", &Metadata::pdb_}};
  const auto known = std::ranges::find(kKnown, name, &Known::name);
  if (known == std::end(kKnown)) return {};
  Stream& stream = this->*known->stream;
  if (stream.present) return {};  // the first one of a name counts
  stream = {data, true};
  if (name == "#-") uncompressed_ = true;
  return {};
}

Read<void> Metadata::read_referenced_rows() {
  if (!pdb_.present) return {};
  const std::uint64_t base = offset_of(pdb_.data);
  ByteReader in(pdb_.data, base);
  if (const auto skipped = in.skip(kPdbIdAndEntryPoint, "ppdb.pdb_stream"); !skipped) return skipped;
  SC_TRY(const std::uint64_t tables, in.read<u64le>("ppdb.pdb_stream.referenced_tables"));
  if ((tables & ~kTypeTables) != 0)
    return bad_value("ppdb.pdb_stream.referenced_tables", base + kPdbIdAndEntryPoint, tables, kTypeTables);
  for (std::size_t table = 0; table <= kLastTypeTable; ++table) {
    if (!has(tables, table)) continue;
    SC_TRY(const auto rows, in.read<u32le>("ppdb.pdb_stream.rows"));
    if (rows > kMaxRows) return too_large("ppdb.pdb_stream.rows", base + in.position() - 4, rows, kMaxRows);
    sizes_.rows[table] = rows;
  }
  return {};
}

Read<void> Metadata::read_tables() {
  const std::uint64_t base = offset_of(tables_stream_.data);
  ByteReader in(tables_stream_.data, base);
  SC_TRY(const auto header, in.read<TablesHeader>("ppdb.tables"));
  const std::uint64_t valid = header.valid;
  if ((valid & ~(kTypeTables | kDebugTables)) != 0)
    return bad_value("ppdb.tables.valid", base + offsetof(TablesHeader, valid), valid, kTypeTables | kDebugTables);
  for (std::size_t table = 0; table < kTableCount; ++table) {
    if (!has(valid, table)) continue;
    SC_TRY(const auto rows, in.read<u32le>("ppdb.tables.rows"));
    if (rows > kMaxRows) return too_large("ppdb.tables.rows", base + in.position() - 4, rows, kMaxRows);
    rows_[table] = rows;
    if (!pdb_.present || table >= kFirstDebugTable) sizes_.rows[table] = rows;
  }
  if ((header.heap_sizes & kExtraData) != 0) {
    if (const auto skipped = in.skip(4, "ppdb.tables.extra"); !skipped) return skipped;
  }
  sizes_.wide_strings = (header.heap_sizes & kWideStrings) != 0;
  sizes_.wide_guids = (header.heap_sizes & kWideGuids) != 0;
  sizes_.wide_blobs = (header.heap_sizes & kWideBlobs) != 0;
  for (std::size_t table = 0; table < kTableCount; ++table) {
    layouts_[table] = layout_of(static_cast<Table>(table), sizes_);
    SC_TRY(const auto data, in.take(std::uint64_t{rows_[table]} * layouts_[table].size, "ppdb.table"));
    tables_[table] = data.data();
  }
  return {};
}

Read<std::string_view> Metadata::string(std::uint32_t offset, std::string_view field) const {
  if (offset == 0) return std::string_view();
  if (offset >= strings_.data.size()) return bad_value(field, 0, offset, strings_.data.size());
  const std::string_view rest = as_text(strings_.data).substr(offset, kMaxStringSize + 1);
  const std::size_t end = rest.find('\0');
  if (end != std::string_view::npos) return rest.substr(0, end);
  const std::uint64_t where = offset_of(strings_.data) + offset;
  if (rest.size() > kMaxStringSize) return too_large(field, where, rest.size(), kMaxStringSize);
  return truncated(field, where, rest.size() + 1, rest.size());
}

Read<Guid> Metadata::guid(std::uint32_t index, std::string_view field) const {
  if (index == 0) return Guid{};
  std::array<std::uint8_t, 16> disk;
  if (index > guids_.data.size() / disk.size()) return bad_value(field, 0, index, guids_.data.size() / disk.size());
  std::memcpy(disk.data(), guids_.data.data() + std::size_t{index - 1} * disk.size(), disk.size());
  return Guid::from_windows(disk);
}

Read<Bytes> Metadata::blob(std::uint32_t offset, std::string_view field) const {
  if (offset == 0) return Bytes();
  if (offset >= blobs_.data.size()) return bad_value(field, 0, offset, blobs_.data.size());
  BlobCursor in(blobs_.data.subspan(offset));
  const std::uint32_t size = in.number();
  if (in.failed())
    return bad_value(field, offset_of(blobs_.data) + offset, std::to_integer<unsigned>(blobs_.data[offset]));
  if (size > in.left()) return truncated(field, offset_of(blobs_.data) + offset, size, in.left());
  return in.rest().first(size);
}

}  // namespace symcached::ppdb
