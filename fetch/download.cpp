#include "fetch/download.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <random>
#include <utility>

#include "fetch/answers.hpp"
#include "net/all_of.hpp"

namespace symcached::fetch {
namespace {

using End = HttpResult::End;
using Sign = HostHealth::Sign;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kWaitHere{5};               ///< longer pauses are the caller's
constexpr std::uint64_t kProgress = 1 << 20;  ///< bytes that make an attempt worth another

bool was_asked(const HttpResult& result) { return result.end != End::left_alone && result.end != End::no_credentials; }

bool may_get_better(const HttpResult& result) {
  constexpr std::array kEnds{End::no_connection, End::reset, End::cut_short};
  constexpr std::array kStatus{408u, 429u, 500u, 502u, 503u, 504u};
  if (std::ranges::find(kEnds, result.end) != kEnds.end()) return true;
  return result.end == End::answered && std::ranges::find(kStatus, result.head.status) != kStatus.end();
}

Sign sign_of(const HttpResult& result) {
  switch (result.end) {
    case End::no_host:
    case End::no_connection:
    case End::tls_failed:
    case End::timed_out:
    case End::too_slow:
    case End::reset: return Sign::ill;
    case End::answered:
    case End::too_large: return result.head.status >= 500 ? Sign::ill : Sign::well;
    default: return Sign::unclear;
  }
}

HttpResult not_asked(End end, std::string why, std::optional<seconds> left_alone_for = {}) {
  HttpResult result{.end = end, .error = std::move(why)};
  result.left_alone_for = left_alone_for;
  return result;
}

/// One of a few places, given back at the end.
class Slot {
 public:
  Slot(std::atomic<unsigned>& taken, unsigned most) : taken_(taken), has_(taken.fetch_add(1) < most) {}
  ~Slot() { taken_.fetch_sub(1); }
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;
  explicit operator bool() const { return has_; }

 private:
  std::atomic<unsigned>& taken_;
  const bool has_;
};

}  // namespace

Downloader::Downloader(HttpClient& client, HostHealth& hosts, Endpoint& endpoint, const sources::NetworkRules& network,
                       DownloadRules rules, Waits waits)
    : client_(client),
      hosts_(hosts),
      endpoint_(endpoint),
      network_(std::make_shared<const sources::NetworkRules>(network)),
      rules_(rules),
      waits_(std::move(waits)),
      pace_(network.requests_per_second) {}

Task<HttpResult> Downloader::ask_endpoint(HttpRequest request) {
  request.network = network_;
  request.keep_other_body = kErrorBody;
  const auto target = parse_target(request.url);
  const std::string host = target ? target->place() : std::string();
  if (const auto pause = hosts_.pause(host); pause && *pause <= kWaitHere) co_await waits_.sleep(*pause);
  if (const auto turn = pace_.take(waits_.now()); turn > turn.zero()) co_await waits_.sleep(turn);
  auto ticket = hosts_.begin(host);
  if (!ticket) {
    std::string why =
        fmt::format("{} is not asked for {} s: it failed or asked for a pause", host, ticket.error().count());
    co_return not_asked(End::left_alone, std::move(why), ticket.error());
  }
  HttpResult result = co_await client_.ask(std::move(request));
  ticket->report(sign_of(result), result.head.retry_after);
  co_return result;
}

Task<HttpResult> Downloader::ask_once(Question question, std::shared_ptr<DownloadBody> body) {
  auto request = co_await endpoint_.request(question.method, std::move(question.path));
  if (!request) co_return not_asked(End::no_credentials, std::move(request.error()));
  request->headers.insert(request->headers.end(), question.headers.begin(), question.headers.end());
  if (body) body->prepare(*request);
  HttpResult result = co_await ask_endpoint(std::move(*request));
  co_return body ? body->judge(std::move(result)) : std::move(result);
}

Task<Downloaded> Downloader::persist(Question question, std::shared_ptr<DownloadBody> body) {
  Downloaded done;
  const auto deadline = waits_.now() + rules_.total;
  std::uint64_t reached = body ? body->at() : 0;
  for (unsigned attempt = 1;; ++attempt) {
    HttpResult result = co_await ask_once(question, body);
    if (!was_asked(result) && done.requests != 0) {  // why it failed before says more
      done.result.left_alone_for = result.left_alone_for;
      break;
    }
    done.requests += was_asked(result) ? 1 : 0;
    done.result = std::move(result);
    if (!may_get_better(done.result) || (body && body->ranges_were_ignored())) break;
    if (body && body->at() >= reached + kProgress) attempt = 1;
    if (body) reached = body->at();
    if (attempt >= rules_.max_attempts || done.requests >= rules_.max_requests) break;
    const auto asked = done.result.head.retry_after;
    const bool is_rate_limited = done.result.end == End::answered && done.result.head.status == 429;
    if (asked ? *asked > kWaitHere : is_rate_limited) break;
    const milliseconds pause = asked ? milliseconds(*asked) : pause_before(attempt);
    if (waits_.now() + pause > deadline) break;
    co_await waits_.sleep(pause);
  }
  co_return done;
}

/// Twice as long each time, of which half is by chance: those who failed together do not come back together.
milliseconds Downloader::pause_before(unsigned attempt) const {
  thread_local std::minstd_rand random(std::random_device{}());
  const milliseconds whole = std::min(rules_.first_pause * (1 << std::min(attempt - 1, 20u)), rules_.longest_pause);
  std::uniform_int_distribution<milliseconds::rep> half(whole.count() / 2, whole.count());
  return milliseconds(half(random));
}

Task<Downloaded> Downloader::get(std::string path, http::Headers headers, OpenSink open, LookAtStart look,
                                 std::optional<BegunDownload> begun) {
  const std::uint64_t max_size = limits_under(client_.limits(), *network_).max_download;
  const auto body = std::make_shared<DownloadBody>(std::move(open), max_size);
  if (!ranges_fail_) body->split_from(rules_.split_from, rules_.part);
  if (look) body->pause_from(rules_.look_from, rules_.look_at);
  if (begun) body->go_on_after(std::move(begun->head), begun->bytes, std::move(begun->rest));
  Question question{Endpoint::Method::get, std::move(path), std::move(headers)};
  Downloaded done = co_await persist(question, body);
  if (done.result.end == End::answered && body->is_paused())
    done = co_await get_after_look(question, body, std::move(done), std::move(look));
  if (done.result.end == End::answered && body->is_split())
    done = co_await get_rest(std::move(question), body, std::move(done));
  if (done.result.answered(206)) done.result.head = body->head();
  co_return done;
}

Task<Downloaded> Downloader::get_after_look(Question question, std::shared_ptr<DownloadBody> body, Downloaded begun,
                                            LookAtStart look) {
  const bool goes_on = co_await look(body->head());
  if (!goes_on) {
    begun.result.end = End::not_wanted;
    begun.result.error = "its start is that of another file";
    co_return begun;
  }
  body->go_on();
  Downloaded rest = co_await persist(std::move(question), std::move(body));
  rest.requests += begun.requests;
  co_return rest;
}

Task<Downloaded> Downloader::head(std::string path, http::Headers headers) {
  Question question{Endpoint::Method::head, std::move(path), std::move(headers)};
  co_return co_await persist(std::move(question), nullptr);
}

Task<Peeked> Downloader::peek(std::string path, http::Headers headers, FilePart part) {
  Peeked peeked;
  part.size = std::clamp<std::uint64_t>(part.size, 1, kMaxPeek);
  auto request = co_await endpoint_.request(Endpoint::Method::get, std::move(path));
  if (!request) {
    peeked.result = not_asked(End::no_credentials, std::move(request.error()));
    co_return peeked;
  }
  request->headers.insert(request->headers.end(), headers.begin(), headers.end());
  request->headers.emplace_back("Range", fmt::format("bytes={}-{}", part.offset, part.offset + part.size - 1));
  request->partial = true;
  request->max_body = part.size;
  const auto bytes = std::make_shared<std::string>();
  const auto is_other_part = std::make_shared<bool>(false);
  request->open_sink = [bytes, is_other_part,
                        from = part.offset](const HttpHead& head) -> std::expected<ByteSink, std::string> {
    const auto range = ContentRange::parse(head.content_range);
    *is_other_part = head.status == 206 ? !range || range->first != from : from != 0;
    if (*is_other_part) return std::unexpected("sent another part than asked for");
    return appending_to(bytes);
  };
  peeked.result = co_await ask_endpoint(std::move(*request));
  peeked.bytes = std::move(*bytes);
  if (*is_other_part) peeked.result.end = End::cut_short;
  co_return peeked;
}

std::vector<Downloader::Part> Downloader::next_parts(const DownloadBody& whole) const {
  const unsigned width = ranges_work_ ? rules_.parts : 1;
  std::vector<Part> parts;
  for (std::uint64_t from = whole.at(); from < whole.total() && parts.size() < width; from += rules_.part) {
    const auto bytes = std::make_shared<std::string>();
    OpenSink open = [bytes](const HttpHead&) -> std::expected<ByteSink, std::string> { return appending_to(bytes); };
    const std::uint64_t until = std::min(from + rules_.part, whole.total());
    parts.push_back({std::make_shared<DownloadBody>(whole, std::move(open), from, until), bytes});
  }
  return parts;
}

Task<std::vector<Downloaded>> Downloader::get_parts(Question question, std::vector<Part> parts) {
  std::vector<Task<Downloaded>> tasks;
  for (const Part& part : parts) tasks.push_back(persist(question, part.body));
  try {
    co_return co_await all_of(std::move(tasks));
  } catch (const std::bad_alloc&) {
  }
  Downloaded failed;
  failed.result = not_asked(End::exhausted, "out of memory");
  co_return std::vector<Downloaded>(parts.size(), failed);
}

/// The next parts, in order into the body. Ends as the first one does that is not all there.
Task<Downloaded> Downloader::get_wave(Question question, std::shared_ptr<DownloadBody> body) {
  Downloaded wave;
  const std::vector<Part> parts = next_parts(*body);
  std::vector<Downloaded> ends = co_await get_parts(std::move(question), parts);
  for (const Downloaded& end : ends) wave.requests += end.requests;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    wave.result = std::move(ends[i].result);
    if (parts[i].body->ranges_were_ignored()) {
      body->do_not_split();
      if (!ranges_work_) ranges_fail_ = true;
    }
    if (!wave.result.answered(206)) co_return wave;
    if (auto taken = body->append(as_bytes(*parts[i].bytes)); !taken) {
      wave.result = not_asked(End::exhausted, std::move(taken.error()));
      co_return wave;
    }
    parts[i].bytes->clear();
    parts[i].bytes->shrink_to_fit();
  }
  ranges_work_ = true;
  co_return wave;
}

/// The first wave is of one part, which shows whether the server sends any. Where it sends the whole file instead, or
/// the parts are not what their digest says, the file comes anew and in one piece.
Task<Downloaded> Downloader::get_rest(Question question, std::shared_ptr<DownloadBody> body, Downloaded begun) {
  const Slot slot(split_now_, rules_.max_split);
  if (!slot) body->do_not_split();
  while (body->is_split()) {
    Downloaded wave = co_await get_wave(question, body);
    begun.requests += wave.requests;
    begun.result = std::move(wave.result);
    if (body->is_split() && !begun.result.answered(206)) co_return begun;
    if (body->at() < body->total()) continue;
    if (body->is_sound()) co_return begun;
    body->do_not_split();
  }
  if (slot) body->start_anew();
  Downloaded rest = co_await persist(std::move(question), body);
  rest.requests += begun.requests;
  co_return rest;
}

}  // namespace symcached::fetch
