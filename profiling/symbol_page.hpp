#pragma once
/// What addresses are called: the page that google-pprof and `go tool pprof` ask after they have a profile.
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/naming/naming.hpp"
#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// Addresses in hexadecimal digits of either case, with or without 0x, and with anything but letters and digits between
/// them; "%2B" and its like separate, too. All else is skipped.
std::vector<std::uintptr_t> parse_addresses(std::string_view text);

struct SymbolOptions {
  bool demangle = false;
  bool inlines = false;  ///< "outer--inner", which google-pprof shows as two frames and others as one name
};

/// A line "0x1234<tab>name" for each address that has one.
/// @return refused with 413 for more addresses or names than fit into memory, with 503 when it is stopped
Answer<std::string> symbol_lines(std::string_view addresses, Naming& naming, SymbolOptions options,
                                 const std::stop_token& stop);

}  // namespace symcached::pprof
