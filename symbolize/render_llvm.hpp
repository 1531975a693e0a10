#pragma once
/// Frames as llvm-symbolizer prints them, in text and JSON, so that scripts written for it work unchanged.
#include <cstdint>
#include <optional>
#include <string>

#include "demangle/demangle.hpp"
#include "symcache/reader.hpp"

namespace symcached::symbolize {

enum class FunctionNames : std::uint8_t {
  readable,  ///< qualified names of PDBs, linkage names of others, demangled
  brief,     ///< the same without parameters
  linkage,   ///< linkage names, demangled
  none,
};

struct FrameText {
  FunctionNames names = FunctionNames::readable;
  bool inlines = true;
  bool demangle = true;
  demangle::Detail detail = demangle::Detail::full;  ///< of demangled names; `brief` names have no parameters anyway
  bool basenames = false;                            ///< files without their folders
  std::string_view linkage_name;  ///< of the function found, when names are linkage names; empty = unknown
};

/// Function and file:line:column of each frame, innermost first, then an empty line. `??` stands for the unknown.
void append_text(const std::optional<symcache::Found>& found, const FrameText& how, std::string& out);

/// What was asked.
struct Question {
  std::uint64_t address;
  std::uint64_t image_base;  ///< what `address` counts from; added to the starts in the answer
  std::string_view module;
};

/// One object: Address, ModuleName, Symbol[] of Column, Discriminator, FileName, FunctionName, Line, StartAddress,
/// StartFileName, StartLine. No newline.
void append_json(const Question& question, const std::optional<symcache::Found>& found, const FrameText& how,
                 std::string& out);

/// A frame of .NET.
struct ManagedFrame {
  std::uint32_t token = 0, il_offset = 0;  ///< what was asked
  bool is_known = false;                   ///< there is something to say
  std::string_view function, file;         ///< empty = unknown
  std::uint32_t line = 0, column = 0;      ///< 1-based; 0 = unknown
  std::string source;                      ///< the lines around, ready to print; empty = none
  std::string url;                         ///< of the file; empty = not known
};
void append_text(const ManagedFrame& frame, bool with_name, bool basenames, std::string& out);
/// The same object; its Address is "0x6000004:0x1a", there are no starts, and there may be a Source and a SourceUrl.
void append_json(const ManagedFrame& frame, std::string_view module, bool basenames, std::string& out);

/// One object: Address as it was asked for, Error with a Message, ModuleName. No newline.
void append_json_error(std::string_view address, std::string_view module, std::string_view message, std::string& out);

}  // namespace symcached::symbolize
