#pragma once
/// Rust's first mangling: an Itanium name of identifiers with escapes, the last of which is a hash.
#include <string>
#include <string_view>

namespace symcached::demangle {

/// `_ZN`, then at its end `17h`, 16 hexadecimal digits in lower case and `E`; a suffix from a dot on may follow.
bool is_rust_legacy(std::string_view name);

/// Appends `name`, of which is_rust_legacy() holds, without the hash and with its escapes resolved.
/// @return false, with `out` as it was, if the name is no list of identifiers
bool append_rust_legacy(std::string& out, std::string_view name);

}  // namespace symcached::demangle
