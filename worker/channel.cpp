#include "worker/channel.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace symcached::worker {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr int kSocketBuffer = 1 << 20;  ///< bytes: several pieces of output on their way

/// Room for the descriptors of one message beside it.
union Ancillary {
  cmsghdr header;
  std::array<char, CMSG_SPACE(sizeof(int) * kMaxFiles)> space;
};

void attach(msghdr& message, Ancillary& ancillary, std::span<const int> files) {
  if (files.empty()) return;
  message.msg_control = ancillary.space.data();
  message.msg_controllen = CMSG_SPACE(files.size_bytes());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(files.size_bytes());
  std::memcpy(CMSG_DATA(header), files.data(), files.size_bytes());
}

std::vector<Descriptor> detach(msghdr& message) {
  std::vector<Descriptor> files;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    std::array<int, kMaxFiles> numbers{};
    const std::size_t size = std::min(header->cmsg_len - CMSG_LEN(0), sizeof numbers);
    std::memcpy(numbers.data(), CMSG_DATA(header), size);
    for (std::size_t i = 0; i < size / sizeof(int); ++i) files.emplace_back(numbers[i]);
  }
  return files;
}

bool wait_for(int channel, short what, std::optional<steady_clock::time_point> deadline) {
  while (true) {
    int limit = -1;
    if (deadline) {
      const auto left = std::chrono::ceil<milliseconds>(*deadline - steady_clock::now()).count();
      limit = static_cast<int>(std::clamp<std::int64_t>(left, 0, 1 << 30));
    }
    pollfd entry{channel, what, 0};
    const int n = ::poll(&entry, 1, limit);
    if (n > 0) return true;
    if (n == 0) return false;
    if (errno != EINTR) return true;  // the call that follows says what is wrong
  }
}

}  // namespace

std::optional<std::pair<Descriptor, Descriptor>> make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) return std::nullopt;
  for (const int end : ends) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &kSocketBuffer, sizeof kSocketBuffer);
  return std::pair(Descriptor(ends[0]), Descriptor(ends[1]));
}

bool send(int channel, const Message& message, std::span<const int> files) {
  if (files.size() > kMaxFiles || message.body.size() > kMaxPiece) {
    errno = EMSGSIZE;
    return false;
  }
  MessageHead head{};
  head.tag = static_cast<std::uint8_t>(message.tag);
  head.kind = message.kind;
  head.max_output = message.max_output;
  std::array<iovec, 2> pieces{iovec{&head, sizeof head},
                              iovec{const_cast<std::byte*>(message.body.data()), message.body.size()}};
  msghdr wire{};
  wire.msg_iov = pieces.data();
  wire.msg_iovlen = pieces.size();
  Ancillary ancillary{};
  attach(wire, ancillary, files);
  while (true) {
    if (::sendmsg(channel, &wire, MSG_NOSIGNAL) >= 0) return true;
    if (errno != EINTR) return false;
  }
}

Received receive(int channel, std::span<std::byte> buffer, Message& message,
                 std::optional<steady_clock::time_point> deadline) {
  if (!wait_for(channel, POLLIN, deadline)) return Received::timed_out;
  iovec piece{buffer.data(), buffer.size()};
  Ancillary ancillary{};
  msghdr wire{};
  wire.msg_iov = &piece;
  wire.msg_iovlen = 1;
  wire.msg_control = ancillary.space.data();
  wire.msg_controllen = sizeof ancillary;
  ssize_t n = 0;
  do n = ::recvmsg(channel, &wire, MSG_CMSG_CLOEXEC);
  while (n < 0 && errno == EINTR);
  if (n <= 0) return Received::closed;
  message.files = detach(wire);
  const bool whole = (wire.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  if (!whole || static_cast<std::size_t>(n) < sizeof(MessageHead)) return Received::broken;
  MessageHead head{};
  std::memcpy(&head, buffer.data(), sizeof head);
  if (head.tag < static_cast<int>(Tag::job) || head.tag > static_cast<int>(Tag::internal_fault))
    return Received::broken;
  message.tag = static_cast<Tag>(static_cast<std::uint8_t>(head.tag));
  message.kind = head.kind;
  message.max_output = head.max_output;
  message.body = Bytes(buffer).subspan(sizeof head, static_cast<std::size_t>(n) - sizeof head);
  return Received::message;
}

}  // namespace symcached::worker
