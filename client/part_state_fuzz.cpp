#include "base/bytes.hpp"
#include "client/part_state.hpp"

/// What is read is written in the same way, and can be resumed.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto state = client::parse_part_state(as_text(std::as_bytes(std::span(data, size))));
  if (state && (!state->announced.can_be_resumed() || client::parse_part_state(client::to_text(*state)) != state))
    __builtin_trap();
  return 0;
}
