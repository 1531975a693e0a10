#pragma once
/// Functions on their way into a symcache, packed: a module has a million rows, and most fit in a few bytes each.
#include <cstdint>
#include <vector>

#include "base/byte_writer.hpp"
#include "model/module.hpp"

namespace symcached::symcache {

struct StoredFunction {
  std::uint64_t start = 0;
  std::uint64_t parent = 0;
  std::uint32_t size = 0;
  std::uint32_t rank = 0;
  std::uint32_t name = 0, linkage_name = 0;  ///< text ids
  std::uint32_t chunk = 0, packed = 0;       ///< where its frames and rows are
  std::uint32_t frame_count = 0, row_count = 0;
  model::Language language{};
  model::SymbolKind kind{};
};

/// What is kept of rows and calls. Without columns, rows that differ by their column alone become one.
enum class Columns : bool { drop, keep };

class FunctionStore {
 public:
  explicit FunctionStore(Columns columns = Columns::keep) : columns_(columns) {}

  void add(const model::Function& function);
  /// Takes over another store, whose text ids are numbered otherwise.
  /// @param ids  this store's id by the other's
  void join(FunctionStore&& other, std::vector<std::uint32_t> ids);
  std::vector<StoredFunction>& functions() { return functions_; }
  const std::vector<StoredFunction>& functions() const { return functions_; }

  /// Unpacks into the given vectors, replacing what they hold.
  void unpack(const StoredFunction& function, std::vector<model::Inlinee>& frames,
              std::vector<model::Line>& rows) const;

  bool has_columns() const { return has_columns_; }
  /// Largest of 4, 2 and 1 that divides every row's offset.
  std::uint32_t offset_unit() const { return (offset_bits_ & 1) != 0 ? 1 : (offset_bits_ & 2) != 0 ? 2 : 4; }

 private:
  void add_row(const model::Line& row, std::uint32_t offset_before, ByteWriter& packed);

  struct Chunk {  ///< of packed functions; full ones stay where they are
    ByteWriter packed;
    std::uint32_t ids = 0;  ///< index in ids_
  };
  std::vector<StoredFunction> functions_;
  std::vector<Chunk> chunks_;
  std::vector<std::vector<std::uint32_t>> ids_{
      1};  ///< [0]: this store's own ids, as they are; else ours by a joined one's
  Columns columns_;
  bool has_columns_ = false;
  std::uint32_t offset_bits_ = 0;
};

}  // namespace symcached::symcache
