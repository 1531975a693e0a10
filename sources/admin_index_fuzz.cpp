#include "base/bytes.hpp"
#include "sources/admin_index.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto text = as_text(std::as_bytes(std::span(data, size)));
  sources::AdminIndex index;
  const std::size_t added = index.add_transaction(text);
  index.finish();
  if (index.size() > added) __builtin_trap();
  static_cast<void>(index.has(text));
  if (const auto id = sources::parse_last_id(text))
    if (sources::parse_last_id(sources::transaction_path(*id).substr(9)) != id) __builtin_trap();
  return 0;
}
