#pragma once
/// Writes records of functions once all positions are known. Spec: docs/formats/symcache.md, section 5.
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_writer.hpp"
#include "symcache/function_store.hpp"
#include "symcache/interner.hpp"
#include "symcache/row_encoder.hpp"
#include "symcache/subprograms.hpp"

namespace symcached::symcache {

/// All functions with one start: the one that gives the name and the rows, and the other names.
struct FunctionGroup {
  const StoredFunction* primary = nullptr;
  std::span<const StoredFunction> aliases;
  std::uint32_t enclosing_distance = 0;  ///< groups back to the function this one starts inside of; 0 = none
  std::size_t first_frame = 0;           ///< in RecordSources::frame_subprograms: the function, then its inlinees
};

/// What records refer to. Shared by threads, and outlives their writers.
struct RecordSources {
  const FunctionStore& store;
  const Subprograms& subprograms;
  std::span<const std::uint32_t> frame_subprograms;  ///< indices of subprograms
  std::span<const std::uint32_t> file_operands;      ///< FileOperand by text id
  std::span<const std::uint32_t> name_positions;     ///< in the names section, by text id without parameters
  const Interner& texts;
};

/// For one thread: working memory that is used again from function to function.
class RecordWriter {
 public:
  explicit RecordWriter(const RecordSources& sources)
      : sources_(sources), encoder_(sources.store.has_columns()), unit_(sources.store.offset_unit()) {}

  void put(const FunctionGroup& group, ByteWriter& out);

 private:
  void put_aliases(const FunctionGroup& group, ByteWriter& out) const;
  void encode_rows(const FunctionGroup& group);
  std::uint32_t file_operand(model::StringId file, const Subprogram& seen_from) const;

  const RecordSources& sources_;
  RowEncoder encoder_;
  std::uint32_t unit_;
  std::vector<model::Inlinee> frames_;
  std::vector<model::Line> rows_;
  std::vector<EncodedFrame> encoded_frames_;
  std::vector<EncodedRow> encoded_rows_;
};

}  // namespace symcached::symcache
