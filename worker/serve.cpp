#include "worker/serve.hpp"

#include <malloc.h>
#include <signal.h>
#include <sys/prctl.h>

#include <algorithm>
#include <exception>
#include <new>

#include "worker/channel.hpp"
#include "worker/sandbox.hpp"

namespace symcached::worker {
namespace {

constexpr std::chrono::seconds kIdle{1};  ///< without a job, after which freed memory goes back to the system
/// Until then it stays for the next job: to get 45 MB anew took a twentieth of the time that a PDB of 96 MB takes.
constexpr int kKeptBetweenJobs = 96 << 20;  ///< bytes at most; less than what a worker is replaced for
constexpr int kMostFromHeap = 32 << 20;     ///< bytes: larger blocks are mapped, and given back when freed

struct TooMuch {};
struct ParentGone {};

Message text_message(Tag tag, std::string_view text) {
  return Message{.tag = tag, .body = as_bytes(text.substr(0, kMaxText)), .files = {}};
}

/// @return false when the process should end: what went wrong may have left it damaged
bool work(int channel, const Message& job, const Handlers& handlers) {
  std::uint64_t left = job.max_output;
  const Output output = [&](Bytes bytes) {
    if (bytes.size() > left) throw TooMuch();
    left -= bytes.size();
    while (!bytes.empty()) {
      const Bytes piece = bytes.first(std::min(bytes.size(), kMaxPiece));
      if (!send(channel, Message{.tag = Tag::output, .body = piece, .files = {}})) throw ParentGone();
      bytes = bytes.subspan(piece.size());
    }
  };
  try {
    const auto result = handlers.at(job.kind)({as_text(job.body), job.files, output});
    if (result) return send(channel, text_message(Tag::done, *result));
    return send(channel, text_message(Tag::refused, result.error()));
  } catch (const std::bad_alloc&) {
    send(channel, text_message(Tag::no_memory, ""));
  } catch (const TooMuch&) {
    send(channel, text_message(Tag::too_much, ""));
  } catch (const ParentGone&) {
  } catch (const std::exception& fault) {
    send(channel, text_message(Tag::internal_fault, fault.what()));
  }
  return false;
}

}  // namespace

int serve(int channel, const Handlers& handlers) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NAME, "symcached-work");
  ::mallopt(M_MMAP_THRESHOLD, kMostFromHeap);
  ::mallopt(M_TRIM_THRESHOLD, kKeptBetweenJobs);
  std::vector<std::byte> buffer(sizeof(MessageHead) + kMaxPiece);
  if (!send(channel, text_message(Tag::ready, give_up_rights()))) return 0;
  while (true) {
    Message job;
    Received received = receive(channel, buffer, job, std::chrono::steady_clock::now() + kIdle);
    if (received == Received::timed_out) {
      ::malloc_trim(0);
      received = receive(channel, buffer, job, std::nullopt);
    }
    if (received == Received::closed) return 0;
    if (received != Received::message || !work(channel, job, handlers)) return 1;
  }
}

}  // namespace symcached::worker
