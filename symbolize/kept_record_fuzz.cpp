#include <algorithm>

#include "symbolize/kept_record.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes all = std::as_bytes(std::span(data, size));
  const auto kept = symbolize::read_kept_symcache(all);
  if (!kept) return 0;
  const auto again = symbolize::write_kept_record(kept->record);
  if (!std::ranges::equal(again, all.subspan(kept->symcache.size()))) __builtin_trap();  // one record, one spelling
  return 0;
}
