#include "fetch/http_client.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fetch/curl_library.hpp"
#include "fetch/public_address.hpp"

namespace symcached::fetch {
namespace {

struct EasyFree {
  void operator()(CURL* handle) const { curl().easy_cleanup(handle); }
};
using Easy = std::unique_ptr<CURL, EasyFree>;

struct ListFree {
  void operator()(curl_slist* list) const { curl().slist_free_all(list); }
};
using List = std::unique_ptr<curl_slist, ListFree>;

struct Transfer {
  std::string url;
  ByteSink body;
  std::function<void(HttpResult)> done;
  http::Headers headers;
  std::uint64_t max_download = 0;
  List header_list = nullptr;
  Easy handle = nullptr;
  std::uint64_t received = 0;
  std::string sink_error = {};
  bool too_large = false;
  std::string refused_address = {};
  std::array<char, CURL_ERROR_SIZE> message{};
};

std::size_t take_body(char* data, std::size_t, std::size_t size, void* context) {
  Transfer& transfer = *static_cast<Transfer*>(context);
  long status = 0;
  curl().easy_getinfo(transfer.handle.get(), CURLINFO_RESPONSE_CODE, &status);
  transfer.received += size;
  transfer.too_large = transfer.received > transfer.max_download;
  if (transfer.too_large) return CURL_WRITEFUNC_ERROR;
  if (status != 200) return size;
  if (auto taken = transfer.body(as_bytes(std::string_view(data, size))); !taken) {
    transfer.sink_error = std::move(taken.error());
    return CURL_WRITEFUNC_ERROR;
  }
  return size;
}

/// Called for every address that is about to be connected to, so a name that changes its address gains nothing.
curl_socket_t open_public_socket(void* context, curlsocktype, curl_sockaddr* address) {
  Transfer& transfer = *static_cast<Transfer*>(context);
  if (!is_public(address->addr)) {
    transfer.refused_address = address_text(address->addr);
    return CURL_SOCKET_BAD;
  }
  return ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

List make_header_list(const http::Headers& headers) {
  List list;
  for (const auto& [name, value] : headers) {
    curl_slist* longer = curl().slist_append(list.get(), fmt::format("{}: {}", name, value).c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(list.release());
    list.reset(longer);
  }
  return list;
}

Easy make_handle(Transfer& transfer, const Limits& limits, const std::string& user_agent) {
  Easy easy(curl().easy_init());
  if (!easy) throw std::bad_alloc();
  CURL* h = easy.get();
  const bool secure = transfer.url.starts_with("https:");
  curl().easy_setopt(h, CURLOPT_URL, transfer.url.c_str());
  curl().easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https");
  curl().easy_setopt(h, CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
  curl().easy_setopt(h, CURLOPT_FOLLOWLOCATION, 1L);
  curl().easy_setopt(h, CURLOPT_MAXREDIRS, limits.max_redirects);
  curl().easy_setopt(h, CURLOPT_USERAGENT, user_agent.c_str());
  curl().easy_setopt(h, CURLOPT_ACCEPT_ENCODING, "gzip");
  curl().easy_setopt(h, CURLOPT_CONNECTTIMEOUT_MS, limits.connect_timeout_ms);
  curl().easy_setopt(h, CURLOPT_LOW_SPEED_TIME, limits.silence_s);
  curl().easy_setopt(h, CURLOPT_LOW_SPEED_LIMIT, limits.min_rate);
  curl().easy_setopt(h, CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(limits.max_download));
  curl().easy_setopt(h, CURLOPT_NOSIGNAL, 1L);
  curl().easy_setopt(h, CURLOPT_ERRORBUFFER, transfer.message.data());
  curl().easy_setopt(h, CURLOPT_WRITEFUNCTION, take_body);
  curl().easy_setopt(h, CURLOPT_WRITEDATA, &transfer);
  curl().easy_setopt(h, CURLOPT_TIMEOUT_MS, limits.total_ms);
  transfer.header_list = make_header_list(transfer.headers);
  curl().easy_setopt(h, CURLOPT_HTTPHEADER, transfer.header_list.get());
  if (limits.public_only) {
    curl().easy_setopt(h, CURLOPT_PROXY, "");  // whom a proxy asks cannot be seen
    curl().easy_setopt(h, CURLOPT_OPENSOCKETFUNCTION, open_public_socket);
    curl().easy_setopt(h, CURLOPT_OPENSOCKETDATA, &transfer);
  }
  return easy;
}

HttpResult result_of(const Transfer& transfer, CURLcode code) {
  HttpResult result;
  long status = 0;
  const char* content_type = nullptr;
  curl().easy_getinfo(transfer.handle.get(), CURLINFO_RESPONSE_CODE, &status);
  curl().easy_getinfo(transfer.handle.get(), CURLINFO_CONTENT_TYPE, &content_type);
  result.status = static_cast<unsigned>(status);
  if (content_type != nullptr) result.content_type = content_type;
  result.too_large = transfer.too_large || code == CURLE_FILESIZE_EXCEEDED;
  if (code == CURLE_OK) return result;
  if (result.too_large) result.error = fmt::format("is larger than {} bytes", transfer.max_download);
  else if (!transfer.sink_error.empty()) result.error = transfer.sink_error;
  else if (!transfer.refused_address.empty())
    result.error =
        fmt::format("its address {} is not of the public internet, and only such are asked", transfer.refused_address);
  else result.error = transfer.message[0] != '\0' ? transfer.message.data() : curl().easy_strerror(code);
  return result;
}

}  // namespace

/// The thread and its queue. Everything but the queue is touched by the thread alone.
class HttpClient::Worker {
 public:
  Worker(Limits limits, std::string user_agent)
      : limits_(limits), user_agent_(std::move(user_agent)), multi_(curl().multi_init()) {
    if (multi_ == nullptr) throw std::bad_alloc();
    thread_ = std::thread([this] { run(); });
  }
  ~Worker() {
    stop();
    curl().multi_cleanup(multi_);
  }

  void submit(std::unique_ptr<Transfer> transfer) {
    {
      const std::scoped_lock lock(mutex_);
      if (!stopping_) queue_.push_back(std::move(transfer));
    }
    if (transfer) give_up(std::move(transfer));
    else curl().multi_wakeup(multi_);
  }
  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    curl().multi_wakeup(multi_);
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    while (start_queued()) {
      int running = 0;
      curl().multi_perform(multi_, &running);
      finish_done();
      curl().multi_poll(multi_, nullptr, 0, 1000, nullptr);
    }
    for (auto& [handle, transfer] : active_) {
      curl().multi_remove_handle(multi_, handle);
      give_up(std::move(transfer));
    }
    active_.clear();
  }

  /// @return false once the client is to stop
  bool start_queued() {
    std::vector<std::unique_ptr<Transfer>> queued;
    bool stopping = false;
    {
      const std::scoped_lock lock(mutex_);
      queued.swap(queue_);
      stopping = stopping_;
    }
    for (auto& transfer : queued) {
      if (stopping) {
        give_up(std::move(transfer));
        continue;
      }
      transfer->handle = make_handle(*transfer, limits_, user_agent_);
      CURL* handle = transfer->handle.get();
      active_.emplace(handle, std::move(transfer));
      curl().multi_add_handle(multi_, handle);
    }
    return !stopping;
  }

  void finish_done() {
    int left = 0;
    while (const CURLMsg* message = curl().multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* handle = message->easy_handle;
      const CURLcode code = message->data.result;
      auto transfer = std::move(active_.extract(handle).mapped());
      curl().multi_remove_handle(multi_, handle);
      HttpResult result = result_of(*transfer, code);
      end(std::move(transfer), std::move(result));
    }
  }

  static void give_up(std::unique_ptr<Transfer> transfer) {
    HttpResult result;
    result.error = "given up, the server is shutting down";
    end(std::move(transfer), std::move(result));
  }
  /// The sink is gone before the waiter goes on, so that the waiter alone owns what it wrote to.
  static void end(std::unique_ptr<Transfer> transfer, HttpResult result) {
    const auto done = std::move(transfer->done);
    transfer.reset();
    done(std::move(result));
  }

  const Limits limits_;
  const std::string user_agent_;
  CURLM* const multi_;
  std::unordered_map<CURL*, std::unique_ptr<Transfer>> active_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Transfer>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

bool is_web_page(const HttpResult& result) {
  return http::same_name(std::string_view(result.content_type).substr(0, 9), "text/html");
}

HttpClient::HttpClient(Limits limits, std::string user_agent) : limits_(limits), user_agent_(std::move(user_agent)) {}

HttpClient::~HttpClient() = default;

void HttpClient::stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  if (worker_) worker_->stop();
}

HttpClient::Worker& HttpClient::worker() {
  const std::scoped_lock lock(mutex_);
  if (!worker_) {
    worker_ = std::make_unique<Worker>(limits_, user_agent_);
    if (stopped_) worker_->stop();
  }
  return *worker_;
}

Task<HttpResult> HttpClient::get(std::string url, ByteSink body, http::Headers headers) {
  auto transfer = std::make_shared<std::unique_ptr<Transfer>>(std::make_unique<Transfer>());
  (*transfer)->url = std::move(url);
  (*transfer)->body = std::move(body);
  (*transfer)->headers = std::move(headers);
  (*transfer)->max_download = limits_.max_download;
  co_return co_await await_callback<HttpResult>([this, transfer](std::function<void(HttpResult)> done) {
    (*transfer)->done = std::move(done);
    worker().submit(std::move(*transfer));
  });
}

}  // namespace symcached::fetch
