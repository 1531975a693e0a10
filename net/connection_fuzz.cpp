/// Any bytes over a real connection to a real server, cut into writes in any way and ended in any way: it must neither
/// crash nor hang, and must answer the next client.
#include <fcntl.h>

#include <cstdio>
#include <cstdlib>

#include "net/http_server.hpp"
#include "testing/server/eventually.hpp"
#include "testing/server/http_peer.hpp"
#include "testing/temp_folder.hpp"

namespace {

using namespace symcached;

constexpr std::size_t kFileSize = 300'000;  ///< bytes; more than one segment, and still quick

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

/// Thousands of clients within a minute may leave no free port for the next one until some time has passed.
HttpPeer client(std::uint16_t port) {
  HttpPeer peer;
  const auto connects = [&] {
    peer = HttpPeer(port);
    return peer.connected();
  };
  must(eventually(connects), "does not accept");
  return peer;
}

/// Lives as long as the program: threads that outlive main() would be reported as leaks otherwise.
class Target {
 public:
  Target() {
    const TempFolder folder;
    folder.write("file", std::string(kFileSize, 'f'));
    file_ = std::make_shared<const Descriptor>(::open((folder.path() / "file").c_str(), O_RDONLY | O_CLOEXEC));
    net::ServerOptions options;
    options.threads = 1;
    options.check_interval = std::chrono::milliseconds(20);
    auto started = net::Server::start(
        options, [this](http::Request r) { return answer(std::move(r)); }, [](Severity, const std::string&) {});
    must(started.has_value(), "cannot listen");
    server_ = std::move(*started);
  }
  std::uint16_t port() const { return server_->port(); }

 private:
  Task<http::Response> answer(http::Request request) {
    if (request.target.starts_with("/f"))
      co_return http::file_response(request, {file_, 0, kFileSize}, "\"f\"", {{"Content-Type", "text/plain"}});
    if (request.target.starts_with("/s"))
      co_return http::Response{200, {}, http::FileSlice{file_, kFileSize - 5, 10}};  // shorter than announced
    if (request.target.starts_with("/t")) throw std::runtime_error("as asked");
    const auto segments = http::path_segments(request.target);
    co_return http::text(200, std::to_string(request.headers.size()) + " headers, " +
                                  std::to_string(request.body.size()) + " bytes, " +
                                  std::to_string(segments ? segments->size() : 0) + " segments");
  }

  std::shared_ptr<const Descriptor> file_;
  std::unique_ptr<net::Server> server_;
};

/// First byte: how it ends (2 bits), how often a byte is said many times over (1 bit), the size of writes (4 bits).
struct Plan {
  enum class End { half_close, reset, close, reset_while_reading };
  End end;
  bool swell;
  std::size_t piece;

  explicit Plan(std::uint8_t byte)
      : end(static_cast<End>(byte & 3)), swell((byte & 4) != 0), piece(std::size_t{1} << (byte >> 3 & 15)) {}
};

/// With `swell`, 0x01 N C becomes N * 512 times C: heads and bodies around the limits out of small inputs.
std::string message(std::string_view data, bool swell) {
  std::string text;
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (!swell || data[i] != '\x01' || data.size() - i < 3) {
      text.push_back(data[i]);
      continue;
    }
    text.append(static_cast<std::uint8_t>(data[i + 1]) * 512u, data[i + 2]);
    i += 2;
    if (text.size() > (256 << 10)) break;
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Target& target = *new Target();
  if (size == 0) return 0;
  const Plan plan(data[0]);
  const std::string text = message({reinterpret_cast<const char*>(data) + 1, size - 1}, plan.swell);
  HttpPeer peer = client(target.port());
  constexpr std::size_t kMostWrites = 64;
  std::string_view left = text;
  for (std::size_t i = 0; i < kMostWrites && !left.empty(); ++i) {
    peer.say(left.substr(0, plan.piece));
    left.remove_prefix(std::min(plan.piece, left.size()));
  }
  peer.say(left);
  switch (plan.end) {
    case Plan::End::half_close:
      peer.half_close();
      peer.rest(SIZE_MAX);
      must(peer.at_end(), "does not end the connection");
      break;
    case Plan::End::reset: peer.reset(); break;
    case Plan::End::close: peer.close(); break;
    case Plan::End::reset_while_reading:
      peer.ask("GET", "/f");
      peer.hear(false);
      peer.reset();
      break;
  }
  HttpPeer next = client(target.port());
  next.ask("GET", "/");
  must(next.hear().status == 200, "does not answer any more");
  next.reset();
  return 0;
}
