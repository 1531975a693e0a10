#pragma once
/// One request to one URL: a handle of libcurl, and what its callbacks saw.
#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "base/byte_sink.hpp"
#include "fetch/curl_library.hpp"
#include "fetch/http_result.hpp"
#include "fetch/limits.hpp"
#include "fetch/redirect.hpp"
#include "net/http.hpp"

namespace symcached::fetch {

/// Called with the head of a 200 (of a 206, if a part was asked for) when the first byte of its body arrived; what it
/// returns takes the body.
using OpenSink = std::function<std::expected<ByteSink, std::string>(const HttpHead& head)>;

/// Logging in by Kerberos, at the origin of the URL alone, with the credentials of the process.
enum class Negotiate : std::uint8_t {
  never,
  if_asked,  ///< once the server answers 401 and offers it; each request is then sent twice
  at_once,
};

struct HttpRequest {
  std::string url;  ///< may hold credentials
  http::Headers headers = {};
  OpenSink open_sink = {};
  bool head_only = false;           ///< HEAD
  std::string verb = {};            ///< instead of GET and HEAD; redirects are then not followed
  std::string body = {};            ///< sent with `verb`
  bool partial = false;             ///< the headers ask for a range: the body of a 206 is wanted, and none encoded
  std::uint64_t max_body = 0;       ///< so many bytes of the body are enough, the rest is cut off; 0: all
  std::size_t keep_other_body = 0;  ///< bytes, for HttpResult::other_body
  std::function<void(HttpRequest&)> sign = {};  ///< adds a signature over all other headers, before it is sent
  Negotiate negotiate = Negotiate::never;
  std::shared_ptr<const sources::NetworkRules> network = {};  ///< none: as the client was made
};

struct HopOptions {
  bool check_peer = false;         ///< the address that is connected to must be of the public internet
  bool choose_proxy = false;       ///< `proxy` counts, not the environment
  std::string proxy = {};          ///< empty: none
  bool own_origin = true;          ///< headers and credentials of the request are sent, its rules for TLS hold
  long time_ms = 0;                ///< 0: as long as bytes arrive
  std::string redirect_type = {};  ///< for HttpHead
};

/// Neither moved nor copied: libcurl points to it. `request` and `limits` outlive it.
class Hop {
 public:
  /// Throws std::bad_alloc.
  Hop(const HttpRequest& request, const Target& target, const HopOptions& options, const Limits& limits,
      const std::string& user_agent);
  Hop(const Hop&) = delete;
  Hop& operator=(const Hop&) = delete;

  CURL* handle() const { return handle_.get(); }
  /// Once libcurl is done. Of a peer that was refused the error is the address alone.
  /// @param code  what libcurl ended the hop with
  HttpResult result(CURLcode code) const;
  /// Where a redirect leads; empty if this answer is none.
  std::string location() const;

 private:
  struct EasyFree {
    void operator()(CURL* handle) const { curl().easy_cleanup(handle); }
  };
  struct ListFree {
    void operator()(curl_slist* list) const { curl().slist_free_all(list); }
  };

  static std::size_t on_header(char* data, std::size_t, std::size_t size, void* context);
  static std::size_t on_body(char* data, std::size_t, std::size_t size, void* context);
  static curl_socket_t on_socket(void* context, curlsocktype, curl_sockaddr* address);
  static int on_request(void* context, char* peer, char*, int, int);

  static int on_progress(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  void set_limits(const HopOptions& options);
  void set_callbacks();
  void set_verb();
  void set_credentials();
  void set_headers(const http::Headers& headers);
  template <class Value>
  void set(CURLoption option, Value value);
  bool take_body(std::string_view piece);
  bool take_other_body(std::string_view piece);
  bool is_wanted(unsigned status) const { return status == 200 || (status == 206 && request_.partial); }
  std::expected<void, std::string> sink_body(Bytes piece);
  unsigned status() const;
  HttpHead head() const;
  void read_retry_after(HttpHead& head) const;
  std::string header(const char* name) const;
  std::string all_of_header(const char* name) const;
  HttpResult::End end_of(CURLcode code) const;
  bool met_leftovers(CURLcode code) const;
  std::string error_of(HttpResult::End end, CURLcode code) const;

  const HttpRequest& request_;
  const Limits& limits_;
  const bool check_peer_;
  const std::string redirect_type_;
  std::uint64_t head_size_ = 0;
  std::uint64_t received_ = 0;
  ByteSink sink_;
  std::string sink_error_;
  std::string refused_peer_;
  int os_error_ = 0;        ///< of the last socket that could not be made
  bool too_large_ = false;  ///< the body of a 200
  bool cut_by_us_ = false;  ///< the body of another answer, whose status is all that counts
  bool enough_ = false;     ///< all of the body that was wanted is there
  bool late_ = false;       ///< no head in time
  bool threw_ = false;      ///< something in a callback
  std::string other_body_;
  std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::array<char, CURL_ERROR_SIZE> message_{};
  std::unique_ptr<curl_slist, ListFree> header_list_;
  std::unique_ptr<CURL, EasyFree> handle_;  ///< goes first
};

}  // namespace symcached::fetch
