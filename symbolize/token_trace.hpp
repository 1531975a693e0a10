#pragma once
/// Frames of .NET stack traces in text, as Exception.ToString() prints them. Without a PDB at hand, and with
/// ShowILOffsets on, a frame reads
///   at App.Shop.Buy[T](T what, Int32 count) in app.dll:token 0x6000004+0x1a
/// and with one
///   at App.Shop.Buy[T](T what, Int32 count) in /src/Shop.cs:line 12
#include <optional>
#include <string>
#include <string_view>

#include "symbolize/trace.hpp"

namespace symcached::symbolize {

/// Async methods and iterators are printed under the name and the token of the method a person wrote; of the members of
/// their state machines, `+MoveNext()` is known and others are not.
/// @return nothing for any other line, such as a frame of a dynamic method, whose token is of another table
/// Cost: looks at the line from its end.
std::optional<TraceFrame> parse_token_frame(std::string_view line);

/// The frame as .NET prints it when it knows the line.
void append_token_text(const TraceFrame& frame, const Frame& known, std::string& out);

/// module, token, il_offset; and if they are known function, file, line, column.
void append_token_json(const TraceFrame& frame, const Frame* known, std::string& out);

}  // namespace symcached::symbolize
