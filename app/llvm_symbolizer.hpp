#pragma once
/// The program as llvm-symbolizer or llvm-addr2line: their options, output, messages and exit status. docs/drop-in.md
#include <string>
#include <vector>

namespace symcached::app {

/// @param arguments     the name it was called by first
/// @param is_addr2line  called llvm-addr2line, whose options have other defaults
/// @return exit status
int run_llvm_symbolizer(std::vector<std::string> arguments, bool is_addr2line);

}  // namespace symcached::app
