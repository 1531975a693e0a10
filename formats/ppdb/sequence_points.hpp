#pragma once
/// Sequence points of one method: which place in the source an IL offset comes from.
/// Spec: Portable PDB v1.0, "Sequence Points Blob"; docs/formats/portable_pdb.md.
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "formats/ppdb/blob.hpp"

namespace symcached::ppdb {

inline constexpr std::uint32_t kMaxIlOffset = 0x20000000;  ///< exclusive, as is every limit here
inline constexpr std::uint32_t kMaxLine = 0x20000000;
inline constexpr std::uint32_t kMaxColumn = 0x10000;
inline constexpr std::uint32_t kHiddenLine = 0xFEEFEE;  ///< the line number that stands for "no line"

/// From this offset up to that of the next point the code comes from here.
struct SequencePoint {
  std::uint32_t il_offset = 0;   ///< bytes into the method's IL; grows from point to point
  std::uint32_t document = 0;    ///< row; valid
  std::uint32_t start_line = 0;  ///< 1-based; 0 if hidden
  std::uint32_t end_line = 0;    ///< not below start_line
  std::uint32_t start_column = 0;
  std::uint32_t end_column = 0;
  bool hidden = false;  ///< code that a debugger steps over: it has no place in the source

  bool operator==(const SequencePoint&) const = default;
};

/// Forward decoder over a view: for (SequencePoint p; points.next(p);) …; then look at error().
class SequencePoints {
 public:
  /// @param document   of the method's row; 0 = the blob itself says in which one it starts
  /// @param documents  rows that there are
  /// @param base       where the blob lies in the file, for errors
  SequencePoints(Bytes blob, std::uint32_t document, std::uint32_t documents, std::uint64_t base = 0)
      : in_(blob), document_(document), documents_(documents), base_(base) {
    if (in_.at_end()) return;
    local_signature_ = in_.number();
    if (document_ == 0) document_ = in_.number();
    if (in_.failed()) fail("ppdb.sequence_points.header");
    else if (document_ - 1 >= documents_) fail("ppdb.sequence_points.document");
  }

  /// @return false at the end, and at the first point that breaks the rules: see error()
  /// Cost: 5 to 10 ns.
  bool next(SequencePoint& point) {
    if (in_.at_end()) return false;
    std::uint32_t delta = in_.number();
    if (started_) {
      while (delta == 0) [[unlikely]]
        if (!next_document(delta)) return false;
      il_offset_ += delta;
    } else {
      il_offset_ = delta;
      started_ = true;
    }
    const std::uint32_t lines = in_.number();
    const std::uint32_t columns = lines == 0 ? in_.number() : static_cast<std::uint32_t>(in_.signed_number());
    point.il_offset = il_offset_;
    point.document = document_;
    if (lines == 0 && columns == 0) {
      set_hidden(point);
      if (in_.failed() || il_offset_ >= kMaxIlOffset) [[unlikely]]
        return fail("ppdb.sequence_points.il_offset");
      return true;
    }
    if (visible_) {  // sums of numbers below 2^29 and signed ones of 29 bits: what is negative wraps to above all
                     // limits
      line_ += static_cast<std::uint32_t>(in_.signed_number());
      column_ += static_cast<std::uint32_t>(in_.signed_number());
    } else {
      line_ = in_.number();
      column_ = in_.number();
      visible_ = true;
    }
    point.start_line = line_;
    point.end_line = line_ + lines;
    point.start_column = column_;
    point.end_column = column_ + columns;
    point.hidden = false;
    if (line_ == kHiddenLine) [[unlikely]]
      set_hidden(point);
    if (in_.failed() || il_offset_ >= kMaxIlOffset || (line_ | (line_ + lines)) >= kMaxLine ||
        (column_ | (column_ + columns)) >= kMaxColumn) [[unlikely]]
      return fail("ppdb.sequence_points.point");
    return true;
  }

  /// What ended the points before their time.
  const std::optional<ReadError>& error() const { return error_; }
  /// Row of the table StandAloneSig, for readers that have the assembly; 0 = the method has no local variables.
  std::uint32_t local_signature() const { return local_signature_; }

 private:
  /// Takes the rest of a document record and the IL delta behind it.
  bool next_document(std::uint32_t& delta) {
    document_ = in_.number();
    if (in_.failed()) return fail("ppdb.sequence_points.point");
    if (document_ - 1 >= documents_) return fail("ppdb.sequence_points.document");
    if (in_.at_end()) return fail("ppdb.sequence_points.point");
    delta = in_.number();
    return true;
  }
  static void set_hidden(SequencePoint& point) {
    point.start_line = point.end_line = point.start_column = point.end_column = 0;
    point.hidden = true;
  }
  bool fail(std::string_view field) {
    error_ = ReadError{ReadError::Kind::bad_value, base_ + in_.position(), field, 0, 0};
    in_.fail();
    return false;
  }

  BlobCursor in_;
  std::uint32_t il_offset_ = 0, line_ = 0, column_ = 0;
  std::uint32_t document_, documents_;
  std::uint32_t local_signature_ = 0;
  bool started_ = false, visible_ = false;
  std::uint64_t base_;
  std::optional<ReadError> error_;
};

}  // namespace symcached::ppdb
