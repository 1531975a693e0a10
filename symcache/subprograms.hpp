#pragma once
/// Functions by name and source file, as rows and inlined calls refer to them. The file's most-used ones come first,
/// and lines are stated from the first line known of each. Spec: docs/formats/symcache.md, section 4.
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_writer.hpp"
#include "base/number_map.hpp"
#include "model/module.hpp"
#include "symcache/interner.hpp"
#include "symcache/text_table.hpp"

namespace symcached::symcache {

struct Subprogram {
  std::uint32_t name = 0;  ///< text id, with parameters if they are known
  std::uint32_t file = 0;  ///< text id; 0 = unknown
  std::uint32_t uses = 0;
  std::uint32_t base_line = 0;  ///< lowest line known
  std::uint32_t position = 0;   ///< in the section, once laid out
};

/// Which subprogram each frame of a function is: [0] the function itself, [i + 1] inlinee i.
class FrameFiles {
 public:
  /// A frame's file is the one of its first row, or of the first call out of it.
  void find(std::span<const model::Inlinee> frames, std::span<const model::Line> rows);
  model::StringId operator[](std::size_t frame) const { return files_[frame]; }

 private:
  std::vector<model::StringId> files_;
};

class Subprograms {
 public:
  /// Counts the frames of one function and lowers base lines to what its rows and calls say.
  /// @return indices for [0] the function itself, [i + 1] inlinee i; valid until the next call
  std::span<const std::uint32_t> collect(std::uint32_t name, std::span<const model::Inlinee> frames,
                                         std::span<const model::Line> rows);
  const Subprogram& at(std::uint32_t index) const { return all_[index]; }
  std::span<const Subprogram> all() const { return all_; }

  /// Indices in the section's order: the most used first, then as they came, which their functions' addresses say.
  std::vector<std::uint32_t> order() const;
  /// Writes the section and remembers positions.
  struct Texts {
    const Interner& ids;
    const TextTable& runs;                          ///< of names without parameters
    std::span<const std::uint32_t> file_operands;   ///< FileOperand by text id
    std::span<const std::uint32_t> name_positions;  ///< in the names section, by text id
  };
  void lay_out(std::span<const std::uint32_t> order, const Texts& texts, ByteWriter& out);

 private:
  std::uint32_t index_of(std::uint32_t name, model::StringId file);
  void lower_base(std::uint32_t index, model::StringId file, std::uint32_t line);

  NumberMap index_;  // name and file to index
  std::vector<Subprogram> all_;
  FrameFiles files_;
  std::vector<std::uint32_t> frames_;
};

}  // namespace symcached::symcache
