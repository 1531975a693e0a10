#include "fetch/http_client.hpp"

#include <utility>

#include "fetch/http_worker.hpp"

namespace symcached::fetch {

bool is_web_page(const HttpHead& head) {
  return http::same_name(std::string_view(head.content_type).substr(0, 9), "text/html");
}

HttpClient::HttpClient(Limits limits, std::string user_agent, BreakerRules breaker, Waits waits)
    : limits_(limits),
      user_agent_(std::move(user_agent)),
      waits_(std::move(waits)),
      hosts_(std::move(breaker), waits_.now) {}

HttpClient::~HttpClient() = default;

void HttpClient::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  if (worker_) worker_->stop();
}

HttpWorker& HttpClient::worker() {
  const std::scoped_lock lock(mutex_);
  if (!worker_) {
    worker_ = std::make_unique<HttpWorker>(limits_);
    if (stopped_) worker_->stop();
  }
  return *worker_;
}

/// What can throw is done before the wait begins: from there on the transfer answers, whatever happens.
Task<HttpResult> HttpClient::ask(HttpRequest request) {
  HttpWorker& worker = this->worker();
  if (request.sign) request.sign(request);
  const auto transfers = std::make_shared<HttpWorker::Waiting>();
  transfers->push_back(std::make_unique<Transfer>(std::move(request), limits_, user_agent_));
  std::function<void(Transfer::Done)> start = [&worker, transfers](Transfer::Done done) {
    transfers->front()->answer_to(std::move(done));
    worker.submit(std::move(*transfers));
  };
  co_return co_await await_callback<HttpResult>(std::move(start));
}

}  // namespace symcached::fetch
