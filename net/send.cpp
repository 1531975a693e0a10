#include "net/send.hpp"

#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <expected>
#include <span>
#include <utility>

namespace symcached::net {
namespace {

constexpr std::size_t kPiece = 1 << 20;     ///< bytes a call, so that one fast reader does not hold the thread
constexpr std::size_t kEnd = 96 << 10;      ///< of a file, sent for itself: two large pieces wake a reader least often
constexpr std::size_t kCopied = 128 << 10;  ///< the same, where they are copied
constexpr std::uint64_t kLongest = 365 * 24 * 3600;  ///< seconds; keeps times far from overflowing

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

Task<bool> writable(Stream& stream, Sending& sending) {
  sending.waits();
  return stream.writable();
}

/// @return how many bytes were there; negative if they cannot be read
ssize_t read_piece(const http::FileSlice& slice, std::uint64_t at, std::span<char> out) {
  if (out.empty()) return 0;
  if (slice.bytes) return static_cast<ssize_t>(slice.bytes->copy(out.data(), out.size(), slice.offset + at));
  return ::pread(slice.file->get(), out.data(), out.size(), static_cast<off_t>(slice.offset + at));
}

/// The bytes from `at` on of `head` and the slice behind it, as many as one piece has. They last until the next call.
std::expected<std::string_view, Sent> copy_piece(std::string_view head, const http::FileSlice& slice,
                                                 std::uint64_t at) {
  thread_local std::array<char, kCopied> buffer;
  std::size_t filled = 0;
  if (at < head.size()) {
    filled = std::min(head.size() - at, buffer.size());
    std::memcpy(buffer.data(), head.data() + at, filled);
  }
  const std::uint64_t in_slice = at + filled - head.size();
  const std::uint64_t wanted = std::min<std::uint64_t>(buffer.size() - filled, slice.size - in_slice);
  const ssize_t n = read_piece(slice, in_slice, std::span(buffer).subspan(filled, wanted));
  if (n < 0) return std::unexpected(Sent::file_unreadable);
  filled += static_cast<std::size_t>(n);
  if (filled == 0) return std::unexpected(Sent::file_too_short);
  return std::string_view(buffer.data(), filled);
}

/// To be asked once the last bytes of it were read.
bool has_changed(const http::FileSlice& slice) {
  if (!slice.state) return false;
  struct stat info{};
  if (::fstat(slice.file->get(), &info) != 0) return true;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  const std::int64_t modified_ns = info.st_mtim.tv_sec * kNanoseconds + info.st_mtim.tv_nsec;
  return http::FileState{static_cast<std::uint64_t>(info.st_size), modified_ns} != *slice.state;
}

}  // namespace

void Sending::begin(std::uint64_t head, std::uint64_t body) {
  started_ = Clock::now();
  head_ = head;
  body_ = body;
  sent_ = 0;
  active_ = true;
}

void Sending::end() {
  active_ = false;
  deadline_ = Clock::time_point::max();
}

void Sending::waits() {
  deadline_ = std::min(Clock::now() + options_.write_timeout,
                       too_slow_at(started_, options_.send_grace, sent_, options_.min_send_rate));
}

Clock::time_point too_slow_at(Clock::time_point started, std::chrono::milliseconds grace, std::uint64_t bytes,
                              std::uint64_t rate) {
  if (rate == 0) return Clock::time_point::max();
  return started + grace + std::chrono::seconds(std::min(bytes / rate, kLongest));
}

std::optional<std::string_view> try_send(Stream& stream, std::string_view text, bool more, Sending& sending) {
  while (!text.empty()) {
    const auto taken = stream.write(text, more);
    if (!taken) return std::nullopt;
    if (*taken == 0) break;
    text.remove_prefix(*taken);
    sending.took(*taken);
  }
  return text;
}

Task<Sent> send_text(Stream& stream, std::string_view text, bool more, Sending& sending) {
  for (;;) {
    const auto left = try_send(stream, text, more, sending);
    if (!left) co_return Sent::broken;
    if (left->empty()) co_return Sent::all;
    text = *left;
    const bool ready = co_await writable(stream, sending);
    if (!ready) co_return Sent::broken;
  }
}

/// A file that others may write to is looked at once more before its end is sent. What lies in the buffers of the
/// kernel by then still is part of the file, so this finds what is written while a client is slow, not what is written
/// in the last moment.
Task<Sent> send_file(Stream& stream, http::FileSlice slice, Sending& sending) {
  auto offset = static_cast<off_t>(slice.offset);
  const auto end = static_cast<off_t>(slice.offset + slice.size);
  off_t until = std::max(offset, end - static_cast<off_t>(kEnd));
  while (offset < end) {
    if (offset == until) until = end;
    if (until == end && has_changed(slice)) co_return Sent::file_changed;
    const auto most = std::min<std::uint64_t>(static_cast<std::uint64_t>(until - offset), kPiece);
    const ssize_t n = ::sendfile(stream.socket().native_handle(), slice.file->get(), &offset, most);
    if (n == 0) co_return Sent::file_too_short;
    if (n > 0) sending.took(static_cast<std::uint64_t>(n));
    else if (!would_block(errno)) co_return errno == EIO ? Sent::file_unreadable : Sent::broken;
    if (offset == until) continue;
    const bool ready = co_await writable(stream, sending);
    if (!ready) co_return Sent::broken;
  }
  co_return Sent::all;
}

Task<Sent> send_copied(Stream& stream, std::string_view head, http::FileSlice slice, Sending& sending) {
  const std::uint64_t all = head.size() + slice.size;
  for (std::uint64_t at = 0;;) {
    const auto piece = copy_piece(head, slice, at);
    if (!piece) co_return piece.error();
    if (at + piece->size() == all && has_changed(slice)) co_return Sent::file_changed;
    const auto left = try_send(stream, *piece, at + piece->size() < all, sending);
    if (!left) co_return Sent::broken;
    at += piece->size() - left->size();
    if (at == all) co_return Sent::all;
    const bool ready = co_await writable(stream, sending);
    if (!ready) co_return Sent::broken;
  }
}

}  // namespace symcached::net
