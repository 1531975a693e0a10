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

/// What went wrong on the way to an answer.
struct EndRow {
  CURLcode code;
  End end;
};
constexpr EndRow kEnds[] = {
    {CURLE_COULDNT_RESOLVE_HOST, End::no_host},
    {CURLE_COULDNT_RESOLVE_PROXY, End::no_host},
    {CURLE_COULDNT_CONNECT, End::no_connection},
    {CURLE_SSL_CONNECT_ERROR, End::tls_failed},
    {CURLE_PEER_FAILED_VERIFICATION, End::tls_failed},
    {CURLE_SSL_CERTPROBLEM, End::tls_failed},
    {CURLE_SSL_CACERT_BADFILE, End::tls_failed},
    {CURLE_SSL_ISSUER_ERROR, End::tls_failed},
    {CURLE_SSL_CIPHER, End::tls_failed},
    {CURLE_SSL_INVALIDCERTSTATUS, End::tls_failed},
    {CURLE_OPERATION_TIMEDOUT, End::timed_out},
    {CURLE_GOT_NOTHING, End::reset},
    {CURLE_SEND_ERROR, End::reset},
    {CURLE_RECV_ERROR, End::reset},
    {CURLE_PARTIAL_FILE, End::reset},
    {CURLE_HTTP2, End::reset},
    {CURLE_HTTP2_STREAM, End::reset},
};

End end_for(CURLcode code) {
  const auto* row = std::ranges::find(kEnds, code, &EndRow::code);
  return row == std::end(kEnds) ? End::failed : row->end;
}

}  // namespace

Hop::Hop(const HttpRequest& request, const Target& target, const HopOptions& options, const Limits& limits,
         const std::string& user_agent)
    : request_(request),
      limits_(limits),
      check_peer_(options.check_peer),
      redirect_type_(options.redirect_type),
      handle_(curl().easy_init()) {
  if (!handle_) throw std::bad_alloc();
  set(CURLOPT_URL, target.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_NOBODY, request.head_only ? 1L : 0L);
  set(CURLOPT_USERAGENT, user_agent.c_str());
  set(CURLOPT_ACCEPT_ENCODING, request.partial ? "identity" : "gzip");
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_ERRORBUFFER, message_.data());
  if (options.choose_proxy) {
    set(CURLOPT_PROXY, options.proxy.c_str());
    set(CURLOPT_NOPROXY, "");  // or the environment might take this host from the proxy again
  }
  set_limits(options);
  set_callbacks();
  if (!request.verb.empty()) set_verb();
  if (!options.own_origin) return;
  set_headers(request.headers);
  set_credentials();
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
  if (limits_.head_timeout_ms != 0) {
    set(CURLOPT_XFERINFOFUNCTION, on_progress);
    set(CURLOPT_XFERINFODATA, this);
    set(CURLOPT_NOPROGRESS, 0L);
  }
  if (!check_peer_) return;
  set(CURLOPT_PREREQFUNCTION, on_request);
  set(CURLOPT_PREREQDATA, this);
}

void Hop::set_verb() {
  set(CURLOPT_CUSTOMREQUEST, request_.verb.c_str());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
  set(CURLOPT_POSTFIELDS, request_.body.c_str());
}

void Hop::set_credentials() {
  if (request_.negotiate != Negotiate::never) {
    const bool waits = request_.negotiate == Negotiate::if_asked;
    set(CURLOPT_HTTPAUTH, waits ? CURLAUTH_NEGOTIATE | CURLAUTH_ONLY : CURLAUTH_NEGOTIATE);
    set(CURLOPT_USERPWD, ":");
  }
  if (!request_.network) return;
  const sources::NetworkRules& rules = *request_.network;
  if (rules.accept_invalid_certs) {
    set(CURLOPT_SSL_VERIFYPEER, 0L);
    set(CURLOPT_SSL_VERIFYHOST, 0L);
  }
  if (!rules.ca_file.empty()) set(CURLOPT_CAINFO, rules.ca_file.c_str());
  if (!rules.client_certificate.empty()) set(CURLOPT_SSLCERT, rules.client_certificate.c_str());
  if (!rules.client_key.empty()) set(CURLOPT_SSLKEY, rules.client_key.c_str());
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
  if (!is_wanted(status())) return take_other_body(piece);
  if (request_.max_body != 0) piece = piece.substr(0, static_cast<std::size_t>(request_.max_body - received_));
  received_ += piece.size();
  too_large_ = received_ > limits_.max_download;
  if (too_large_) return false;
  if (auto taken = sink_body(as_bytes(piece)); !taken) {
    sink_error_ = std::move(taken.error());
    return false;
  }
  enough_ = request_.max_body != 0 && received_ == request_.max_body;
  return !enough_;
}

bool Hop::take_other_body(std::string_view piece) {
  other_body_ += piece.substr(0, request_.keep_other_body - other_body_.size());
  received_ += piece.size();
  cut_by_us_ = received_ > limits_.max_other_body;
  return !cut_by_us_;
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

int Hop::on_progress(void* context, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  Hop& hop = *static_cast<Hop*>(context);
  const auto taken = std::chrono::steady_clock::now() - hop.begun_;
  hop.late_ = hop.received_ == 0 && hop.status() == 0 && taken > std::chrono::milliseconds(hop.limits_.head_timeout_ms);
  return hop.late_ ? 1 : 0;
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

/// A header that may come several times, as one list.
std::string Hop::all_of_header(const char* name) const {
  std::string all;
  curl_header* found = nullptr;
  for (std::size_t i = 0; curl().easy_header(handle_.get(), name, i, CURLH_HEADER, -1, &found) == CURLHE_OK; ++i)
    all += fmt::format("{}{}", i == 0 ? "" : ", ", found->value);
  return all;
}

std::string Hop::location() const { return is_redirect(status()) ? header("Location") : std::string(); }

HttpHead Hop::head() const {
  HttpHead head;
  head.status = status();
  head.content_type = header("Content-Type");
  head.length = header("Content-Length");
  head.etag = header("ETag");
  head.last_modified = header("Last-Modified");
  head.content_encoding = header("Content-Encoding");
  head.content_range = header("Content-Range");
  head.accept_ranges = header("Accept-Ranges");
  head.error_code = header("x-ms-error-code");
  head.content_md5 = header("Content-MD5");
  head.digest = all_of_header("Digest");
  head.repr_digest = all_of_header("Repr-Digest");
  head.amz_sha256 = header("x-amz-checksum-sha256");
  head.goog_hash = all_of_header("x-goog-hash");
  head.redirect_type = redirect_type_;
  read_retry_after(head);
  return head;
}

void Hop::read_retry_after(HttpHead& head) const {
  curl_off_t stated = 0;
  if (curl().easy_getinfo(handle_.get(), CURLINFO_RETRY_AFTER, &stated) != CURLE_OK) return;
  const auto seconds = std::clamp(std::chrono::seconds(stated), std::chrono::seconds(0), kMaxRetryAfter);
  const bool asks_for_pause = head.status == 429 || head.status == 503;
  if (asks_for_pause && seconds.count() > 0) head.retry_after = seconds;
  if (head.status == 404 && !header("Retry-After").empty()) head.there_after = seconds;
}

HttpResult Hop::result(CURLcode code) const {
  HttpResult result;
  result.head = head();
  result.end = end_of(code);
  if (result.end != End::answered) result.error = error_of(result.end, code);
  result.other_body = other_body_;
  return result;
}

End Hop::end_of(CURLcode code) const {
  if (code == CURLE_OK) return End::answered;
  if (threw_ || !sink_error_.empty() || code == CURLE_OUT_OF_MEMORY) return End::exhausted;
  if (too_large_) return End::too_large;
  if (code == CURLE_FILESIZE_EXCEEDED) return is_wanted(status()) ? End::too_large : End::answered;
  if (cut_by_us_ || enough_) return End::answered;
  if (!refused_peer_.empty()) return End::led_astray;
  if (is_broken_off(code) && is_wanted(status())) return End::cut_short;
  if (is_exhaustion(os_error_) || out_of_descriptors()) return End::exhausted;
  if (late_) return End::timed_out;
  if (code == CURLE_OPERATION_TIMEDOUT && is_wanted(status())) return End::too_slow;
  if (met_leftovers(code)) return End::reset;
  return end_for(code);
}

/// Not HTTP, on a connection that was used before: what followed the answer before, most likely.
bool Hop::met_leftovers(CURLcode code) const {
  long opened = 1;  // connections, for this request
  curl().easy_getinfo(handle_.get(), CURLINFO_NUM_CONNECTS, &opened);
  return opened == 0 && (code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_WEIRD_SERVER_REPLY);
}

std::string Hop::error_of(End end, CURLcode code) const {
  if (!sink_error_.empty()) return sink_error_;
  if (threw_) return "out of memory";
  if (end == End::exhausted && os_error_ != 0)
    return fmt::format("cannot create a socket: {}", std::strerror(os_error_));
  if (end == End::too_large) return fmt::format("larger than the limit of {} bytes", limits_.max_download);
  if (end == End::led_astray) return refused_peer_;
  if (late_) return fmt::format("no answer within {} ms", limits_.head_timeout_ms);
  if (head_size_ > kMaxHead) return fmt::format("response headers exceed {} bytes", kMaxHead);
  return message_[0] != '\0' ? message_.data() : curl().easy_strerror(code);
}

}  // namespace symcached::fetch
