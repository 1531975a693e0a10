#include "base/bytes.hpp"
#include "wpt/file_name.hpp"

/// Whatever is read can be printed, and reads the same again. Only the case of letters and leading zeros may go.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto text = as_text(std::as_bytes(std::span(data, size)));
  if (const auto file = wpt::parse_file_name(text)) {
    const auto printed = wpt::to_string(*file);
    if (!printed || wpt::parse_file_name(*printed) != file) __builtin_trap();
  }
  if (const auto place = wpt::parse_place(text)) {
    const auto printed = wpt::to_string(*place);
    if (!printed || wpt::parse_place(*printed) != place) __builtin_trap();
  }
  return 0;
}
