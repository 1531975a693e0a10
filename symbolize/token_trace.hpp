#pragma once
/// Stack traces of .NET in text, as Exception.ToString() prints them. Without a PDB at hand, and with ShowILOffsets on,
/// a frame reads
///   at App.Shop.Buy[T](T what, Int32 count) in app.dll:token 0x6000004+0x1a
/// and with one
///   at App.Shop.Buy[T](T what, Int32 count) in /src/Shop.cs:line 12
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace symcached::symbolize {

/// A frame that has a token. Views into the line.
struct TokenFrame {
  /// Async methods and iterators are printed under the name and the token of the method a person wrote.
  enum class Member : std::uint8_t {
    method,     ///< the method itself, or the MoveNext of an async method
    move_next,  ///< `+MoveNext()` behind the parameters: of an iterator
    other,      ///< another member of the state machine: nothing is known of it
  };
  std::string_view before;  ///< up to the module: "   at App.Main() in "
  std::string_view module;  ///< name in the metadata: "app.dll"
  std::string_view after;   ///< behind the offset: blanks, a carriage return
  std::uint32_t row = 0;    ///< of MethodDef
  std::uint32_t il_offset = 0;
  Member member = Member::method;
};

/// @param line  without its newline
/// @return nothing for any other line, such as a frame of a dynamic method, whose token is of another table
/// Cost: looks at the line from its end.
std::optional<TokenFrame> parse_token_frame(std::string_view line);

/// The frame as .NET prints it when it knows the line.
std::string resolved_line(const TokenFrame& frame, std::string_view file, std::uint32_t line);

}  // namespace symcached::symbolize
