#include "profiling/demangle.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace symcached::pprof {
namespace {

/// Bytes. Longer names are data that somebody made up: the demangler of the C++ library recurses over them.
constexpr std::size_t kLongest = 4096;

}  // namespace

std::string readable_name(const std::string& linkage_name) {
  if (!linkage_name.starts_with("_Z") || linkage_name.size() > kLongest) return linkage_name;
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  int status = 0;
  const std::unique_ptr<char, Free> text(abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status));
  return status == 0 && text != nullptr ? std::string(text.get()) : linkage_name;
}

}  // namespace symcached::pprof
