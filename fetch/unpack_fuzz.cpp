#include <algorithm>

#include "fetch/unpack.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const Bytes packed = std::as_bytes(std::span(data, size));
  const auto wrapper = fetch::wrapper_of(packed.first(std::min(size, fetch::kWrapperStart)), sources::FileType::pdb);
  if (!wrapper) return 0;
  fetch::Limits limits;
  limits.max_unpacked = 1 << 20;
  std::uint64_t given = 0;
  const auto sink = [&](Bytes piece) -> std::expected<void, std::string> {
    given += piece.size();
    return {};
  };
  static_cast<void>(fetch::unpack(*wrapper, packed, limits, sink));
  if (given > limits.max_unpacked) __builtin_trap();
  return 0;
}
