#pragma once
/// Messages between the parent and a worker, over a socket that keeps their bounds. Private to `worker/`.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"
#include "base/endian.hpp"

namespace symcached::worker {

inline constexpr std::size_t kMaxFiles = 8;          ///< descriptors in one job
inline constexpr std::size_t kMaxText = 16 << 10;    ///< bytes of arguments, notes and reasons
inline constexpr std::size_t kMaxPiece = 128 << 10;  ///< bytes of output in one message

enum class Tag : std::uint8_t {
  job = 1,            ///< to the worker: JobRecord, arguments; descriptors beside it
  ready = 2,          ///< from the worker, once: text, what the kernel could not take away; empty = nothing
  output = 3,         ///< bytes of the result
  done = 4,           ///< text, the handler's note
  refused = 5,        ///< text, why the file is no use
  no_memory = 6,      ///< an allocation failed; the worker ends
  too_much = 7,       ///< the handler wrote more than the job allows; the worker ends
  internal_fault = 8  ///< text, an exception of our own making; the worker ends
};

/// Start of every message.
struct MessageHead {
  u8le tag;
  std::array<std::byte, 3> zero;
  u32le kind;        ///< job: which handler
  u64le max_output;  ///< job: bytes
};
static_assert(sizeof(MessageHead) == 16 && alignof(MessageHead) == 1);

struct Message {
  Tag tag{};
  std::uint32_t kind = 0;
  std::uint64_t max_output = 0;
  Bytes body;  ///< in the buffer given to receive()
  std::vector<Descriptor> files;
};

/// Both ends; the second one goes to the worker. Close-on-exec. Nothing when descriptors ran out (errno).
std::optional<std::pair<Descriptor, Descriptor>> make_channel();

/// Waits until the other side has room. @return false when it is gone, or errno says what failed
bool send(int channel, const Message& message, std::span<const int> files = {});

enum class Received : std::uint8_t { message, closed, timed_out, broken };

/// @param buffer    of at least sizeof(MessageHead) + kMaxPiece bytes
/// @param deadline  nothing: waits for ever
/// `broken`: what came is no message of ours.
Received receive(int channel, std::span<std::byte> buffer, Message& message,
                 std::optional<std::chrono::steady_clock::time_point> deadline);

}  // namespace symcached::worker
