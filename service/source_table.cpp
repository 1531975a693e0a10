#include "service/source_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "store/reading.hpp"

namespace symcached::service {
namespace {

using Opened = std::expected<std::shared_ptr<const SourceTable>, std::string>;

std::unexpected<std::string> unreadable(const store::Entry& entry, const ReadError& error) {
  return std::unexpected(fmt::format("{}: {}", entry.head().key, to_string(error)));
}

}  // namespace

Opened SourceTable::open(std::shared_ptr<const store::Entry> entry) {
  const std::uint64_t start = std::min<std::uint64_t>(entry->size(), sizeof(sourcecache::Header));
  const auto header = store::read_part(*entry, 0, start);
  if (!header) return std::unexpected(header.error());
  const auto end = sourcecache::table_end(header->bytes());
  if (!end) return unreadable(*entry, end.error());
  auto table = store::read_part(*entry, 0, *end);
  if (!table) return std::unexpected(std::move(table.error()));
  const std::shared_ptr<SourceTable> opened(new SourceTable(std::move(entry), std::move(*table)));
  if (auto read = opened->read(); !read) return std::unexpected(std::move(read.error()));
  return opened;
}

std::expected<void, std::string> SourceTable::read() {
  const auto cache = sourcecache::Reader::open(table_.bytes());
  if (!cache) return unreadable(*entry_, cache.error());
  cache_ = *cache;
  std::vector<object::SourceLink::Rule> rules;
  memory_ = table_.size();
  for (std::uint32_t i = 0; i < cache_.link_count(); ++i) {
    const auto link = cache_.link(i);
    if (!link) continue;
    rules.push_back({std::string(link->path), std::string(link->url)});
    memory_ += 2 * (link->path.size() + sizeof(object::SourceLink::Rule)) + link->url.size();
  }
  link_ = object::SourceLink::of(std::move(rules));
  for (std::uint32_t i = 0; i < cache_.file_count() && !has_urls_; ++i) {
    const auto file = cache_.file(i);
    has_urls_ = file && !file->url.empty();
  }
  return {};
}

std::optional<std::string> SourceTable::url_of(const std::optional<sourcecache::File>& file,
                                               std::string_view path) const {
  if (file && !file->url.empty()) return std::string(file->url);
  return link_.url_of(path);
}

std::expected<Buffer, std::string> SourceTable::text(const sourcecache::File& file) const {
  const auto packed = store::read_part(*entry_, file.position, file.packed_size);
  if (!packed) return std::unexpected(packed.error());
  auto text = sourcecache::unpack(file, packed->bytes());
  if (!text) return unreadable(*entry_, text.error());
  return std::move(*text);
}

}  // namespace symcached::service
