#include "object/text/translate_symbol_list.hpp"
#include "testing/checking_sink.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes file = std::as_bytes(std::span(data, size));
  object::FileInfo info;
  if (object::is_symbol_list(file)) object::describe_symbol_list(info, file);
  testkit::CheckingSink sink;
  [[maybe_unused]] const auto result = object::translate_symbol_list({.file = file}, sink);
  return 0;
}
