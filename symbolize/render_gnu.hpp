#pragma once
/// Answers byte by byte as GNU addr2line prints them.
#include <cstdint>
#include <span>
#include <string>

#include "symbolize/module.hpp"

namespace symcached::symbolize {

struct GnuStyle {
  bool addresses = false, functions = false, inlines = false, pretty = false, basenames = false;
  bool narrow = false;         ///< addresses have 32 bits
  bool nameless_file = false;  ///< a file is known, but its name is empty
};

/// @param frames  innermost first; none: unknown. Names are printed as they are.
void render_gnu(std::uint64_t address, std::span<const Frame> frames, const GnuStyle& style, std::string& out);

/// As `addr2line -C` shows a name: by the rules of GNU's demangler, which has blanks and words where LLVM's has others.
/// The name itself where it is not mangled or would pass the bounds of demangle::demangle.
std::string demangled_by_gnu(std::string_view name);

}  // namespace symcached::symbolize
