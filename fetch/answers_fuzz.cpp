#include "fetch/answers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached::fetch;
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const std::string_view code = error_code_in(body);
  if (!code.empty() && body.find(code) == std::string_view::npos) __builtin_trap();
  if (meaning_of(200, body) != Meaning::there) __builtin_trap();
  static_cast<void>(meaning_of(404, body));
  return 0;
}
