#pragma once
/// Debug ids as Breakpad writes them.
#include <optional>
#include <string_view>

#include "ids/guid.hpp"

namespace symcached {

/// 32 digits and the age in hex, at most 8 digits, in any case; without age digits the age is 0. Nothing for other
/// texts.
std::optional<DebugId> parse_breakpad_id(std::string_view text);

}  // namespace symcached
