#pragma once
/// Reads Go's table of functions, `.gopclntab`, in place: names, files, lines and inlined calls for every address.
/// Spec: docs/formats/gopclntab.md.
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/bytes.hpp"

namespace symcached::go {

/// The first release of Go that writes a table so. The magic number tells them apart.
enum class Form : std::uint8_t { go1_2, go1_16, go1_18, go1_20 };

inline constexpr std::uint32_t kMagics[] = {0xFFFFFFFB, 0xFFFFFFFA, 0xFFFFFFF0, 0xFFFFFFF1};  ///< by Form
inline constexpr std::size_t kMaxText = 1u
                                        << 16;  ///< longer names and paths are cut here; 564 bytes is the longest met

/// What the file around the table says of itself.
struct Container {
  std::uint8_t pointer_size = 8;  ///< 4 or 8
  bool big_endian = false;

  template <std::integral T>
  T load(const std::byte* at) const {
    std::make_unsigned_t<T> value;
    std::memcpy(&value, at, sizeof(value));
    if (big_endian != (std::endian::native == std::endian::big)) value = std::byteswap(value);
    return static_cast<T>(value);
  }
  std::uint64_t load_word(const std::byte* at) const {
    return pointer_size == 8 ? load<std::uint64_t>(at) : load<std::uint32_t>(at);
  }
};

/// A row of the list of functions. Its code ends where the next one's starts, or before.
struct Entry {
  std::uint64_t pc = 0;        ///< an address; from go1_18 on bytes from runtime.text
  std::uint64_t function = 0;  ///< where its record is, from the table's start
};

/// What one function's record says.
struct Function {
  std::uint64_t entry = 0;             ///< as Entry::pc; garble hides it
  std::uint32_t name = 0;              ///< for Table::name
  std::uint32_t pcfile = 0, pcln = 0;  ///< for Table::values; 0 = none
  std::uint32_t unit = 0;              ///< for Table::file; none before go1_16
  std::uint32_t pcdata_count = 0, funcdata_count = 0;
  std::uint64_t pcdata = 0, funcdata = 0;  ///< where the arrays are, from the table's start
};

/// Walks one table of values: each holds from the end of the one before (at first, from the function's entry).
class PcValues {
 public:
  PcValues() = default;
  PcValues(Bytes table, std::uint32_t at, std::uint8_t quantum);

  /// @return false at the end, which is also where the table cannot be right
  bool next();
  std::uint64_t end() const { return end_; }  ///< bytes from the function's entry, rising
  std::int32_t value() const { return static_cast<std::int32_t>(value_); }

 private:
  bool varint(std::uint32_t& out);

  const std::byte* at_ = nullptr;
  const std::byte* behind_ = nullptr;
  std::uint32_t value_ = 0xFFFFFFFF;
  std::uint8_t quantum_ = 1;
  bool first_ = true;
  std::uint64_t end_ = 0;
};

/// An opened table; views into bytes it does not own.
class Table {
 public:
  /// @param bytes      from the table's start to the end of the section or segment that holds it
  /// @param any_magic  the section's name says what it is: garble changes the magic number, as later releases may
  /// Cost: the header and a few records.
  static Read<Table> open(Bytes bytes, Container container, bool any_magic = false);
  /// Entries rise. Cost: one pass over the list of functions.
  Read<void> check_order() const;

  Form form() const { return form_; }
  Container container() const { return container_; }
  bool known_magic() const { return known_magic_; }
  std::uint8_t quantum() const { return quantum_; }  ///< bytes: what addresses of instructions are multiples of
  bool has_offsets() const { return form_ >= Form::go1_18; }    ///< entries are bytes from runtime.text
  std::uint64_t text_start() const { return text_start_; }      ///< go1_18 and go1_20; 0 = not stated
  std::uint64_t functions_at() const { return functions_at_; }  ///< of the list, from the table's start
  Bytes bytes() const { return all_; }

  std::uint32_t size() const { return count_; }
  Entry entry(std::uint32_t index) const;  ///< @param index  below size()
  std::uint64_t end_pc() const { return field(functions_at_ + std::uint64_t{2} * count_ * field_size_); }
  Read<Function> function(const Entry& entry) const;

  /// Empty where there is none.
  std::string_view name(std::uint32_t offset) const { return text_at(names_, offset); }
  std::uint64_t name_bytes() const { return names_.size(); }
  PcValues values(std::uint32_t offset) const { return offset == 0 ? PcValues() : PcValues(values_, offset, quantum_); }
  /// Where pcfile's value `number` stands in a table of the module's files; nothing if it names none.
  std::optional<std::uint64_t> file_slot(const Function& function, std::int32_t number) const;
  std::uint64_t file_slots() const { return files_.size() / 4; }
  std::string_view file(std::uint64_t slot) const;  ///< @param slot  below file_slots()

  std::uint32_t pcdata(const Function& function, std::uint32_t index) const;  ///< for values(); 0 = none
  /// An address; from go1_18 on bytes from go:func.*; nothing = none.
  std::optional<std::uint64_t> funcdata(const Function& function, std::uint32_t index) const;
  /// What follows the last function's record: since Go 1.26 go:func.* does, aligned to 8 bytes.
  std::uint64_t records_end() const;

 private:
  Read<void> read_header();
  Read<void> read_old_header();
  void vote_for_counts();
  std::uint64_t field(std::uint64_t at) const {
    return field_size_ == 8 ? container_.load<std::uint64_t>(all_.data() + at)
                            : container_.load<std::uint32_t>(all_.data() + at);
  }
  std::uint64_t header_word(unsigned index) const {
    return container_.load_word(all_.data() + 8 + std::size_t{index} * container_.pointer_size);
  }
  static std::string_view text_at(Bytes from, std::uint64_t offset);

  Bytes all_, names_, files_, paths_, values_;
  Container container_;
  Form form_ = Form::go1_20;
  bool known_magic_ = true;
  bool counts_last_ = true;  ///< go1_2: the number of funcdata is the last byte of its word (Go 1.12), not all of it
  std::uint8_t quantum_ = 1;
  std::uint8_t field_size_ = 4;  ///< bytes of a number in the list of functions
  std::uint32_t count_ = 0;
  std::uint64_t text_start_ = 0, functions_at_ = 0, records_base_ = 0;
};

/// The next table in `region` at or behind `from`, a multiple of 4; nothing if there is none.
/// @param any_magic  what looks like a table but for its magic number is one
/// Cost: one pass; for up to 64 places that look like it their list of functions.
std::optional<Table> find_table(Bytes region, Container container, bool any_magic);

}  // namespace symcached::go
