#pragma once
/// Answers as llvm-symbolizer prints them, in text and JSON, so that scripts written for it work unchanged.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "symbolize/renderer.hpp"

namespace symcached::symbolize {

/// Function and file:line:column of each frame, innermost first, then the source's lines, then an empty line. `??`
/// stands for the unknown.
void render_llvm_text(const Answered& answered, const TextStyle& style, std::string& out);

/// One object: Address, ModuleName, Symbol[] of Column, Discriminator, FileName, FunctionName, Line, StartAddress,
/// StartFileName, StartLine. No newline. Of .NET, Address is "0x6000004:0x1a", StartAddress is empty, and there may be
/// a Source and a SourceUrl.
void render_llvm_json(const Answered& answered, const TextStyle& style, std::string& out);

/// One object: Address as it was asked for, Error with a Message, ModuleName. No newline.
void render_llvm_json_error(std::string_view address, std::string_view module, std::string_view message,
                            std::string& out);

/// Lines around one, as llvm-symbolizer prints them:
///   11  : int Twice(int n)
///   12 >:   => checked(n * 2);
/// @param count  lines in all; the one asked for is in their middle
std::string numbered_lines(Bytes source, std::uint32_t line, std::uint32_t count);

}  // namespace symcached::symbolize
