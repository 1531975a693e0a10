#pragma once
/// Lines that llvm-symbolizer is asked with: `FILE ADDRESS`, `CODE "file with blanks" 0x12`, `DATA FILE 0x12`,
/// `FILE SYMBOL+OFFSET`, `BUILDID:ID ADDRESS`, and addresses alone where the file is known.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace symcached::app {

struct LlvmQuestion {
  enum class What : std::uint8_t { code, data, frame };
  What what = What::code;
  std::string module;              ///< empty: that of the options
  std::string build_id;            ///< in lowercase hex; then there is no module
  std::string symbol;              ///< empty: an address was asked for
  std::uint64_t offset = 0;        ///< the address, or the offset from the symbol
  std::string_view what_is_wrong;  ///< empty: nothing
};

struct LlvmReading {
  bool has_module = false;      ///< the file is known: lines name none
  bool is_hexadecimal = false;  ///< as addr2line reads numbers; else as C does, and LLVM's 0b and 0o
};

LlvmQuestion read_llvm_question(std::string_view line, const LlvmReading& how);

/// As LLVM reads numbers of unknown base. Nothing if there is anything but a number, or one of more than 64 bits.
std::optional<std::uint64_t> parse_llvm_number(std::string_view text, int base = 0);

/// In lowercase hex; nothing if it is no build id.
std::optional<std::string> parse_build_id(std::string_view text);

}  // namespace symcached::app
