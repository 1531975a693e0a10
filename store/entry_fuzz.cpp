#include <algorithm>

#include "store/entry.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes all = std::as_bytes(std::span(data, size));
  const Bytes page = all.first(std::min<std::size_t>(size, store::kPayloadOffset));
  if (const auto head = store::read_head(page, size)) {
    const auto again = store::write_head(*head);
    if (!std::ranges::equal(again, all.first(again.size()))) __builtin_trap();  // one head, one spelling
  }
  return 0;
}
