#include "fetch/stated_ids.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes all = std::as_bytes(std::span(data, size));
  if (const auto ids = fetch::stated_ids(all))
    if (fetch::parse_stated(fetch::to_text(*ids)) != *ids) __builtin_trap();
  if (const auto ids = fetch::parse_stated(as_text(all)))
    if (fetch::parse_stated(fetch::to_text(*ids)) != *ids) __builtin_trap();
  return 0;
}
