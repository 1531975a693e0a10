#include "api/admin/pprof.hpp"

#include <gmock/gmock.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <latch>

#include "net/run_task.hpp"
#include "testing/pprof/fake_sources.hpp"

namespace symcached::api {
namespace {

namespace asio = boost::asio;

/// A CPU profile that ends when it is stopped, and calls `began` before.
pprof::Sources endless(pprof::FakeSources& fake, std::function<void()> began) {
  pprof::Sources sources = fake.sources();
  sources.cpu = [began](pprof::CpuOptions, const std::stop_token& stop) -> pprof::Answer<pprof::Profile> {
    std::latch stopped(1);
    const std::stop_callback wake(stop, [&] { stopped.count_down(); });
    began();
    stopped.wait();
    return std::unexpected(pprof::Refusal{503, "stopped"});
  };
  return sources;
}

http::Request profile() { return {.target = "/pprof/profile"}; }

TEST(PprofDesk, AClientThatGoesEndsItsProfile) {
  asio::io_context context(1);
  asio::cancellation_signal hang_up;  // as net::Connection sends it
  pprof::FakeSources fake;
  PprofDesk desk(endless(fake, [&] { asio::post(context, [&] { hang_up.emit(asio::cancellation_type::terminal); }); }));
  const auto serve = [&]() -> Task<unsigned> {
    co_await asio::this_coro::throw_if_cancelled(false);
    const http::Response response = co_await desk.answer(profile());
    co_return response.status;
  };
  unsigned status = 0;
  asio::co_spawn(context, serve(),
                 asio::bind_cancellation_slot(hang_up.slot(), [&](std::exception_ptr, unsigned s) { status = s; }));
  context.run();
  EXPECT_EQ(status, 503u);
}

TEST(PprofDesk, StopEndsWhatIsUnderWay) {
  pprof::FakeSources fake;
  PprofDesk* to_stop = nullptr;
  PprofDesk desk(endless(fake, [&] { to_stop->stop(); }));
  to_stop = &desk;
  EXPECT_EQ(run_task(desk.answer(profile())).status, 503u);
  EXPECT_EQ(run_task(desk.answer({.target = "/pprof/symbol"})).status, 503u);  // nothing more is begun
}

TEST(PprofDesk, ACoroutineMayBeDestroyedMeanwhile) {
  pprof::FakeSources fake;
  std::latch began(1);
  PprofDesk desk(endless(fake, [&] { began.count_down(); }));
  {
    asio::io_context context(1);
    asio::co_spawn(context, desk.answer(profile()), [](std::exception_ptr, http::Response) {});
    context.poll();
    began.wait();
  }
}

}  // namespace
}  // namespace symcached::api
