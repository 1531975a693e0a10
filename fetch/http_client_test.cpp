#include "fetch/http_client.hpp"

#include <gmock/gmock.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <condition_variable>
#include <new>

#include "net/run_task.hpp"
#include "testing/server/fake_upstream.hpp"
#include "testing/server/raw_upstream.hpp"

namespace symcached::fetch {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using End = HttpResult::End;

constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";

/// Holds whoever passes until it is opened.
class Gate {
 public:
  void pass() {
    std::unique_lock lock(mutex_);
    ++waiting_;
    most_ = std::max(most_, waiting_);
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    --waiting_;
  }
  void wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(30), [&] { return waiting_ >= count; }));
  }
  void open() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  std::size_t most() {
    const std::scoped_lock lock(mutex_);
    return most_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t waiting_ = 0, most_ = 0;
  bool open_ = false;
};

struct Caps {
  std::string_view why;
  std::size_t transfers, host_transfers;
  long connections, host_connections;
  std::size_t want_each, want_all;  ///< requests at once
};

/// 24 requests to each of two hosts, which answer nothing until every request that may start has.
void ask_two_hosts(const Caps& caps) {
  Gate both;
  const auto talk = [&](RawPeer& peer, const std::string&) {
    both.pass();
    return peer.say(kAnswer);
  };
  RawUpstream one(talk), two(talk);
  Limits limits;
  limits.max_transfers = caps.transfers;
  limits.max_host_transfers = caps.host_transfers;
  limits.max_connections = caps.connections;
  limits.max_host_connections = caps.host_connections;
  HttpClient client(limits, "Test/1");
  boost::asio::io_context context;
  std::size_t answered = 0;
  for (int i = 0; i < 24; ++i)
    for (const std::string& url : {one.url(), two.url()})
      boost::asio::co_spawn(context, client.ask({.url = url}), [&](std::exception_ptr, const HttpResult& result) {
        answered += result.answered(200) ? 1 : 0;
      });
  std::thread opener([&] {
    both.wait_for(caps.want_all);
    both.open();
  });
  context.run();
  opener.join();
  EXPECT_EQ(answered, 48u) << caps.why;
  EXPECT_EQ(one.most_connections(), caps.want_each) << caps.why;
  EXPECT_EQ(two.most_connections(), caps.want_each) << caps.why;
  EXPECT_EQ(both.most(), caps.want_all) << caps.why;
}

TEST(HttpClient, KeepsToItsCaps) {
  const Caps rows[] = {
      {"connections of a host", 64, 64, 64, 8, 8, 16},
      {"transfers of a host", 64, 4, 64, 64, 4, 8},
      {"as they are by default", Limits().max_transfers, Limits().max_host_transfers, Limits().max_connections,
       Limits().max_host_connections, 8, 16},
  };
  for (const Caps& row : rows) ask_two_hosts(row);
}

TEST(HttpClient, TransfersInAllAreCapped) {
  Gate gate;
  const auto talk = [&](RawPeer& peer, const std::string&) {
    gate.pass();
    return peer.say(kAnswer);
  };
  RawUpstream one(talk), two(talk), three(talk);
  Limits limits;
  limits.max_transfers = 5;
  limits.max_host_transfers = 3;
  HttpClient client(limits, "Test/1");
  boost::asio::io_context context;
  int answered = 0;
  for (int i = 0; i < 10; ++i)
    for (const std::string& url : {one.url(), two.url(), three.url()})
      boost::asio::co_spawn(context, client.ask({.url = url}),
                            [&](std::exception_ptr, const HttpResult& result) { answered += result.answered(200); });
  std::thread opener([&] {
    gate.wait_for(5);
    gate.open();
  });
  context.run();
  opener.join();
  EXPECT_EQ(answered, 30);
  EXPECT_EQ(gate.most(), 5u);
}

TEST(HttpClient, AHostsRequestsStartInTheOrderTheyCame) {
  RawUpstream upstream([&](RawPeer& peer, const std::string&) { return peer.say(kAnswer); });
  Limits limits;
  limits.max_host_transfers = 1;
  HttpClient client(limits, "Test/1");
  boost::asio::io_context context;
  std::vector<std::string> wanted;
  for (int i = 0; i < 50; ++i) {
    wanted.push_back("GET /" + std::to_string(i));
    boost::asio::co_spawn(context, client.ask({.url = upstream.url() + "/" + std::to_string(i)}),
                          [](std::exception_ptr, const HttpResult&) {});
  }
  context.run();
  EXPECT_EQ(upstream.asked(), wanted);
}

TEST(HttpClient, WhatASinkThrowsEndsThatTransferAlone) {
  FakeUpstream upstream;
  upstream.answer_all_with({200, {}, "a body"});
  HttpClient client({}, "Test/1");
  const HttpRequest rows[] = {
      {.url = upstream.url(),
       .open_sink = [](const HttpHead&) -> std::expected<ByteSink, std::string> { throw std::bad_alloc(); }},
      {.url = upstream.url(),
       .open_sink = [](const HttpHead&) { return [](Bytes) -> std::expected<void, std::string> { throw 1; }; }},
      {.url = upstream.url(),
       .open_sink = [](const HttpHead&) -> std::expected<ByteSink, std::string> {
         return std::unexpected("the disk is full");
       }},
  };
  for (const HttpRequest& request : rows) {
    const HttpResult result = run_task(client.ask(request));
    EXPECT_EQ(result.end, End::exhausted);
    EXPECT_NE(result.error, "");
    EXPECT_TRUE(run_task(client.ask({.url = upstream.url()})).answered(200)) << "the client goes on";
  }
}

TEST(HttpClient, ASinkIsOpenedForTheBodyOfA200Alone) {
  FakeUpstream upstream;
  upstream.put("/moved", {302, {{"Location", "/there"}}, "a body"});
  upstream.put("/there", {200, {{"ETag", "\"there\""}}, "the body"});
  upstream.put("/empty", {200, {}, ""});
  upstream.put("/broken", {500, {}, "a body"});
  HttpClient client({}, "Test/1");
  struct Row {
    std::string_view path;
    std::string_view want;
  };
  for (const Row& r : {Row{"/moved", "\"there\"the body"}, {"/empty", ""}, {"/broken", ""}, {"/none", ""}}) {
    const auto got = std::make_shared<std::string>();
    HttpRequest request{.url = upstream.url() + std::string(r.path)};
    request.open_sink = [got](const HttpHead& head) {
      *got += head.etag;
      return [got](Bytes piece) -> std::expected<void, std::string> {
        *got += as_text(piece);
        return {};
      };
    };
    const HttpResult result = run_task(client.ask(std::move(request)));
    EXPECT_EQ(result.end, End::answered) << r.path;
    EXPECT_EQ(*got, r.want) << r.path;
    EXPECT_EQ(got.use_count(), 1) << r.path << ": the sink is gone when the task is done";
  }
}

TEST(HttpClient, StoppingAnswersThoseUnderWayAndThoseThatWait) {
  Gate gate;
  RawUpstream upstream([&](RawPeer&, const std::string&) {
    gate.pass();
    return false;
  });
  Limits limits;
  limits.max_host_transfers = 2;
  HttpClient client(limits, "Test/1");
  boost::asio::io_context context;
  std::vector<HttpResult> results;
  for (int i = 0; i < 10; ++i)
    boost::asio::co_spawn(context, client.ask({.url = upstream.url()}),
                          [&](std::exception_ptr, HttpResult result) { results.push_back(std::move(result)); });
  std::thread stopper([&] {
    gate.wait_for(2);
    client.stop();
    gate.open();
  });
  context.run();
  stopper.join();
  ASSERT_THAT(results, SizeIs(10));
  for (const HttpResult& result : results) {
    EXPECT_EQ(result.end, End::stopped);
    EXPECT_THAT(result.error, HasSubstr("shutting down"));
  }
  EXPECT_EQ(run_task(client.ask({.url = upstream.url()})).end, End::stopped);
}

TEST(HttpClient, WhatFollowsAnAnswerSaysNothingAboutTheNext) {
  bool is_first = true;
  RawUpstream upstream([&](RawPeer& peer, const std::string&) {
    peer.say(std::exchange(is_first, false) ? kAnswer : "more than was announced");
    return true;
  });
  HttpClient client({}, "Test/1");
  EXPECT_TRUE(run_task(client.ask({.url = upstream.url()})).answered(200));
  EXPECT_EQ(run_task(client.ask({.url = upstream.url()})).end, End::reset);
  EXPECT_EQ(upstream.most_connections(), 1u);
  EXPECT_EQ(run_task(client.ask({.url = upstream.url()})).end, End::failed) << "a new connection";
}

TEST(HttpClient, SaysWhyAUrlIsNotAsked) {
  HttpClient client({}, "Test/1");
  for (const std::string url : {"", "nothing", "http://", "http://a b/", "file:///etc/passwd", "ftp://host/"}) {
    const HttpResult result = run_task(client.ask({.url = url}));
    EXPECT_EQ(result.end, End::failed) << url;
    EXPECT_THAT(result.error, HasSubstr("invalid URL: ")) << url;
  }
}

}  // namespace
}  // namespace symcached::fetch
