#include "sourcecache/reader.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/decompress.hpp"
#include "sourcecache/checksum.hpp"

namespace symcached::sourcecache {
namespace {

Read<Header> read_header(Bytes start) {
  SC_TRY(Header header, read_at<Header>(start, 0, "sourcecache.header"));
  if (header.magic != kMagic) return bad_value("sourcecache.magic", 0, static_cast<std::uint8_t>(header.magic[0]), 's');
  if (header.version != kFormatVersion) return bad_value("sourcecache.version", 8, header.version, kFormatVersion);
  Header bare = header;
  bare.header_checksum = 0;
  const std::uint64_t actual = checksum_of(std::as_bytes(std::span(&bare, 1)));
  if (header.header_checksum != actual)
    return bad_value("sourcecache.header_checksum", 56, header.header_checksum, actual);
  if (header.file_count > kMaxFiles) return too_large("sourcecache.file_count", 12, header.file_count, kMaxFiles);
  if (header.link_count > kMaxLinks) return too_large("sourcecache.link_count", 16, header.link_count, kMaxLinks);
  if (header.table_size > kMaxTable) return too_large("sourcecache.table_size", 40, header.table_size, kMaxTable);
  return header;
}

}  // namespace

bool is_sourcecache(Bytes file) { return as_text(file).starts_with(std::string_view(kMagic.data(), kMagic.size())); }

Read<std::uint64_t> table_end(Bytes start) {
  SC_TRY(const Header header, read_header(start));
  return sizeof(Header) + header.table_size;
}

Read<Reader> Reader::open(Bytes start) {
  Reader cache;
  SC_TRY(cache.header_, read_header(start));
  const Header& header = cache.header_;
  SC_TRY(const Bytes table, slice(start, sizeof(Header), header.table_size, "sourcecache.table"));
  const std::uint64_t actual = checksum_of(table);
  if (header.table_checksum != actual)
    return bad_value("sourcecache.table_checksum", 64, header.table_checksum, actual);
  ByteReader in(table);
  SC_TRY(cache.files_, in.array<FileRecord>(header.file_count, "sourcecache.files"));
  SC_TRY(cache.links_, in.array<LinkRecord>(header.link_count, "sourcecache.links"));
  cache.strings_ = in.rest();
  return cache;
}

std::optional<std::string_view> Reader::string(const StringRef& ref) const {
  if (ref.position > strings_.size() || ref.size > strings_.size() - ref.position) return std::nullopt;
  return as_text(strings_.subspan(ref.position, ref.size));
}

std::optional<File> Reader::find(std::string_view path) const {
  const auto at = std::ranges::lower_bound(
      files_, path, {}, [this](const FileRecord& record) { return string(record.path).value_or(std::string_view()); });
  if (at == files_.end() || string(at->path) != path) return std::nullopt;
  return file(static_cast<std::uint32_t>(at - files_.begin()));
}

std::optional<File> Reader::file(std::uint32_t index) const {
  const FileRecord& record = files_[index];
  const auto path = string(record.path), url = string(record.url);
  const std::uint64_t texts = header_.texts_size;
  if (!path || !url || record.codec > static_cast<std::uint8_t>(TextCodec::deflate) || record.size > kMaxText ||
      record.packed_size > kMaxText || record.position > texts || record.packed_size > texts - record.position)
    return std::nullopt;
  return File{.path = *path,
              .url = *url,
              .codec = static_cast<TextCodec>(std::uint8_t{record.codec}),
              .position = sizeof(Header) + header_.table_size + record.position,
              .packed_size = record.packed_size,
              .size = record.size};
}

std::optional<Link> Reader::link(std::uint32_t index) const {
  const auto path = string(links_[index].path), url = string(links_[index].url);
  return path && url ? std::optional(Link{*path, *url}) : std::nullopt;
}

Read<void> Reader::verify(Bytes whole) const {
  const std::uint64_t begin = sizeof(Header) + header_.table_size;
  SC_TRY(const Bytes texts, slice(whole, begin, header_.texts_size, "sourcecache.texts"));
  if (texts.size() != whole.size() - begin)
    return bad_value("sourcecache.texts_size", 48, header_.texts_size, whole.size() - begin);
  const std::uint64_t actual = checksum_of(texts);
  if (header_.texts_checksum != actual)
    return bad_value("sourcecache.texts_checksum", 72, header_.texts_checksum, actual);
  std::optional<std::string_view> before;
  for (std::uint32_t i = 0; i < file_count(); ++i) {
    const auto one = file(i);
    if (!one || (before && *before >= one->path)) return bad_value("sourcecache.files", i, i);
    before = one->path;
    if (!one->has_text()) continue;
    SC_TRY(const Bytes packed, slice(whole, one->position, one->packed_size, "sourcecache.text"));
    if (const auto text = unpack(*one, packed); !text) return std::unexpected(text.error());
  }
  for (std::uint32_t i = 0; i < link_count(); ++i)
    if (!link(i)) return bad_value("sourcecache.links", i, i);
  return {};
}

Read<Buffer> unpack(const File& file, Bytes packed) {
  constexpr std::string_view kField = "sourcecache.text";
  if (file.size > kMaxText) return too_large(kField, file.position, file.size, kMaxText);
  if (file.codec == TextCodec::deflate) return decompress(Codec::deflate, packed, file.size, kField);
  if (packed.size() != file.size) return bad_value(kField, file.position, packed.size(), file.size);
  Buffer copy(packed.size());
  if (!packed.empty()) std::memcpy(copy.data(), packed.data(), packed.size());
  return copy;
}

}  // namespace symcached::sourcecache
