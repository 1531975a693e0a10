#pragma once
/// A sourcecache of the store, open: its table in memory, texts read one by one.
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/buffer.hpp"
#include "object/managed/source_link.hpp"
#include "sourcecache/reader.hpp"
#include "store/lookup.hpp"

namespace symcached::service {

/// Reads, not maps: nobody who cuts or changes a file of the cache directory hurts who looks something up. Safe to use
/// from any thread.
class SourceTable {
 public:
  /// @return the table, or a sentence. Cost: reads the table, which has a hundred bytes for each source file, about.
  static std::expected<std::shared_ptr<const SourceTable>, std::string> open(std::shared_ptr<const store::Entry> entry);

  /// Has texts, or knows where they are.
  bool has_sources() const { return cache_.file_count() != 0; }
  bool has_links() const { return has_urls_ || !link_.rules().empty(); }
  std::optional<sourcecache::File> find(std::string_view path) const { return cache_.find(path); }
  /// Where the file can be had, unchecked; nothing if nobody says. @param file  as find() gave it
  std::optional<std::string> url_of(const std::optional<sourcecache::File>& file, std::string_view path) const;
  /// @return the plain text, or a sentence. Cost: one read, and unpacking.
  std::expected<Buffer, std::string> text(const sourcecache::File& file) const;

  const store::Entry& entry() const { return *entry_; }
  std::uint64_t memory() const { return memory_; }  ///< bytes, about

 private:
  SourceTable(std::shared_ptr<const store::Entry> entry, Buffer table)
      : entry_(std::move(entry)), table_(std::move(table)) {}
  std::expected<void, std::string> read();

  const std::shared_ptr<const store::Entry> entry_;
  const Buffer table_;
  sourcecache::Reader cache_;  ///< views table_
  object::SourceLink link_;
  bool has_urls_ = false;
  std::uint64_t memory_ = 0;
};

}  // namespace symcached::service
