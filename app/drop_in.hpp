#pragma once
/// The program under other names: a link to it that is called addr2line or llvm-symbolizer behaves as that program.
/// docs/drop-in.md
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace symcached::app {

enum class DropIn : std::uint8_t { gnu_addr2line, llvm_addr2line, llvm_symbolizer };

/// By the name without folders; prefixes and suffixes such as x86_64-linux-gnu-addr2line and llvm-symbolizer-22 count.
std::optional<DropIn> drop_in_of(std::string_view called);

/// @param arguments  the name it was called by first
/// @return exit status
int run_drop_in(DropIn program, std::vector<std::string> arguments);

}  // namespace symcached::app
