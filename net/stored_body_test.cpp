#include <fcntl.h>
#include <sys/socket.h>

#include <fstream>
#include <iterator>

#include "testing/server/process.hpp"
#include "testing/server/server_fixture.hpp"

namespace symcached::net {
namespace {

constexpr std::uint64_t kMost = 300'000;  ///< bytes of a stored body; more than is kept in memory

std::string length(std::uint64_t bytes) { return "Content-Length: " + std::to_string(bytes) + "\r\n"; }

/// Bodies of PUT /store/... go to a file each; those of /refuse are not wanted.
class StoredBodies : public ServerFixture {
 protected:
  void SetUp() override { start(quick()); }
  void start(ServerOptions options) {
    options.body_plan = [this](const http::Request& head) { return plan(head); };
    auto started = Server::start(
        options, [this](http::Request r) { return store(std::move(r)); }, [](Severity, const std::string&) {});
    ASSERT_TRUE(started) << started.error();
    server_ = std::move(*started);
    descriptors_ = open_descriptors();
  }
  http::BodyPlan plan(const http::Request& head) {
    if (head.target == "/refuse") return http::text(401, "no");
    if (!head.target.starts_with("/store")) return {};
    const std::string path = head.target == "/store/full" ? "/dev/full" : (folder_.path() / "body").string();
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    return http::BodyTarget{std::make_shared<const Descriptor>(::open(path.c_str(), flags, 0600)), kMost,
                            std::make_shared<Kept>(*this)};
  }
  Task<http::Response> store(http::Request request) {
    if (!request.stored) co_return http::text(200, request.body.size() < 100 ? request.body : "in memory");
    const bool is_ours = std::any_cast<std::shared_ptr<Kept>>(&request.stored->kept) != nullptr;
    co_return http::text(201, std::to_string(request.stored->size) + (is_ours ? "" : " of whom?"));
  }
  std::string stored() const {
    std::ifstream file(folder_.path() / "body", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// What a handler gives along; counts what is not dropped yet.
  struct Kept {
    explicit Kept(StoredBodies& its_test) : test(its_test) { ++test.kept_; }
    Kept(const Kept&) = delete;
    Kept& operator=(const Kept&) = delete;
    ~Kept() { --test.kept_; }
    StoredBodies& test;
  };
  std::atomic<int> kept_{0};
};

TEST_F(StoredBodies, LieInTheFileWhenTheHandlerIsCalled) {
  const std::string large = pattern(kMost);
  const std::string chunked = "7\r\nsymbols\r\n6;x=y\r\n of it\r\n0\r\n\r\n";
  struct Row {
    std::string_view why, target;
    std::string headers, body;
    unsigned status;
    std::string answer, file;
  };
  const Row rows[] = {
      {"one byte", "/store", length(1), "x", 201, "1\n", "x"},
      {"as much as there may be", "/store", length(kMost), large, 201, "300000\n", large},
      {"a byte more", "/store", length(kMost + 1), large + "x", 413, "request body is too large\n", ""},
      {"far more, not even sent", "/store", length(std::uint64_t{1} << 60), "", 413, "request body is too large\n", ""},
      {"in chunks", "/store", "Transfer-Encoding: chunked\r\n", chunked, 201, "13\n", "symbols of it"},
      {"chunks that are too much", "/store", "Transfer-Encoding: chunked\r\n", "493E1\r\n", 413,
       "request body is too large\n", ""},
      {"no body, so nobody is asked", "/store", length(0), "", 200, "\n", ""},
      {"a body for memory", "/other", length(5), "hello", 200, "hello\n", ""},
      {"too much for memory", "/other", length(70'000), "", 413, "request body is too large\n", ""},
      {"refused by its head", "/refuse", length(kMost), "", 401, "no\n", ""},
      {"the disk is full", "/store/full", length(5), "hello", 503, "out of disk space; retry later\n", ""},
  };
  for (const Row& r : rows) {
    std::ofstream(folder_.path() / "body").close();
    HttpPeer peer(port());
    peer.ask("PUT", r.target, r.headers);
    peer.say(r.body);
    const Answer answer = peer.hear();
    EXPECT_EQ(answer.status, r.status) << r.why;
    EXPECT_EQ(answer.body, r.answer) << r.why;
    EXPECT_TRUE(stored() == r.file) << r.why << ": " << stored().size() << " bytes";
    EXPECT_EQ(answer.head.find("Retry-After: ") != std::string::npos, r.status == 503) << r.why;
    peer.close();
    EXPECT_TRUE(eventually([&] { return kept_ == 0; })) << r.why;
  }
  expect_unharmed("stored bodies");
}

TEST_F(StoredBodies, RequestsFollowOnTheSameConnection) {
  HttpPeer peer(port());
  peer.ask("PUT", "/store", length(4));
  peer.say("bodyPUT /other HTTP/1.1\r\nHost: t\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(peer.hear().status, 201u);
  EXPECT_EQ(peer.hear().body, "hello\n");
  EXPECT_EQ(stored(), "body");
}

TEST_F(StoredBodies, TheClientIsToldToGoOnOnlyIfTheBodyIsWanted) {
  struct Row {
    std::string_view target;
    unsigned status;
  };
  for (const Row& r : {Row{"/store", 100}, Row{"/refuse", 401}}) {
    HttpPeer peer(port());
    peer.ask("PUT", r.target, length(4) + "Expect: 100-continue\r\n");
    EXPECT_EQ(peer.hear(r.status != 100).status, r.status);
    if (r.status != 100) continue;
    peer.say("body");
    EXPECT_EQ(peer.hear().status, 201u);
  }
}

TEST_F(StoredBodies, ABodyThatIsCutCostsOnlyItsConnection) {
  enum class End { closed, reset, half_closed, silent };
  ServerOptions options = quick();
  options.body_grace = std::chrono::milliseconds(300);
  start(options);
  for (const End end : {End::closed, End::reset, End::half_closed, End::silent}) {
    std::ofstream(folder_.path() / "body").close();
    HttpPeer peer(port());
    peer.ask("PUT", "/store", length(100));
    peer.say("only a part");
    EXPECT_TRUE(eventually([&] { return kept_ == 1 && stored() == "only a part"; }));
    if (end == End::closed) peer.close();
    if (end == End::reset) peer.reset();
    if (end == End::half_closed) peer.half_close();
    EXPECT_TRUE(eventually([&] { return kept_ == 0; })) << "dropped, not handled";
  }
  EXPECT_EQ(server_->stats().timed_out, 1u) << "the silent one";
  expect_unharmed("cut bodies");
}

}  // namespace
}  // namespace symcached::net
