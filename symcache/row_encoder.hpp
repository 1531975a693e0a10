#pragma once
/// Writes the rows of one function as the program that row_decoder.hpp runs. Spec: docs/formats/symcache.md, section 5.
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_writer.hpp"
#include "symcache/format.hpp"

namespace symcached::symcache {

inline constexpr std::uint32_t kFunctionFrame = 0xFFFFFFFF;

/// An inlined call, with everything already turned into what the file holds.
struct EncodedFrame {
  std::uint32_t caller = kFunctionFrame;  ///< index of a frame before this one
  std::uint32_t subprogram = 0;           ///< position in the subprograms section
  std::uint32_t call_file = 0;            ///< FileOperand, as the caller sees it
  std::int64_t call_line = 0;             ///< less the base line of the caller's subprogram
  std::uint32_t call_column = 0;
};

struct EncodedRow {
  std::uint32_t offset = 0;  ///< in units
  std::uint32_t frame = kFunctionFrame;
  std::uint32_t file = 0;  ///< FileOperand, as the frame sees it
  std::int64_t line = 0;   ///< less the base line of the frame's subprogram
  std::uint32_t column = 0;
};

class RowEncoder {
 public:
  explicit RowEncoder(bool has_columns) : has_columns_(has_columns) {}

  /// @param rows  offsets strictly increasing
  void encode(std::span<const EncodedRow> rows, std::span<const EncodedFrame> frames);
  /// Of the last encode(). Restarts only for long functions.
  Bytes program() const { return out_.bytes(); }
  std::span<const Restart> restarts() const { return restarts_; }

 private:
  void put_row(const EncodedRow& row, bool restart);
  void put_tagged(RowOp op, std::uint32_t step, std::int64_t line_change);
  void define_callers(std::uint32_t frame);
  void put_definition(std::uint32_t frame);
  std::uint32_t distance_to(std::uint32_t frame, std::size_t from) const;

  bool has_columns_;
  ByteWriter out_;
  std::vector<Restart> restarts_;
  std::span<const EncodedFrame> frames_;
  std::vector<std::uint32_t> positions_;  // by frame: where it is defined; 0 = not yet
  EncodedRow state_;
};

}  // namespace symcached::symcache
