/// What a worker that was taken over might send: bytes as one message over a real socket.
#include <sys/socket.h>

#include <vector>

#include "worker/channel.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const auto ends = worker::make_channel();
  if (!ends) return 0;
  if (::send(ends->second.get(), data, size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return 0;
  std::vector<std::byte> buffer(sizeof(worker::MessageHead) + worker::kMaxPiece);
  worker::Message message;
  const auto received = worker::receive(ends->first.get(), buffer, message, std::chrono::steady_clock::now());
  if (received == worker::Received::timed_out) __builtin_trap();
  if (received != worker::Received::message) return 0;
  if (message.body.size() > worker::kMaxPiece || message.body.size() + sizeof(worker::MessageHead) != size)
    __builtin_trap();
  // What was understood means the same when it is sent again.
  if (!worker::send(ends->second.get(), message)) __builtin_trap();
  std::vector<std::byte> second(buffer.size());
  worker::Message again;
  if (worker::receive(ends->first.get(), second, again, std::chrono::steady_clock::now()) !=
          worker::Received::message ||
      again.tag != message.tag || again.kind != message.kind || again.max_output != message.max_output ||
      as_text(again.body) != as_text(message.body))
    __builtin_trap();
  return 0;
}
