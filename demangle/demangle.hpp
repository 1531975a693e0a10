#pragma once
/// Decorated names to what a person wrote.
#include <cstdint>
#include <string>
#include <string_view>

namespace symcached::demangle {

enum class Scheme : std::uint8_t { none, itanium, msvc, rust_legacy, rust_v0, d, swift, objc };
std::string_view name_of(Scheme scheme);

/// By the first characters alone, leading underscores of Mach-O and x86 Windows allowed.
Scheme scheme_of(std::string_view name);

enum class Detail : std::uint8_t {
  full,           ///< ns::Class::method(int, char const*) const
  no_parameters,  ///< ns::Class::method
};

/// The demangled name; the name itself where it is not mangled, cannot be demangled or would pass the bounds.
/// Clone suffixes stay visible as LLVM shows them: `f(int) (.cold)`.
/// Time and output are bounded for hostile names: at most kMaxOutput bytes.
std::string demangle(std::string_view name, Detail detail = Detail::full);
inline constexpr std::size_t kMaxInput = 1u << 16;  ///< longer names stay as they are
inline constexpr std::size_t kMaxOutput = 1u << 20;

}  // namespace symcached::demangle
