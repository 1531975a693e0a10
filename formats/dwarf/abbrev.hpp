#pragma once
/// Abbreviation tables, compiled: each declaration becomes a short program that steps over an entry or picks out the
/// attributes wanted here. DWARF 5, section 7.5.3.
///
/// Most entries of .debug_info are types and variables. Runs of attributes of fixed size become one step, so that such
/// an entry costs one addition.
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "formats/dwarf/constants.hpp"

namespace symcached::dwarf {

/// The attributes that a reader can ask for.
enum class Slot : std::uint8_t {
  name,
  linkage_name,
  low_pc,
  high_pc,
  ranges,
  entry_pc,
  abstract_origin,
  specification,
  call_file,
  call_line,
  call_column,
  stmt_list,
  comp_dir,
  language,
  str_offsets_base,
  addr_base,
  rnglists_base,
  gnu_ranges_base,
  dwo_name,
  dwo_id,
  count,
  none = 0xFF,
};

/// How the sizes of forms come out in one unit.
struct Encoding {
  std::uint16_t version = 0;
  std::uint8_t address_size = 8;
  std::uint8_t offset_size = 4;
  bool operator==(const Encoding&) const = default;
};

struct Step {
  enum class Kind : std::uint8_t {
    fixed,   ///< step over `operand` bytes
    leb,     ///< step over a LEB128 number
    text,    ///< over a text and its NUL
    block1,  ///< over a block behind its length of 1, 2 or 4 bytes, or LEB128
    block2,
    block4,
    block,
    read,        ///< an attribute of form `form`
    read_fixed,  ///< the same, of a form that is a number of `operand` bytes
    implicit,    ///< an attribute whose value `operand` stands in the declaration, not in the entry
    indirect,    ///< the form stands in the entry
  } kind = Kind::fixed;
  Slot slot = Slot::none;
  Form form = Form::none;
  std::uint64_t operand = 0;
};

inline constexpr std::uint16_t kNoSibling = 0xFFFF;

struct Abbrev {
  Tag tag = Tag::none;
  bool has_children = false;
  bool is_code = false;                ///< a subprogram or an inlined call that has addresses
  bool all_fixed = false;              ///< the entry is `fixed_size` bytes, whatever it holds
  std::uint16_t sibling = kNoSibling;  ///< of types: byte of the entry where DW_AT_sibling stands, a ref4
  std::uint32_t fixed_size = 0;
  std::uint32_t first_step = 0, step_count = 0;  ///< to read the entry
  std::uint32_t first_skip = 0, skip_count = 0;  ///< to step over it
};

/// Bytes of one table; those of the largest programs have some ten thousand.
inline constexpr std::uint64_t kMaxAbbrevTable = 1u << 20;

class AbbrevTable {
 public:
  /// Of attributes that a declaration names twice, and of declarations that share a code, the first counts.
  /// @param at  where the table starts in .debug_abbrev
  static Read<AbbrevTable> read(Bytes section, std::uint64_t at, const Encoding& encoding);

  /// Null: no declaration has this code.
  const Abbrev* find(std::uint64_t code) const {
    if (code - 1 < dense_.size()) [[likely]]
      return &dense_[code - 1];
    return find_sparse(code);
  }
  std::uint64_t bytes() const { return bytes_; }  ///< the table takes in its section
  std::span<const Step> steps(const Abbrev& abbrev) const {
    return std::span(steps_).subspan(abbrev.first_step, abbrev.step_count);
  }
  std::span<const Step> skips(const Abbrev& abbrev) const {
    return std::span(steps_).subspan(abbrev.first_skip, abbrev.skip_count);
  }

 private:
  const Abbrev* find_sparse(std::uint64_t code) const;

  std::vector<Abbrev> dense_;  // by code less 1, for codes 1, 2, 3, … in order, as all producers number them
  std::vector<std::pair<std::uint64_t, Abbrev>> sparse_;  // the others, sorted by code
  std::vector<Step> steps_;
  std::uint64_t bytes_ = 0;
};

/// Whether entries may name entries of other units of the section: some declaration has DW_FORM_ref_addr, or a form
/// that only the entry tells, or cannot be read.
/// @param section  .debug_abbrev, all tables one after the other
/// Cost: one pass up to the first of them.
bool may_name_other_units(Bytes section);

/// Forms of DWARF 2 to 5 and those of GCC and LLVM that are read here.
bool is_known(Form form);

/// Bytes an attribute of this form takes, for forms of fixed size; -1 for others.
int fixed_size_of(Form form, const Encoding& encoding);

}  // namespace symcached::dwarf
