/// A worker that works as the product's does, and that goes wrong on demand: a file that ends in one of the words below
/// makes it crash, hang or eat memory, and further kinds of jobs try what a worker must not be able to do.
#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <string>
#include <thread>
#include <vector>

#include "base/mapped_file.hpp"
#include "service/worker_jobs.hpp"
#include "testing/server/faulty_worker.hpp"
#include "worker/serve.hpp"

namespace {

using namespace symcached;
using worker::Work;
using Answer = std::expected<std::string, std::string>;

std::string last_word(int file) {
  std::array<char, kFaultSize> word{};
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size < static_cast<off_t>(word.size())) return {};
  const ssize_t n = ::pread(file, word.data(), word.size(), size - static_cast<off_t>(word.size()));
  return {word.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
}

volatile std::size_t sink = 0;

void eat_memory() {
  std::vector<std::vector<char>> eaten;
  while (true) sink = eaten.emplace_back(std::size_t{16} << 20, 'x').size();
}

void go_wrong(std::string_view word) {
  if (word == kCrash) ::raise(SIGSEGV);
  if (word == kHang) ::pause(), ::sleep(1000);
  if (word == kSpin)
    while (true) sink = sink + 1;
  if (word == kEat) eat_memory();
  if (word == kThrow) throw std::runtime_error("thrown on demand");
  if (word == kExit) ::_exit(7);
}

Answer echo(const Work& work) {
  go_wrong(work.arguments.substr(0, kFaultSize));
  work.output(as_bytes(work.arguments));
  return "echoed";
}

Answer refuse(const Work& work) { return std::unexpected("refused: " + std::string(work.arguments)); }

Answer flood(const Work& work) {
  const std::vector<std::byte> piece(1 << 20);
  while (true) work.output(piece);
}

Answer garbage(const Work&) {
  if (::write(worker::kChannel, "what?", 5) != 5) return std::unexpected("cannot write");
  return "";
}

/// Reads every page of a mapped file until it is told to stop by the file's end.
Answer read_slowly(const Work& work) {
  const auto mapped = MappedFile::from_descriptor(work.files.front().get(), "input");
  if (!mapped) return std::unexpected(mapped.error());
  work.output(as_bytes("reading"));
  while (true)
    for (std::size_t at = 0; at < mapped->bytes().size(); at += 4096)
      sink = sink + std::to_integer<int>(mapped->bytes()[at]);
}

/// What a worker must not be able to do, one word for each that it could.
Answer escape(const Work&) {
  std::string could;
  if (::open("/etc/passwd", O_RDONLY) >= 0) could += "open ";
  if (::open("/tmp/symcached-escape", O_WRONLY | O_CREAT, 0600) >= 0) could += "create ";
  if (::socket(AF_INET, SOCK_STREAM, 0) >= 0) could += "socket ";
  if (::fork() >= 0) could += "fork ";
  if (::getenv("HOME") != nullptr) could += "environment ";
  for (int file = worker::kChannel + 1; file < 64; ++file)
    if (::fcntl(file, F_GETFD) >= 0 || ::lseek(file, 0, SEEK_CUR) >= 0) could += "descriptor ";
  try {
    std::thread([] {}).join();
    could += "thread ";
  } catch (const std::system_error&) {
  }
  return could;
}

}  // namespace

int main() {
  auto handlers = service::worker_handlers();
  for (const auto kind : {service::JobKind::derive, service::JobKind::verify, service::JobKind::state_ids}) {
    auto& handler = handlers.at(static_cast<std::uint32_t>(kind));
    handler = [proper = handler](const Work& work) {
      go_wrong(last_word(work.files.front().get()));
      return proper(work);
    };
  }
  handlers[kEchoJob] = echo;
  handlers[kRefuseJob] = refuse;
  handlers[kFloodJob] = flood;
  handlers[kReadSlowlyJob] = read_slowly;
  handlers[kEscapeJob] = escape;
  handlers[kGarbageJob] = garbage;
  return worker::serve(worker::kChannel, handlers);
}
