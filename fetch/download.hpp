#pragma once
/// "Get this path from there into this sink": with retries, resumed, in parts, and with regard for hosts in trouble.
/// docs/protocols/downloads.md has the rules.
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "fetch/download_body.hpp"
#include "fetch/endpoint.hpp"
#include "fetch/glimpse.hpp"
#include "fetch/host_health.hpp"
#include "fetch/http_client.hpp"
#include "fetch/pace.hpp"
#include "fetch/waits.hpp"

namespace symcached::fetch {

struct DownloadRules {
  unsigned max_attempts = 3;                                         ///< in a row, of which none brought a megabyte
  unsigned max_requests = 20;                                        ///< of one file or part
  std::chrono::milliseconds first_pause{200}, longest_pause{5'000};  ///< between attempts; jittered
  std::chrono::minutes total{60};                                    ///< after which no further attempt begins
  std::uint64_t split_from = std::uint64_t{64} << 20;                ///< bytes of files that come in parts
  std::uint64_t part = std::uint64_t{32} << 20;       ///< bytes, in memory until those before it are there
  unsigned parts = 4;                                 ///< at once
  unsigned max_split = 2;                             ///< files at once that come in parts
  std::uint64_t look_from = std::uint64_t{16} << 20;  ///< bytes of files whose start is looked at before the rest comes
  std::uint64_t look_at = kPart;                      ///< bytes of that start
};

/// Whether to go on with a file whose start, DownloadRules::look_at bytes, has been given to the sink.
/// @param head  of the answer that it started with
using LookAtStart = std::function<Task<bool>(HttpHead head)>;

struct Downloaded {
  HttpResult result;      ///< complete: answered with 200 and the head that the file started with
  unsigned requests = 0;  ///< asked of the source, without redirects

  bool complete() const { return result.answered(200); }
};

/// The start of a file that came in another run: DownloadBody::go_on_after().
struct BegunDownload {
  HttpHead head;
  std::uint64_t bytes = 0;
  ByteSink rest;
};

struct Peeked {
  HttpResult result;
  std::string bytes;  ///< of a 200 or 206
};

/// Of one source. Outlives its tasks; any thread.
class Downloader {
 public:
  static constexpr std::size_t kMaxPeek = kPart;

  Downloader(HttpClient& client, HostHealth& hosts, Endpoint& endpoint, const sources::NetworkRules& network,
             DownloadRules rules = {}, Waits waits = Waits::real());

  /// @param headers  beside those of the endpoint
  /// @param open     called for the first byte, and again whenever the file starts anew: what was given before is then
  ///                 worth nothing. Not called for an error; called without a byte to follow for an empty file.
  /// @param look     of large files; none: they come without a look. What it says no to ends as not_wanted
  /// @param begun    what is there already. If the file has changed, it starts anew
  Task<Downloaded> get(std::string path, http::Headers headers, OpenSink open, LookAtStart look = {},
                       std::optional<BegunDownload> begun = {});
  Task<Downloaded> head(std::string path, http::Headers headers);
  /// A part of a file, by one request that is not repeated. A 200, with the file's start instead, will do where the
  /// part is that.
  /// @param part  of 1..kMaxPeek bytes
  Task<Peeked> peek(std::string path, http::Headers headers, FilePart part);

 private:
  struct Question {
    Endpoint::Method method;
    std::string path;
    http::Headers headers;
  };
  /// One request, after the pauses that the host and the source's pace ask for.
  Task<HttpResult> ask_once(Question question, std::shared_ptr<DownloadBody> body);
  Task<HttpResult> ask_endpoint(HttpRequest request);
  /// Until it is there, or there is no hope. @param body  none: HEAD
  Task<Downloaded> persist(Question question, std::shared_ptr<DownloadBody> body);
  Task<Downloaded> get_after_look(Question question, std::shared_ptr<DownloadBody> body, Downloaded begun,
                                  LookAtStart look);
  Task<Downloaded> get_rest(Question question, std::shared_ptr<DownloadBody> body, Downloaded begun);
  /// A part on its way, kept in memory until those before it are there.
  struct Part {
    std::shared_ptr<DownloadBody> body;
    std::shared_ptr<std::string> bytes;
  };
  std::vector<Part> next_parts(const DownloadBody& whole) const;
  Task<std::vector<Downloaded>> get_parts(Question question, std::vector<Part> parts);
  Task<Downloaded> get_wave(Question question, std::shared_ptr<DownloadBody> body);
  std::chrono::milliseconds pause_before(unsigned attempt) const;

  HttpClient& client_;
  HostHealth& hosts_;
  Endpoint& endpoint_;
  const std::shared_ptr<const sources::NetworkRules> network_;
  const DownloadRules rules_;
  const Waits waits_;
  Pace pace_;
  std::atomic<bool> ranges_work_ = false;
  std::atomic<bool> ranges_fail_ = false;
  std::atomic<unsigned> split_now_ = 0;
};

}  // namespace symcached::fetch
