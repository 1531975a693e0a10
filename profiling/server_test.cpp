#include "profiling/server.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <latch>
#include <thread>

#include "testing/pprof/fake_sources.hpp"

namespace symcached::pprof {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET, to.sin_port = htons(port), to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected = ::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) == 0;
  }
  void send(std::string_view text) {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// Up to and with `end`, or to the end of the connection.
  std::string read(std::string_view end = {}) {
    std::string all;
    char c = 0;
    while ((end.empty() || !all.ends_with(end)) && ::recv(socket_.get(), &c, 1, 0) == 1) all += c;
    return all;
  }
  std::string ask(std::string_view request) {
    send(request);
    return read();
  }
  void close() { socket_ = Descriptor(); }

  bool connected = false;

 private:
  Descriptor socket_;
};

std::unique_ptr<HttpServer> started(Sources sources, ServerOptions options = {}) {
  auto server = HttpServer::start(options, std::move(sources));
  EXPECT_TRUE(server) << server.error();
  return server ? *std::move(server) : nullptr;
}

TEST(Server, Answers) {
  struct Row {
    std::string request;
    const char *starts, *has;
  };
  const Row rows[] = {
      {"GET /pprof/symbol HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n", "\r\n\r\nnum_symbols: 3\n"},
      {"HEAD /pprof/symbol HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n", "Content-Length: 15\r\n"},
      {"POST /pprof/symbol HTTP/1.1\r\nConnection: close\r\nContent-Length: 6\r\n\r\n0x2000", "HTTP/1.1 200",
       "0x2000\tmain\n"},
      {"GET /x HTTP/1.0\r\n\r\n", "HTTP/1.1 404", "%warn no such page"},
      {"GET /pprof/growth HTTP/1.0\r\n\r\n", "HTTP/1.1 501", "X-Go-Pprof: 1\r\n"},
      {"nonsense\r\n\r\n", "HTTP/1.1 400", "%warn "},
      {"POST /pprof/symbol HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "HTTP/1.1 411", "%warn"},
      {"POST /pprof/symbol HTTP/1.1\r\nContent-Length: 67108865\r\n\r\n", "HTTP/1.1 413", "%warn"},
      {"GET / HTTP/1.1\r\nA: " + std::string(40'000, 'a'), "HTTP/1.1 431", "%warn"},
      {"GET /pprof/symbol HTTP/1.0\r\nHost: evil.example.com\r\n\r\n", "HTTP/1.1 403", "%warn Host: "},
      {"GET /pprof/symbol HTTP/1.0\r\nHost: localhost:1\r\n\r\n", "HTTP/1.1 200", ""},
  };
  FakeSources fake;
  const auto server = started(fake.sources());
  for (const Row& r : rows) {
    Client client(server->port());
    const std::string answer = client.ask(r.request);
    EXPECT_THAT(answer, StartsWith(r.starts)) << r.request;
    EXPECT_THAT(answer, HasSubstr(r.has)) << r.request;
  }
}

TEST(Server, KeepsConnections) {
  FakeSources fake;
  const auto server = started(fake.sources());
  Client client(server->port());
  const std::string get = "GET /pprof/symbol HTTP/1.1\r\nHost: localhost\r\n\r\n";
  client.send(get + get);  // the second before the first is answered
  EXPECT_THAT(client.read("num_symbols: 3\n"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(client.read("num_symbols: 3\n"), StartsWith("HTTP/1.1 200"));
  client.send("POST /symbolz HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(client.read("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("2000");
  EXPECT_THAT(client.read("0x2000\tmain\n"), StartsWith("HTTP/1.1 200"));
}

/// A CPU profile that ends when it is stopped, and not before.
struct Endless {
  std::latch began{1}, ended{1};

  Sources sources(FakeSources& fake) {
    Sources sources = fake.sources();
    sources.cpu = [this](CpuOptions, const std::stop_token& stop) -> Answer<Profile> {
      began.count_down();
      std::latch stopped(1);
      const std::stop_callback wake(stop, [&] { stopped.count_down(); });
      stopped.wait();
      ended.count_down();
      return std::unexpected(Refusal{503, "stopped"});
    };
    return sources;
  }
};

TEST(Server, StopsWhatAClientNoLongerWaitsFor) {
  FakeSources fake;
  Endless endless;
  const auto server = started(endless.sources(fake));
  Client client(server->port());
  client.send("GET /pprof/profile HTTP/1.1\r\n\r\n");
  endless.began.wait();
  Client other(server->port());
  EXPECT_THAT(other.ask("GET /pprof/symbol HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  client.close();
  endless.ended.wait();
}

TEST(Server, DestructorEndsWhatIsUnderWay) {
  FakeSources fake;
  Endless endless;
  auto server = started(endless.sources(fake));
  Client client(server->port()), idle(server->port()), half(server->port());
  half.send("GET / HT");
  client.send("GET /pprof/profile HTTP/1.1\r\n\r\n");
  endless.began.wait();
  server.reset();
  EXPECT_TRUE(endless.ended.try_wait());
  EXPECT_EQ(idle.read(), "");
  EXPECT_EQ(half.read(), "");
}

TEST(Server, SlowClientsGo) {
  FakeSources fake;
  const std::chrono::milliseconds moment{20};
  const auto server = started(fake.sources(), {.limits = {.idle = moment, .head = moment, .grace = moment}});
  for (const char* const begun : {"", "GET / HT", "POST /symbolz HTTP/1.1\r\nContent-Length: 5\r\n\r\nab"}) {
    Client client(server->port());
    EXPECT_EQ(client.ask(begun), "") << begun;
  }
}

TEST(Server, TooManyClientsAreTold) {
  FakeSources fake;
  const auto server = started(fake.sources(), {.max_connections = 1});
  Client first(server->port());
  first.send("GET /pprof/symbol HTTP/1.1\r\n\r\n");
  EXPECT_THAT(first.read("num_symbols: 3\n"), StartsWith("HTTP/1.1 200"));
  Client second(server->port());
  const std::string told = second.read();
  EXPECT_THAT(told, StartsWith("HTTP/1.0 503"));
  EXPECT_THAT(told, EndsWith("%warn too many clients at once; retry later\n"));
}

TEST(Server, SaysWhyNot) {
  FakeSources fake;
  const auto server = started(fake.sources());
  const std::string taken = "127.0.0.1:" + std::to_string(server->port());
  struct Row {
    ServerOptions options;
    const char* why;
  };
  const Row rows[] = {
      {{.address = "nowhere"}, "address \"nowhere\" has no port"},
      {{.address = "0.0.0.0:0"}, "can be reached from other machines: give it a token"},
      {{.address = taken}, "cannot listen on 127.0.0.1:"},
  };
  for (const Row& r : rows) {
    const auto other = HttpServer::start(r.options, fake.sources());
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error(), HasSubstr(r.why));
  }
  EXPECT_TRUE(HttpServer::start({.address = "0.0.0.0:0", .token = "t"}, fake.sources()));
  EXPECT_TRUE(HttpServer::start({.address = "0.0.0.0:0", .allow_remote = true}, fake.sources()));
}

TEST(Server, WithATokenAnyHostWillDo) {
  FakeSources fake;
  const auto server = started(fake.sources(), {.token = "t"});
  Client without(server->port()), with(server->port());
  const std::string get = "GET /pprof/symbol HTTP/1.0\r\nHost: example.com\r\n";
  EXPECT_THAT(without.ask(get + "\r\n"), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(with.ask(get + "Authorization: Bearer t\r\n\r\n"), StartsWith("HTTP/1.1 200"));
}

TEST(Server, AChildHasNone) {
  FakeSources fake;
  auto server = started(fake.sources());
  const std::uint16_t port = server->port();
  int go[2];
  ASSERT_EQ(::pipe(go), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // lives on until it is told, then destroys what it has of the server
    char c = 0;
    ::close(go[1]);
    [[maybe_unused]] const ssize_t got = ::read(go[0], &c, 1);
    server.reset();
    ::_exit(0);
  }
  Client client(port);
  EXPECT_THAT(client.ask("GET /pprof/symbol HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  server.reset();
  EXPECT_FALSE(Client(port).connected);  // the child does not listen
  ::close(go[0]), ::close(go[1]);
  int status = 1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Server, ProgramsMayCloseWhatTheyDoNotKnow) {  // and have other descriptors of the same numbers
  FakeSources fake;
  auto server = started(fake.sources());
  int sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
  for (int fd = 100; fd < 2000; ++fd) {
    struct stat state{};
    if (::fstat(fd, &state) == 0 && S_ISSOCK(state.st_mode)) ::dup2(sockets[0], fd);
  }
  server.reset();
  char c = 'x';
  ASSERT_EQ(::send(sockets[1], &c, 1, 0), 1);  // not shut down by us
  EXPECT_EQ(::recv(sockets[0], &c, 1, 0), 1);
  for (int fd = 100; fd < 2000; ++fd) {
    struct stat state{};
    if (::fstat(fd, &state) == 0 && S_ISSOCK(state.st_mode)) ::close(fd);
  }
}

TEST(Server, StartsAndStopsOften) {
  FakeSources fake;
  for (int i = 0; i < 200; ++i) {
    const auto server = started(fake.sources());
    Client client(server->port());
    if (i % 2 == 0) continue;  // with a client that has not asked yet
    EXPECT_THAT(client.ask("GET / HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  }
}

}  // namespace
}  // namespace symcached::pprof
