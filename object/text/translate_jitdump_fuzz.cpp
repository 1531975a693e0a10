#include "object/text/translate_jitdump.hpp"
#include "testing/checking_sink.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes file = std::as_bytes(std::span(data, size));
  object::FileInfo info;
  object::describe_jitdump(info, file);
  testkit::CheckingSink sink;
  [[maybe_unused]] const auto result = object::translate_jitdump({.file = file}, sink);
  return 0;
}
