#pragma once
/// Symbolizer markup: what its elements say of modules.
#include <string_view>

#include "traces/trace_state.hpp"

namespace symcached::traces {

/// {{{reset}}}, {{{module:...}}}, {{{mmap:...}}}. @return whether the line's first element is one
bool read_markup(std::string_view text, TraceState& state);

}  // namespace symcached::traces
