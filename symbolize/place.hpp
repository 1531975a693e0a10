#pragma once
/// What is asked of a module, and how people write it.
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>

#include "model/module.hpp"

namespace symcached::symbolize {

/// A method of .NET and an offset in its IL.
struct MethodPlace {
  std::uint32_t row = 0;        ///< of MethodDef, 1-based
  std::uint32_t il_offset = 0;  ///< bytes
  bool operator==(const MethodPlace&) const = default;
};

/// In native code an address, in .NET code a place in a method.
using Place = std::variant<model::Rva, MethodPlace>;

/// Hexadecimal with or without 0x, as every tool prints addresses.
std::optional<std::uint64_t> parse_address(std::string_view text);

/// `4:26`, `4:0x1a`, `0x06000004:0x1a`: decimal, or hexadecimal behind 0x. The method is a row or a MethodDef token.
std::optional<MethodPlace> parse_method_place(std::string_view text);

}  // namespace symcached::symbolize
