#pragma once
/// Names of methods: a scope that neighbours share, and the method's own part. Spec: docs/formats/ppdbcache.md,
/// section 6.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_writer.hpp"
#include "base/bytes.hpp"
#include "ppdbcache/format.hpp"

namespace symcached::ppdbcache {

/// Two views into the mapping that read as one name. Both empty: the name is not known.
struct MethodName {
  std::string_view scope;  ///< "N.Outer`1.Inner."
  std::string_view own;    ///< "Method[T]"

  bool empty() const { return scope.empty() && own.empty(); }
  std::string text() const { return std::string(scope).append(own); }
};

/// Cuts a name behind its scope.
MethodName cut_name(std::string_view name);

/// Sections of names as they stand in a file.
struct NameSections {
  std::span<const NameBlock> blocks;
  Bytes names;  ///< with the padding
  std::span<const u32le> scopes;
  Bytes text;
  std::uint32_t width = 0;
};

class NameReader {
 public:
  NameReader() = default;
  explicit NameReader(const NameSections& sections) : s_(sections) {}

  /// Rows that may have a name: those below this one.
  std::uint32_t row_limit() const;
  MethodName name(std::uint32_t row) const;
  Read<void> verify() const;

 private:
  std::uint32_t position_of(std::uint32_t row) const;
  bool read_text(std::uint32_t position, std::string_view& out) const;

  NameSections s_;
};

/// Collects names by rising row.
class NameWriter {
 public:
  void put(std::uint32_t row, std::string_view name);
  bool empty() const { return positions_.empty(); }
  std::uint64_t text_size() const { return text_.size(); }

  /// Bytes that hold any position.
  std::uint32_t width() const;
  void put_names(ByteWriter& out) const;
  ByteWriter blocks, scopes;
  Bytes text() const { return text_.bytes(); }
  /// Completes `blocks`.
  void finish();

 private:
  struct Slot {
    std::uint32_t hash = 0, position = 0;  ///< position 0 = free
  };
  std::uint32_t intern(std::string_view text);
  std::string_view text_at(std::uint32_t position) const;
  void grow();
  void close_block();

  std::vector<std::uint32_t> positions_;  // by row
  ByteWriter text_;
  std::vector<Slot> slots_;
  std::size_t used_ = 0;
  std::uint32_t scope_ = 0;  // position of the current one
  std::uint32_t block_ = 0, scopes_before_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace symcached::ppdbcache
