#pragma once
/// The program as GNU addr2line: its options, output, messages and exit status. docs/drop-in.md
#include <string>
#include <vector>

namespace symcached::app {

/// @param arguments  the name it was called by first
/// @return exit status
int run_gnu_addr2line(std::vector<std::string> arguments);

}  // namespace symcached::app
