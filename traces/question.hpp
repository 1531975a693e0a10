#pragma once
/// From a frame in text to what is asked about it.
#include <string>

#include "traces/dialect.hpp"
#include "traces/trace_state.hpp"

namespace symcached::traces {

/// With the ids that the text states, and with the memory map in it applied: an address of the process becomes a place
/// in a file wherever that is known.
FrameQuestion question_of(const Frame& frame, const TraceState& state);

/// The same for equal questions, another for others.
std::string key_of(const FrameQuestion& question);

}  // namespace symcached::traces
