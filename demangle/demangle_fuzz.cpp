#include <cstdint>
#include <cstdlib>

#include "demangle/demangle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached::demangle;
  const std::string_view name(reinterpret_cast<const char*>(data), size);
  for (const Detail detail : {Detail::full, Detail::no_parameters, Detail::symbolicator}) {
    std::string out = "before";
    demangle_append(out, name, detail);
    const std::string_view text = std::string_view(out).substr(6);
    if (!out.starts_with("before") || (text.size() > kMaxOutput && text != name)) std::abort();
    if (scheme_of(name) == Scheme::none && text != name) std::abort();
  }
  if (undecorate_win32(name).empty() != name.empty()) std::abort();
  return 0;
}
