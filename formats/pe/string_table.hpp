#pragma once
/// The COFF string table: names longer than the eight bytes that section headers and symbols have room for.
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"

namespace symcached::pe {

/// Bytes of a section's long name; one that is longer stays as its number. Bounds the work on hostile tables.
inline constexpr std::size_t kMaxSectionName = 256;
/// Bytes of a symbol's name; the rest of a longer one is left out.
inline constexpr std::size_t kMaxSymbolName = 1u << 16;

std::string_view up_to_nul(std::string_view text);

/// A view; lives as long as the file.
class StringTable {
 public:
  StringTable() = default;
  /// The table at `offset`. Stripping removes it, so one that is not inside the file is an empty one.
  StringTable(Bytes file, std::uint64_t offset);

  std::size_t size() const { return bytes_.size(); }
  /// The NUL-terminated text at `offset`; nothing if there is none of at most `longest` bytes.
  std::optional<std::string_view> text_at(std::uint64_t offset, std::size_t longest) const;
  /// The same, ended after `longest` bytes or with the table.
  std::string_view start_of_text_at(std::uint64_t offset, std::size_t longest) const;
  /// The field with "/123" and "//BASE64" resolved; as it is if the table does not hold the name.
  /// @param field  by reference into the file: short names are viewed in place
  std::string_view section_name(const std::array<char, 8>& field) const;

 private:
  Bytes bytes_;  ///< with the 4-byte size they begin with
};

}  // namespace symcached::pe
