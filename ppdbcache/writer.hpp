#pragma once
/// Collects the methods of an assembly and writes them as a ppdbcache.
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/byte_writer.hpp"
#include "base/bytes.hpp"
#include "model/managed_module.hpp"
#include "ppdbcache/format.hpp"
#include "ppdbcache/names.hpp"
#include "ppdbcache/row_pairs.hpp"

namespace symcached::ppdbcache {

/// Methods go straight into the file being made; what is kept beside it is small.
class Writer final : public model::ManagedSink {
 public:
  /// @param expected_size  of the file, if known: spares its growth. Memory is used only as far as it is written to
  explicit Writer(std::size_t expected_size = 0);

  void module(const model::ManagedModule& module) override { debug_id_ = module.debug_id; }
  std::uint32_t document(const model::ManagedDocument& document) override;
  void method(const model::ManagedMethod& method) override;

  /// @return the file; or the first thing that broke the sink's rules (a row, a point's offset or document, a kick-off
  ///         row: "ppdbcache.method.row"), or was too large for the format. The error's offset is the method's row.
  Read<std::vector<std::byte>> finish() &&;

 private:
  bool check(const model::ManagedMethod& method);
  bool within(std::uint64_t size, std::string_view section);
  void put_points(std::uint32_t row, std::span<const model::ManagedPoint> points);
  void put_large(std::span<const model::ManagedPoint> points);
  void close_block();
  void put_kickoffs(Header& header);
  void put_section(Section& section, Bytes bytes);
  void end_section(Section& section, std::size_t start);

  DebugId debug_id_;
  ByteWriter file_;  // header, points; in finish() the rest
  std::vector<Block> blocks_;
  ByteWriter large_, documents_, paths_;
  NameWriter names_;
  std::vector<RowPair> kickoffs_;
  std::uint32_t last_row_ = 0, document_count_ = 0, method_count_ = 0;
  std::uint64_t point_count_ = 0;
  std::optional<ReadError> error_;

  // of the current block
  std::uint64_t present_ = 0;
  std::uint32_t block_document_ = 0;
  std::array<std::byte, kRowsPerBlock> lengths_;
  std::size_t block_size_ = 0, present_count_ = 0;
  std::vector<std::uint8_t> block_, run_;  // memory that is used again
};

}  // namespace symcached::ppdbcache
