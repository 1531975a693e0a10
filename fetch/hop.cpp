#include "fetch/hop.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/descriptor.hpp"
#include "fetch/outcome.hpp"
#include "fetch/public_address.hpp"

namespace symcached::fetch {
namespace {

using End = HttpResult::End;

constexpr std::uint64_t kMaxHead = 256 << 10;  ///< bytes of all header lines of one hop, interim answers among them

/// A name that could not be looked up or a certificate that could not be read may be a lack of descriptors in disguise.
bool out_of_descriptors() {
  const Descriptor probe(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return !probe && is_exhaustion(errno);
}

bool is_redirect(unsigned status) {
  constexpr std::array<unsigned, 5> kAll{301, 302, 303, 307, 308};
  return std::ranges::find(kAll, status) != kAll.end();
}

bool is_broken_off(CURLcode code) {
  constexpr std::array kAll{CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_HTTP2_STREAM};
  return std::ranges::find(kAll, code) != kAll.end();
}

}  // namespace

Hop::Hop(const HttpRequest& request, const Target& target, const HopOptions& options, const Limits& limits,
         const std::string& user_agent)
    : request_(request), limits_(limits), check_peer_(options.check_peer), handle_(curl().easy_init()) {
  if (!handle_) throw std::bad_alloc();
  set(CURLOPT_URL, target.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NOBODY, request.head_only ? 1L : 0L);
  set(CURLOPT_USERAGENT, user_agent.c_str());
  set(CURLOPT_ACCEPT_ENCODING, "gzip");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_ERRORBUFFER, message_.data());
  if (options.choose_proxy) {
    set(CURLOPT_PROXY, options.proxy.c_str());
    set(CURLOPT_NOPROXY, "");  // or the environment might take this host from the proxy again
  }
  set_limits(options);
  set_callbacks();
  if (options.own_headers) set_headers(request.headers);
}

template <class Value>
void Hop::set(CURLoption option, Value value) {
  if (curl().easy_setopt(handle_.get(), option, value) != CURLE_OK) throw std::bad_alloc();
}

void Hop::set_limits(const HopOptions& options) {
  set(CURLOPT_CONNECTTIMEOUT_MS, limits_.connect_timeout_ms);
  set(CURLOPT_LOW_SPEED_TIME, limits_.silence_s);
  set(CURLOPT_LOW_SPEED_LIMIT, limits_.min_rate);
  set(CURLOPT_TIMEOUT_MS, options.time_ms);
  set(CURLOPT_MAXFILESIZE_LARGE, static_cast<curl_off_t>(limits_.max_download));
}

void Hop::set_callbacks() {
  set(CURLOPT_HEADERFUNCTION, on_header);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, on_body);
  set(CURLOPT_WRITEDATA, this);
  set(CURLOPT_OPENSOCKETFUNCTION, on_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  if (!check_peer_) return;
  set(CURLOPT_PREREQFUNCTION, on_request);
  set(CURLOPT_PREREQDATA, this);
}

void Hop::set_headers(const http::Headers& headers) {
  for (const auto& [name, value] : headers) {
    curl_slist* longer = curl().slist_append(header_list_.get(), fmt::format("{}: {}", name, value).c_str());
    if (longer == nullptr) throw std::bad_alloc();
    static_cast<void>(header_list_.release());
    header_list_.reset(longer);
  }
  set(CURLOPT_HTTPHEADER, header_list_.get());
}

std::size_t Hop::on_header(char*, std::size_t, std::size_t size, void* context) {
  Hop& hop = *static_cast<Hop*>(context);
  hop.head_size_ += size;
  return hop.head_size_ > kMaxHead ? 0 : size;
}

std::size_t Hop::on_body(char* data, std::size_t, std::size_t size, void* context) {
  Hop& hop = *static_cast<Hop*>(context);
  try {
    return hop.take_body({data, size}) ? size : CURL_WRITEFUNC_ERROR;
  } catch (...) {  // libcurl is C: nothing may pass through it
    hop.threw_ = true;
    return CURL_WRITEFUNC_ERROR;
  }
}

bool Hop::take_body(std::string_view piece) {
  received_ += piece.size();
  if (status() != 200) {
    cut_by_us_ = received_ > limits_.max_other_body;
    return !cut_by_us_;
  }
  too_large_ = received_ > limits_.max_download;
  if (too_large_) return false;
  if (auto taken = sink_body(as_bytes(piece)); !taken) {
    sink_error_ = std::move(taken.error());
    return false;
  }
  return true;
}

std::expected<void, std::string> Hop::sink_body(Bytes piece) {
  if (!request_.open_sink) return {};
  if (!sink_) {
    auto opened = request_.open_sink(head());
    if (!opened) return std::unexpected(std::move(opened.error()));
    sink_ = std::move(*opened);
  }
  return sink_(piece);
}

/// Called for every address that is about to be connected to, so a name that changes its address gains nothing.
curl_socket_t Hop::on_socket(void* context, curlsocktype, curl_sockaddr* address) {
  Hop& hop = *static_cast<Hop*>(context);
  try {
    if (hop.check_peer_ && !is_public(address->addr)) {
      hop.refused_peer_ = address_text(address->addr);
      return CURL_SOCKET_BAD;
    }
  } catch (...) {
    hop.threw_ = true;
    return CURL_SOCKET_BAD;
  }
  const int made = ::socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
  if (made < 0) hop.os_error_ = errno;
  return made;
}

/// Called before every request: the connection may be an old one, made for whom another rule holds.
int Hop::on_request(void* context, char* peer, char*, int, int) {
  Hop& hop = *static_cast<Hop*>(context);
  try {
    if (is_public_text(peer)) return CURL_PREREQFUNC_OK;
    hop.refused_peer_ = peer;
  } catch (...) {
    hop.threw_ = true;
  }
  return CURL_PREREQFUNC_ABORT;
}

unsigned Hop::status() const {
  long status = 0;
  curl().easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<unsigned>(status);
}

std::string Hop::header(const char* name) const {
  curl_header* found = nullptr;
  constexpr int kLastRequest = -1;
  if (curl().easy_header(handle_.get(), name, 0, CURLH_HEADER, kLastRequest, &found) != CURLHE_OK) return {};
  return found->value;
}

std::string Hop::location() const { return is_redirect(status()) ? header("Location") : std::string(); }

HttpHead Hop::head() const {
  HttpHead head;
  head.status = status();
  head.content_type = header("Content-Type");
  head.length = header("Content-Length");
  head.etag = header("ETag");
  head.last_modified = header("Last-Modified");
  curl_off_t seconds = 0;
  if (curl().easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK && seconds > 0)
    head.retry_after = std::min<std::chrono::seconds>(std::chrono::seconds(seconds), kMaxRetryAfter);
  return head;
}

HttpResult Hop::result(CURLcode code) const {
  HttpResult result;
  result.head = head();
  result.end = end_of(code);
  if (result.end != End::answered) result.error = error_of(result.end, code);
  return result;
}

End Hop::end_of(CURLcode code) const {
  if (code == CURLE_OK) return End::answered;
  if (threw_ || !sink_error_.empty() || code == CURLE_OUT_OF_MEMORY) return End::exhausted;
  if (too_large_) return End::too_large;
  if (code == CURLE_FILESIZE_EXCEEDED) return status() == 200 ? End::too_large : End::answered;
  if (cut_by_us_) return End::answered;
  if (!refused_peer_.empty()) return End::led_astray;
  if (is_broken_off(code) && status() == 200) return End::cut_short;
  if (is_exhaustion(os_error_) || out_of_descriptors()) return End::exhausted;
  return End::failed;
}

std::string Hop::error_of(End end, CURLcode code) const {
  if (!sink_error_.empty()) return sink_error_;
  if (threw_) return "out of memory";
  if (end == End::exhausted && os_error_ != 0)
    return fmt::format("cannot create a socket: {}", std::strerror(os_error_));
  if (end == End::too_large) return fmt::format("larger than the limit of {} bytes", limits_.max_download);
  if (end == End::led_astray) return refused_peer_;
  if (head_size_ > kMaxHead) return fmt::format("response headers exceed {} bytes", kMaxHead);
  return message_[0] != '\0' ? message_.data() : curl().easy_strerror(code);
}

}  // namespace symcached::fetch
