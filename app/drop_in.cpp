#include "app/drop_in.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "app/gnu_addr2line.hpp"
#include "app/llvm_symbolizer.hpp"
#include "base/path_text.hpp"

namespace symcached::app {

std::optional<DropIn> drop_in_of(std::string_view called) {
  const std::string_view name = last_path_part(called);
  if (name.find("llvm-symbolizer") != name.npos) return DropIn::llvm_symbolizer;
  if (name.find("llvm-addr2line") != name.npos) return DropIn::llvm_addr2line;
  if (name.find("addr2line") != name.npos) return DropIn::gnu_addr2line;
  return std::nullopt;
}

int run_drop_in(DropIn program, std::vector<std::string> arguments) {
  const std::string name = arguments.front();
  int status = 1;
  try {
    status = program == DropIn::gnu_addr2line
                 ? run_gnu_addr2line(std::move(arguments))
                 : run_llvm_symbolizer(std::move(arguments), program == DropIn::llvm_addr2line);
  } catch (const std::exception& error) {  // no memory
    fmt::print(stderr, "{}: {}\n", name, error.what());
  }
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
  fmt::print(stderr, "{}: cannot write output: {}\n", name, std::strerror(errno == 0 ? EIO : errno));
  return 1;
}

}  // namespace symcached::app
