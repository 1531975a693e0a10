#include "sourcecache/writer.hpp"

#include <algorithm>
#include <utility>

#include "sourcecache/checksum.hpp"

namespace symcached::sourcecache {

bool Writer::has_room(std::size_t record, std::size_t strings) const {
  const std::uint64_t table =
      files_.size() * sizeof(FileRecord) + links_.size() * sizeof(LinkRecord) + strings_.size() + record + strings;
  return table <= kMaxTable;
}

StringRef Writer::put_string(std::string_view text) {
  const StringRef ref{static_cast<std::uint32_t>(strings_.size()), static_cast<std::uint32_t>(text.size())};
  strings_.put_text(text);
  return ref;
}

void Writer::file(const NewFile& file) {
  const bool has_text = file.codec != TextCodec::none;
  const bool fits = !file.path.empty() && file.path.size() <= kMaxString && file.url.size() <= kMaxString &&
                    file.size <= kMaxText && file.packed.size() <= kMaxText && files_.size() < kMaxFiles &&
                    has_room(sizeof(FileRecord), file.path.size() + file.url.size());
  if (!fits || (!has_text && file.url.empty())) return void(++left_out_);
  FileRecord record{};
  record.path = put_string(file.path);
  record.url = put_string(file.url);
  record.codec = static_cast<std::uint8_t>(file.codec);
  if (has_text) {
    record.position = texts_.size();
    record.packed_size = static_cast<std::uint32_t>(file.packed.size());
    record.size = static_cast<std::uint32_t>(file.size);
    texts_.put_bytes(file.packed);
  }
  files_.push_back({std::string(file.path), record});
}

void Writer::link(std::string_view path, std::string_view url) {
  if (path.size() > kMaxString || url.size() > kMaxString || links_.size() >= kMaxLinks ||
      !has_room(sizeof(LinkRecord), path.size() + url.size()))
    return void(++left_out_);
  const StringRef path_ref = put_string(path);
  links_.push_back({path_ref, put_string(url)});
}

std::vector<std::byte> Writer::finish() && {
  std::ranges::stable_sort(files_, {}, &File::path);
  const auto repeated = std::ranges::unique(files_, {}, &File::path);
  files_.erase(repeated.begin(), repeated.end());
  ByteWriter out;
  out.reserve(sizeof(Header) + files_.size() * sizeof(FileRecord) + strings_.size() + texts_.size());
  out.put(Header{});
  for (const File& file : files_) out.put(file.record);
  out.put_bytes(std::as_bytes(std::span(links_)));
  out.put_bytes(strings_.bytes());
  Header header{};
  header.magic = kMagic;
  header.version = kFormatVersion;
  header.file_count = static_cast<std::uint32_t>(files_.size());
  header.link_count = static_cast<std::uint32_t>(links_.size());
  header.guid = debug_id_.guid.bytes;
  header.age = debug_id_.age;
  header.table_size = out.size() - sizeof(Header);
  header.texts_size = texts_.size();
  header.table_checksum = checksum_of(out.bytes().subspan(sizeof(Header)));
  header.texts_checksum = checksum_of(texts_.bytes());
  header.header_checksum = checksum_of(std::as_bytes(std::span(&header, 1)));
  out.patch(0, header);
  out.put_bytes(texts_.bytes());
  return std::move(out).finish();
}

}  // namespace symcached::sourcecache
