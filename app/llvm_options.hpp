#pragma once
/// The command line of llvm-symbolizer and llvm-addr2line.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/asked_file.hpp"
#include "symbolize/llvm_printer.hpp"

namespace symcached::app {

struct LlvmOptions {
  bool is_addr2line = false;
  symbolize::LlvmStyle style;
  symbolize::FunctionNames names = symbolize::FunctionNames::linkage;
  bool inlines = true, demangle = true;
  bool relative_address = false;
  std::uint64_t adjust = 0;  ///< taken off each address
  std::string file, build_id;
  AskedFileOptions files;
  std::vector<std::string> inputs;  ///< none: lines of stdin
  std::optional<int> status;        ///< there is nothing more to do
};

/// @param arguments  the name of the program first
LlvmOptions parse_llvm_options(std::vector<std::string> arguments, bool is_addr2line);

}  // namespace symcached::app
