#include "client/symcache_server.hpp"

#include <fmt/format.h>

#include <charconv>

namespace symcached::client {
namespace {

using std::chrono::milliseconds;

constexpr wpt::Version kUsualMicrosoft{3, 1, 0}, kUsualOpen{2, 1, 0};
constexpr unsigned kMostTimeouts = 3;  ///< requests in a row

/// '/' between the parts; age 1 is written out, too.
std::string path_of(const SymcacheKey& key, const wpt::Version& version) {
  return fmt::format("v{}/{}/{}/{}", version.to_string(), key.pdb_name, key.id.guid.hex_upper(), key.id.age);
}

/// Which of the two names servers look for is known of none of them.
http::Headers headers_of(const SymcacheServer::Question& question) {
  http::Headers headers{{"Allow-Retry-After", "true"}, {"Accept-Retry-After", "true"}};
  if (question.have) headers.emplace_back("If-Version-Exceeds", question.have->to_string());
  return headers;
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::string_view reason_of(Later::Kind kind) {
  switch (kind) {
    case Later::Kind::being_made: return "the server is still making it";
    case Later::Kind::busy: return "the server is busy and asked to be left alone";
    case Later::Kind::slow: break;
  }
  return "the server did not answer in time";
}

}  // namespace

/// What came for one request with its retries, or why it was refused.
struct SymcacheServer::Arrival {
  wpt::Version version;
  std::optional<Failed> refusal;
  std::uint64_t bytes = 0;

  std::expected<ByteSink, std::string> begin(const fetch::HttpHead& head, const wpt::Version& requested,
                                             const Question& question) {
    auto stated = version_of_body(head, requested);
    if (!stated) return refuse({std::move(stated.error())});
    const Announced announced{*stated, number_in(head.length), head.etag, !head.content_encoding.empty()};
    auto sink = question.file->begin(announced);
    if (!sink) return refuse({std::move(sink.error()), true});
    return sink_of(announced, 0, std::move(*sink), question);
  }

  std::optional<fetch::BegunDownload> go_on(const Question& question) {
    auto begun = question.file->begun();
    if (!begun) return std::nullopt;
    fetch::HttpHead head{.status = 200};
    head.length = std::to_string(begun->announced.size);
    head.etag = begun->announced.etag;
    ByteSink rest = sink_of(begun->announced, begun->bytes, std::move(begun->sink), question);
    return fetch::BegunDownload{std::move(head), begun->bytes, std::move(rest)};
  }

 private:
  ByteSink sink_of(const Announced& announced, std::uint64_t from, ByteSink sink, const Question& question) {
    version = announced.version;
    bytes = from;
    return [this, sink = std::move(sink), told = question.watch.receiving,
            total = announced.size](Bytes piece) -> std::expected<void, std::string> {
      bytes += piece.size();
      if (auto taken = sink(piece); !taken) return taken;
      if (told) told(bytes, total);
      return {};
    };
  }
  std::unexpected<std::string> refuse(Failed why) { return std::unexpected(refusal.emplace(std::move(why)).why); }
};

wpt::Version usual_version(std::string_view url) {
  while (url.ends_with('/')) url.remove_suffix(1);
  url.remove_prefix(std::min(url.size(), url.find("://") + 3));
  return url.ends_with("/open") ? kUsualOpen : kUsualMicrosoft;
}

SymcacheServer::SymcacheServer(std::unique_ptr<fetch::PlainEndpoint> endpoint, const ServerPlace& place,
                               fetch::HttpClient& http)
    : endpoint_(std::move(endpoint)),
      version_(place.version),
      waits_(http.waits()),
      downloader_(http, http.hosts(), *endpoint_, place.network, {}, http.waits()) {}

std::expected<std::unique_ptr<SymcacheServer>, std::string> SymcacheServer::open(ServerPlace place,
                                                                                 fetch::HttpClient& http) {
  auto endpoint = fetch::PlainEndpoint::open(place.http);
  if (!endpoint) return std::unexpected(std::move(endpoint.error()));
  return std::unique_ptr<SymcacheServer>(new SymcacheServer(std::move(*endpoint), place, http));
}

std::string SymcacheServer::identity_of(const SymcacheKey& key) const { return shown() + "/" + path_of(key, version_); }

Task<Answer> SymcacheServer::ask_once(std::shared_ptr<const Question> question, std::shared_ptr<Arrival> arrival) {
  fetch::OpenSink open = [this, question, arrival](const fetch::HttpHead& head) {
    return arrival->begin(head, version_, *question);
  };
  std::optional<fetch::BegunDownload> begun = arrival->go_on(*question);
  const fetch::Downloaded done = co_await downloader_.get(path_of(question->key, version_), headers_of(*question),
                                                          std::move(open), {}, std::move(begun));
  if (arrival->refusal) co_return *arrival->refusal;
  if (done.result.head.retry_after) asked_to_wait_ = true;
  Answer answer = meaning_of(done.result, asked_to_wait_);
  if (std::holds_alternative<Received>(answer) && arrival->bytes == 0)
    co_return Failed{"sent an empty file instead of a symcache"};
  if (std::holds_alternative<NothingNewer>(answer) && !question->have)
    co_return Failed{"says that there is nothing newer (HTTP status 304), but was not asked for that"};
  co_return answer;
}

Task<ServerAnswer> SymcacheServer::ask(Question asked) {
  const auto question = std::make_shared<const Question>(std::move(asked));
  const auto begun = waits_.now();
  for (unsigned timeouts = 0;;) {
    const auto arrival = std::make_shared<Arrival>();
    Answer answer = co_await ask_once(question, arrival);
    if (std::holds_alternative<Received>(answer)) co_return Complete{arrival->version};
    if (std::holds_alternative<NothingNewer>(answer)) co_return NothingNewer{};
    if (std::holds_alternative<Absent>(answer)) co_return Absent{};
    if (auto* failed = std::get_if<Failed>(&answer)) co_return std::move(*failed);
    const Later later = std::get<Later>(answer);
    timeouts = later.kind == Later::Kind::slow ? timeouts + 1 : 0;
    if (timeouts == kMostTimeouts) co_return Failed{std::string(reason_of(later.kind))};
    const auto spent = std::chrono::duration_cast<milliseconds>(waits_.now() - begun);
    if (spent + later.wait > question->patience) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(spent).count();
      co_return Unfinished{fmt::format("{} after {} s; ask again later", reason_of(later.kind), seconds)};
    }
    if (question->watch.waiting) question->watch.waiting(later.wait);
    co_await waits_.sleep(later.wait);
  }
}

}  // namespace symcached::client
