#pragma once
/// GET over http and https, streaming, as coroutines. One thread of libcurl's multi interface serves all of them.
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "fetch/cabinet.hpp"
#include "fetch/outcome.hpp"
#include "net/http.hpp"
#include "net/task.hpp"

namespace symcached::fetch {

struct HttpResult {
  unsigned status = 0;  ///< of the last answer, redirects followed; 0 if there was none
  std::string content_type;
  std::string error;  ///< why the transfer did not end well, in one line; empty if it did
  bool too_large = false;
};

/// By its Content-Type.
bool is_web_page(const HttpResult& result);

class HttpClient {
 public:
  HttpClient(Limits limits, std::string user_agent);
  ~HttpClient();  ///< transfers under way end with an error first

  /// @param body     takes the bytes of a 200 as they arrive, on the client's thread; lives until the task is done
  /// @param headers  sent to other hosts as well when the answer is a redirect: nothing secret
  /// Bodies of other answers are thrown away. `url` may hold credentials; they are not sent to another host.
  Task<HttpResult> get(std::string url, ByteSink body, http::Headers headers = {});

  /// Ends transfers under way and refuses new ones; afterwards no callback comes from the client's thread any more.
  void stop();

 private:
  class Worker;
  Worker& worker();

  const Limits limits_;
  const std::string user_agent_;
  std::mutex mutex_;
  bool stopped_ = false;
  std::unique_ptr<Worker> worker_;  ///< there from the first get() on, which is what loads libcurl
};

}  // namespace symcached::fetch
