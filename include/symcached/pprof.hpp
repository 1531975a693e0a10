#pragma once
/// libsymcached_pprof in C++17: a header-only layer over pprof.h, so that the ABI is C. Thread safety and cost are
/// described there. Nothing throws, except std::bad_alloc.
///
///     symcached::pprof::Server server{{.address = "127.0.0.1:8080"}};
#include <symcached/pprof.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace symcached::pprof {
inline namespace v0 {

struct Options {
  std::string address = "127.0.0.1:0";  ///< port 0: any that is free
  std::string token = {};               ///< that clients have to send; empty: none
  bool allow_remote = false;            ///< without a token, an address that other machines reach will do, too
  std::uint32_t max_connections = 16;   ///< at once
};

/// Serves from its construction to its destruction. If it cannot, the program goes on without it: error() says why.
class Server {
 public:
  explicit Server(const Options& options = {}) {
    symcached_pprof_options all{};
    all.struct_size = sizeof(all);
    all.address = options.address.c_str();
    all.token = options.token.c_str();
    all.allow_remote = options.allow_remote ? 1 : 0;
    all.max_connections = options.max_connections;
    char error[512] = "";
    server_.reset(symcached_pprof_start(&all, error, sizeof(error)));
    error_ = error;
  }

  explicit operator bool() const { return server_ != nullptr; }
  const std::string& error() const { return error_; }  ///< empty if it serves
  std::uint16_t port() const { return server_ ? symcached_pprof_port(server_.get()) : std::uint16_t{0}; }

 private:
  struct Stop {
    void operator()(symcached_pprof_server* server) const { symcached_pprof_stop(server); }
  };
  std::unique_ptr<symcached_pprof_server, Stop> server_;
  std::string error_;
};

/// Ends the profile of a client that is gone.
class Canceller {
 public:
  Canceller() : canceller_(symcached_pprof_canceller_new()) {
    if (canceller_ == nullptr) throw std::bad_alloc();
  }
  void cancel() const { symcached_pprof_cancel(canceller_.get()); }
  symcached_pprof_canceller* get() const { return canceller_.get(); }

 private:
  struct Free {
    void operator()(symcached_pprof_canceller* canceller) const { symcached_pprof_canceller_free(canceller); }
  };
  std::unique_ptr<symcached_pprof_canceller, Free> canceller_;
};

struct Request {
  std::string_view method = "GET";
  std::string_view target = "/";  ///< path and query as they came, percent-encoded
  std::string_view body = {};
  std::string_view accept = {};         ///< the header of that name
  std::string_view authorization = {};  ///< the same
  std::string_view token = {};          ///< that clients have to send; empty: your server decides who may ask
  const Canceller* canceller = nullptr;
};

class Response {
 public:
  int status() const { return symcached_pprof_status(response_.get()); }
  /// Without Content-Length.
  std::vector<std::pair<std::string, std::string>> headers() const {
    std::vector<std::pair<std::string, std::string>> all;
    const char* value = nullptr;
    while (const char* name = symcached_pprof_header(response_.get(), all.size(), &value))
      all.emplace_back(name, value);
    return all;
  }
  /// As long as the response lives.
  std::string_view body() const {
    const symcached_pprof_text body = symcached_pprof_body(response_.get());
    return {body.data, body.size};
  }

 private:
  friend Response handle(const Request& request);
  struct Free {
    void operator()(symcached_pprof_response* response) const { symcached_pprof_response_free(response); }
  };
  std::unique_ptr<symcached_pprof_response, Free> response_;
};

/// Whether there is such a page.
inline bool is_page(std::string_view target) { return symcached_pprof_is_page({target.data(), target.size()}) != 0; }

/// Answers a request, whatever the page. A profile takes as long as it is asked to: 30 s by default.
inline Response handle(const Request& request) {
  const auto text = [](std::string_view from) { return symcached_pprof_text{from.data(), from.size()}; };
  symcached_pprof_request all{};
  all.struct_size = sizeof(all);
  all.method = text(request.method);
  all.target = text(request.target);
  all.accept = text(request.accept);
  all.authorization = text(request.authorization);
  all.body = text(request.body);
  all.token = text(request.token);
  all.canceller = request.canceller != nullptr ? request.canceller->get() : nullptr;
  Response response;
  response.response_.reset(symcached_pprof_handle(&all));
  if (response.response_ == nullptr) throw std::bad_alloc();
  return response;
}

inline Response handle(std::string_view method, std::string_view target, std::string_view body = {}) {
  Request request;
  request.method = method;
  request.target = target;
  request.body = body;
  return handle(request);
}

}  // namespace v0
}  // namespace symcached::pprof
