#include "api/admin/pprof.hpp"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>

#include "profiling/handlers.hpp"
#include "profiling/quiet_thread.hpp"

namespace symcached::api {
namespace {

namespace asio = boost::asio;
using Timer = std::shared_ptr<asio::steady_timer>;

constexpr std::size_t kMostAtOnce = 16;

http::Response response_of(pprof::PageResponse page) {
  http::Response response{static_cast<unsigned>(page.status)};
  for (auto& header : page.headers) response.headers.push_back(std::move(header));
  response.body = std::move(page.body);
  return response;
}

http::Response too_many() {
  return response_of(pprof::refused({503, "too many of these pages at once, or the server is shutting down", 5}));
}

}  // namespace

/// One request, shared by the coroutine and the thread.
struct PprofDesk::Errand {
  explicit Errand(http::Request its_request) : request(std::move(its_request)) {}

  const http::Request request;
  std::stop_source stop;
  std::mutex mutex;
  std::optional<pprof::PageResponse> page;
  Timer waiting;  ///< null when nobody does
};

struct PprofDesk::State {
  explicit State(pprof::Sources sources) : handlers(std::move(sources)) {}

  const pprof::Handlers handlers;
  std::mutex mutex;
  std::condition_variable ended;
  bool is_stopped = false;
  std::set<std::shared_ptr<Errand>> under_way;

  bool add(const std::shared_ptr<Errand>& errand) {
    const std::scoped_lock lock(mutex);
    return !is_stopped && under_way.size() < kMostAtOnce && under_way.insert(errand).second;
  }
  void remove(const std::shared_ptr<Errand>& errand) {
    const std::scoped_lock lock(mutex);
    under_way.erase(errand);
    ended.notify_all();
  }

  /// On the thread.
  void run(const std::shared_ptr<Errand>& errand) {
    const http::Request& request = errand->request;
    auto page = handlers.handle({.method = request.method,
                                 .target = request.target,
                                 .accept = request.header("Accept").value_or(""),
                                 .body = request.body,
                                 .stop = errand->stop.get_token()});
    {
      const std::scoped_lock lock(errand->mutex);
      errand->page = std::move(page);
      if (const Timer timer = errand->waiting)  // also if its wait has not begun
        asio::post(timer->get_executor(), [timer] { timer->expires_at(std::chrono::steady_clock::time_point::min()); });
    }
    remove(errand);
  }
};

/// Names the timer to the thread, until the coroutine ends or is destroyed.
class PprofDesk::Waiter {
 public:
  Waiter(std::shared_ptr<Errand> errand, Timer timer) : errand_(std::move(errand)) {
    const std::scoped_lock lock(errand_->mutex);
    errand_->waiting = std::move(timer);
  }
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  ~Waiter() {
    const std::scoped_lock lock(errand_->mutex);
    errand_->waiting = nullptr;
    errand_->stop.request_stop();
  }

 private:
  const std::shared_ptr<Errand> errand_;
};

PprofDesk::PprofDesk(pprof::Sources sources) : state_(std::make_shared<State>(std::move(sources))) {}

PprofDesk::~PprofDesk() {
  stop();
  std::unique_lock lock(state_->mutex);
  state_->ended.wait(lock, [this] { return state_->under_way.empty(); });
}

bool PprofDesk::has(std::string_view target) {
  return pprof::Handlers::is_page(target) && target.size() > 1 && target[1] != '?';  // "/" is the listener's own
}

http::BodyPlan PprofDesk::plan_body(const http::Request& head) {
  if (!has(head.target)) return {};
  return http::BodyLimit{pprof::kMaxBody};
}

Task<http::Response> PprofDesk::answer(http::Request request) {
  const auto state = state_;
  const auto errand = std::make_shared<Errand>(std::move(request));
  const auto timer =
      std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
  const Waiter waiter(errand, timer);
  if (!state->add(errand)) co_return too_many();
  try {
    pprof::quiet_thread("pprof", [state, errand] { state->run(errand); }).detach();
  } catch (...) {
    state->remove(errand);
    throw;
  }
  for (;;) {
    boost::system::error_code ignored;
    co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
    const std::scoped_lock lock(errand->mutex);
    if (errand->page) co_return response_of(*std::move(errand->page));
    errand->stop.request_stop();  // the client is gone: this wait was cut short
  }
}

void PprofDesk::stop() {
  const std::scoped_lock lock(state_->mutex);
  state_->is_stopped = true;
  for (const auto& errand : state_->under_way) errand->stop.request_stop();
}

}  // namespace symcached::api
