#include <cstdint>
#include <string_view>

#include "traces/remote/stack_answer.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  symcached::traces::parse_stack_answer(body, 3);
  symcached::traces::error_detail(body);
  return 0;
}
