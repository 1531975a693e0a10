#pragma once
/// Identities of modules: GUID, age, debug_id, code_id. Parse, print, compare; nothing else.
#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace symcached {

/// 16 bytes in print order: the first three fields are stored most significant byte first, whatever the file did.
struct Guid {
  std::array<std::uint8_t, 16> bytes{};

  auto operator<=>(const Guid&) const = default;
  bool is_zero() const { return *this == Guid{}; }

  /// From the 16 bytes of a Windows GUID on disk (first three fields little-endian).
  static Guid from_windows(const std::array<std::uint8_t, 16>& disk);
  /// Accepts the five spellings .NET knows, in any case: N (32 digits), D (dashed), B ({}), P (()), X ({0x…,{…}}).
  static std::optional<Guid> parse(std::string_view text);

  std::string hex_upper() const;  ///< 32 digits, "3249D99D0C4049318610F4E4FB0B6936"
  std::string hex_lower() const;
  std::string dashed() const;  ///< lower case, 8-4-4-4-12
};

/// Names a debug file: guid + age. Age is printed in lower-case hex as symbol servers have it.
struct DebugId {
  Guid guid;
  std::uint32_t age = 0;

  auto operator<=>(const DebugId&) const = default;
  /// Either form, in any case; dashes may be left out, and so may an age of 0.
  static std::optional<DebugId> parse(std::string_view text);

  /// Breakpad's form: 32 upper-case digits, then the age in hex ("3249D99D0C4049318610F4E4FB0B69361a" with age:x).
  std::string breakpad() const;
  /// Symbolicator's form: dashed lower-case guid, "-", age in hex; the age left out when it is 0.
  std::string dashed() const;
};

/// Names a PE executable: "%08X%x" of TimeDateStamp and SizeOfImage.
std::string pe_code_id(std::uint32_t timestamp, std::uint32_t image_size);

}  // namespace symcached
