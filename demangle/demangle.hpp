#pragma once
/// Decorated names to what a person wrote. What holds for every name, hostile ones too: docs/demangling.md.
#include <cstdint>
#include <string>
#include <string_view>

namespace symcached::demangle {

enum class Scheme : std::uint8_t { none, itanium, msvc, rust_legacy, rust_v0, d, swift, objc };
std::string_view name_of(Scheme scheme);

/// By the first characters alone (and the hash at the end of a Rust name), leading underscores of Mach-O and x86
/// Windows allowed. That a scheme is told does not promise that the name can be demangled: Swift's and Objective-C's
/// stay as they are.
Scheme scheme_of(std::string_view name);

enum class Detail : std::uint8_t {
  full,           ///< ns::Class::method(int, char const*) const
  no_parameters,  ///< ns::Class::method
  symbolicator,   ///< as Sentry's Symbolicator has Itanium names, by which its clients group; all others: full
};
inline constexpr std::size_t kDetails = 3;

/// The demangled name; the name itself where it is not mangled, cannot be demangled or would pass the bounds.
/// Clone suffixes stay visible as LLVM shows them: `f(int) (.cold)`.
/// Time and output are bounded for hostile names: at most kMaxOutput bytes.
std::string demangle(std::string_view name, Detail detail = Detail::full);

/// The same, appended to `out`; for many names, as memory is kept from one to the next (per thread, up to 384 KiB).
void demangle_append(std::string& out, std::string_view name, Detail detail = Detail::full);

/// The name in C of what x86 Windows decorates by its calling convention: `_f` (cdecl), `_f@8` (stdcall), `@f@8`
/// (fastcall), `f@@8` (vectorcall). Others and C++ names (`?...`) come back whole. A view of `name`.
/// Only for names known to be such: `_f` is a good name of its own everywhere else.
std::string_view undecorate_win32(std::string_view name);

inline constexpr std::size_t kMaxInput = 1u << 16;           ///< longer names stay as they are
inline constexpr std::size_t kMaxMicrosoftInput = 1u << 14;  ///< the same for MSVC's, which compilers cut at 4,096
inline constexpr std::size_t kMaxOutput = 1u << 20;

}  // namespace symcached::demangle
