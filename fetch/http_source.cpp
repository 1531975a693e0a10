#include "fetch/http_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "fetch/answers.hpp"
#include "fetch/folder_source.hpp"
#include "fetch/identity.hpp"
#include "fetch/plain_endpoint.hpp"
#include "fetch/verify.hpp"
#include "sources/file_pointer.hpp"
#include "sources/source_rules.hpp"

namespace symcached::fetch {
namespace {

bool is_symstore(sources::Layout layout) {
  return layout == sources::Layout::symstore || layout == sources::Layout::symstore_index2;
}

constexpr std::size_t kMaxRemembered = 4096;  ///< places
constexpr unsigned kMaxLookRequests = 4;      ///< for parts, before the rest of a large file comes
constexpr unsigned kMaxOfferRequests = 2;     ///< more of them, where what the file says decides

/// A plain no to a file that need not be there; 408 and 429 are none.
bool is_refusal(unsigned status) { return status >= 400 && status < 500 && status != 408 && status != 429; }

http::Headers headers_for(const Wanted& wanted) {
  std::string checksums = symbol_checksum(wanted.file.module.checksums);
  if (checksums.empty()) return {};
  return {{std::string(kSymbolChecksum), std::move(checksums)}};
}

/// Why there is no body to use.
std::string complaint(const HttpResult& result, const Wanted& wanted) {
  if (result.end != HttpResult::End::answered) return result.error;
  const std::string_view code = error_code_in(result.other_body);
  const bool lacks_checksum = result.head.status == 403 && wanted.file.module.checksums.empty() &&
                              wanted.file.type == sources::FileType::portable_pdb;
  return fmt::format("HTTP status {}{}{}{}", result.head.status, code.empty() ? "" : " ", code,
                     lacks_checksum ? "; this server may require the PDB's checksum: supply the assembly too" : "");
}

/// Of an answer, or of none.
TransientError::Kind kind_of(const HttpResult& result, Meaning meaning) {
  using Kind = TransientError::Kind;
  using End = HttpResult::End;
  if (result.end == End::no_credentials) return Kind::forbidden;
  if (result.out_of_time()) return Kind::timed_out;
  if (result.end != End::answered) return Kind::unavailable;
  const unsigned status = result.head.status;
  if (meaning == Meaning::forbidden) return Kind::forbidden;
  if (status == 408 || status == 504) return Kind::timed_out;
  if (status == 429 || (status == 503 && result.head.retry_after)) return Kind::rate_limited;
  return Kind::unavailable;
}

/// What an answer without a usable body means. docs/protocols/downloads.md has this as a table.
Outcome judge(const HttpResult& result, const Wanted& wanted, const std::string& origin) {
  using End = HttpResult::End;
  const bool answered = result.end == End::answered;
  const Meaning meaning =
      answered ? meaning_of(result.head.status, result.other_body, result.head.error_code) : Meaning::transient;
  if (meaning == Meaning::not_there) return NotThere{};
  std::string why = fmt::format("{}: {}", origin, complaint(result, wanted));
  switch (result.end) {
    case End::cut_short: return NotWhole{std::move(why), identity_of(result.head)};
    case End::too_large: return Refused{std::move(why), identity_of(result.head)};
    case End::exhausted: return Exhausted{std::move(why)};
    default: break;
  }
  // A refusal may speak of one file alone, and so may a redirect.
  const bool elsewhere = meaning == Meaning::forbidden || result.end == End::led_astray;
  const auto retry_after = result.left_alone_for ? result.left_alone_for : result.head.retry_after;
  return TransientError{std::move(why), elsewhere, retry_after, kind_of(result, meaning),
                        answered ? result.head.status : 0};
}

std::optional<std::uint64_t> size_of(const HttpHead& head) {
  if (const auto range = ContentRange::parse(head.content_range)) return range->total;
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(head.length.data(), head.length.data() + head.length.size(), size);
  const bool is_number = error == std::errc() && end == head.length.data() + head.length.size();
  return is_number && head.content_encoding.empty() ? std::optional(size) : std::nullopt;
}

}  // namespace

/// A body on its way into an entry of the cache, which is created with its first byte. As soon as its start is there it
/// is looked at: what it is no use for need not come whole.
struct HttpSource::Download {
  ObjectCache& objects;
  ObjectCache::Item item;
  std::optional<store::EntryWriter> writer = {};
  std::optional<Outcome> verdict = {};  ///< on the start

  std::expected<ByteSink, std::string> begin(const HttpHead& head) {
    item.identity = identity_of(head);
    auto created = objects.create(item, size_of(head).value_or(0));
    if (!created) return std::unexpected(std::move(created.error()));
    writer.emplace(std::move(*created));
    return ByteSink([this, web_page = is_web_page(head)](Bytes piece) { return take(piece, web_page); });
  }

  std::expected<void, std::string> take(Bytes piece, bool web_page) {
    const std::uint64_t before = writer->size();
    if (auto written = writer->write(piece); !written) return written;
    if (before >= kPart || writer->size() < kPart) return {};
    const auto sniffed = sniff_file(writer->descriptor(), store::kPayloadOffset, item.wanted.file.type);
    if (!sniffed) return std::unexpected("its cache entry cannot be read");
    if (web_page || (!sniffed->wrapper && sniffed->content == Content::web_page)) verdict = login_page(item.origin);
    else if (!sniffed->wrapper && !is_wanted(sniffed->content, item.wanted)) verdict = refuse(sniffed->content, item);
    if (verdict) return std::unexpected("its start is that of another file");
    return {};
  }

  /// What came so far.
  std::expected<std::shared_ptr<PartFile>, std::string> parts(std::uint64_t size) const {
    auto made = PartFile::make(size);
    if (!made) return std::unexpected(std::move(made.error()));
    std::vector<std::byte> start(static_cast<std::size_t>(std::min(kPart, writer->size())));
    const ssize_t n = ::pread(writer->descriptor(), start.data(), start.size(), store::kPayloadOffset);
    if (n <= 0) return std::unexpected("its cache entry cannot be read");
    if (auto added = made->add(0, Bytes(start).first(static_cast<std::size_t>(n))); !added)
      return std::unexpected(std::move(added.error()));
    return std::make_shared<PartFile>(std::move(*made));
  }
};

HttpSource::HttpSource(const sources::SourceConfig& config, std::unique_ptr<Endpoint> endpoint, ObjectCache& objects,
                       HttpClient& client, Log log)
    : endpoint_(std::move(endpoint)),
      config_(config),
      key_(endpoint_->shown() + '\n' + sources::rules_text(config)),
      asks_pointers_(is_symstore(config.layout) && config.probing == sources::Probing::all),
      places_(config),
      objects_(objects),
      client_(client),
      downloader_(client, client.hosts(), *endpoint_, config.network, {}, client.waits()),
      shortcut_([this](std::string path) { return read_text(std::move(path)); },
                warning_of_index(endpoint_->shown(), std::move(log)), client.waits().now),
      probed_(config.layout == sources::Layout::automatic ? Probed::not_yet : Probed::one_tier) {}

std::string HttpSource::origin_of(std::string_view path) const {
  return fmt::format("{}/{}", endpoint_->shown(), http::percent_encode_path(path));
}

Task<std::expected<bool, Outcome>> HttpSource::has_two_tiers() {
  Probed known = probed_.load();
  if (known == Probed::not_yet) {
    const std::string marker(sources::kTwoTierMarker);
    OpenSink ignored = [](const HttpHead&) {
      return ByteSink([](Bytes) -> std::expected<void, std::string> { return {}; });
    };
    const Downloaded done = co_await downloader_.get(marker, {}, std::move(ignored));
    const bool is_there = done.complete();
    if (!is_there && !is_refusal(done.result.head.status))
      co_return std::unexpected(judge(done.result, {}, origin_of(marker)));
    known = is_there && !is_web_page(done.result.head) ? Probed::two_tiers : Probed::one_tier;
    probed_ = known;
  }
  co_return known == Probed::two_tiers;
}

/// Of a store that may have two tiers one is asked as if it had one: what is found there is right, what is not says
/// nothing.
Task<Outcome> HttpSource::open(Wanted wanted) {
  if (places_.places(wanted.file, false).empty()) co_return NotThere{};
  ObjectCache::Item item{wanted, wanted.scope, endpoint_->shown()};
  if (config_.is_public) item.wanted.scope = kGlobalScope;  // what is made of it is for all to see
  auto kept = co_await objects_.find(std::move(item));
  if (kept) co_return std::move(*kept);
  if (wanted.at_hand) co_return NotThere{};
  auto two_tiers = co_await has_two_tiers();
  Outcome worst = NotThere{};
  if (!two_tiers) worst = std::move(two_tiers.error());
  const auto places = co_await places_of(wanted, two_tiers.value_or(false));
  for (const auto& place : places) {
    Outcome outcome = co_await download(wanted, place.path);
    if (std::holds_alternative<NotThere>(outcome)) continue;
    if (std::holds_alternative<Original>(outcome)) places_.worked(wanted.file.type, place);
    if (std::holds_alternative<Refused>(outcome) || std::holds_alternative<NotWhole>(outcome))
      remember_place(wanted.key, place.path);
    const auto* transient = std::get_if<TransientError>(&outcome);
    if (transient == nullptr || !transient->elsewhere_may_work) co_return outcome;
    worst = std::move(outcome);
  }
  if (!asks_pointers_ || !std::holds_alternative<NotThere>(worst) || !places_.has_pointers(wanted.file.type))
    co_return worst;
  const std::string pointer = sources::pointer_beside(places_.places(wanted.file, false).front().path);
  co_return co_await follow_pointer(std::move(wanted), pointer);
}

std::vector<std::string> HttpSource::places(const Wanted& wanted) {
  std::vector<std::string> all;
  for (sources::Place& place : places_.places(wanted.file, probed_ == Probed::two_tiers))
    all.push_back(std::move(place.path));
  return all;
}

Task<std::vector<sources::Place>> HttpSource::places_of(Wanted wanted, bool two_tiers) {
  auto places = places_.places(wanted.file, two_tiers);
  if (!config_.has_index || !places_.has_pointers(wanted.file.type) || places.size() < 2) co_return places;
  co_await shortcut_.read_on();
  shortcut_.sort(places);
  co_return places;
}

Task<std::optional<std::string>> HttpSource::read_text(std::string path) {
  const auto text = std::make_shared<std::string>();
  OpenSink open = [text](const HttpHead&) { return appending_to(text, AdminShortcut::kMaxText); };
  const Downloaded done = co_await downloader_.get(std::move(path), {}, std::move(open));
  if (!done.complete() && !is_refusal(done.result.head.status)) co_return std::nullopt;
  const bool is_there = done.complete() && !is_web_page(done.result.head);
  co_return is_there ? std::move(*text) : std::string();
}

Task<Outcome> HttpSource::follow_pointer(Wanted wanted, std::string pointer) {
  const std::string origin = origin_of(pointer);
  const auto text = std::make_shared<std::string>();
  const ByteSink sink = [text](Bytes piece) -> std::expected<void, std::string> {
    if (text->size() <= sources::kMaxFilePointer) text->append(as_text(piece).substr(0, sources::kMaxFilePointer + 1));
    return {};
  };
  OpenSink open = [text, sink](const HttpHead&) {
    text->clear();
    return sink;
  };
  const Downloaded done = co_await downloader_.get(pointer, {}, std::move(open));
  const HttpResult& result = done.result;
  if (!done.complete()) co_return judge(result, wanted, origin);
  if (is_web_page(result.head)) co_return login_page(origin);
  sources::FilePointer read = sources::read_file_pointer(*text, pointer, config_.path_map);
  if (const auto* unusable = std::get_if<sources::UnusablePointer>(&read))
    co_return Refused{fmt::format("{}: {}", origin, unusable->why), identity_of(result.head)};
  if (auto* inside = std::get_if<sources::PointsInStore>(&read))
    co_return co_await open_at(std::move(wanted), std::move(inside->path));
  if (auto* elsewhere = std::get_if<sources::PointsElsewhere>(&read))
    co_return co_await open_elsewhere(std::move(wanted), std::move(elsewhere->place));
  co_return NotThere{};
}

/// What an operator's map names is as trusted as a source; credentials of this one are not sent there.
Task<Outcome> HttpSource::open_elsewhere(Wanted wanted, sources::MappedPath place) {
  if (place.target.find("://") == std::string::npos) {
    std::error_code error;
    std::filesystem::path root = std::filesystem::canonical(place.target, error);
    if (error) co_return failed_locally(fmt::format("{}: cannot open the directory", place.target), error.value());
    FolderSource folder(config_, std::move(root), objects_);
    co_return co_await folder.open_at(std::move(wanted), std::move(place.below));
  }
  sources::HttpPlace server;
  server.url = place.target;
  auto endpoint = PlainEndpoint::open(server);
  if (!endpoint) co_return TransientError{std::move(endpoint.error())};
  HttpSource source(config_, std::move(*endpoint), objects_, client_);
  co_return co_await source.open_at(std::move(wanted), std::move(place.below));
}

Task<Outcome> HttpSource::open_at(Wanted wanted, std::string path) {
  for (const std::string& form : sources::forms_of(path)) {
    Outcome outcome = co_await download(wanted, form);
    if (!std::holds_alternative<NotThere>(outcome)) co_return outcome;
  }
  co_return NotThere{};
}

/// One place: the body goes to a cache entry as it arrives, and is judged when it is whole.
Task<Outcome> HttpSource::download(Wanted wanted, std::string path) {
  const std::string origin = origin_of(path);
  const std::string scope = config_.is_public ? std::string(kGlobalScope) : wanted.scope;
  ObjectCache::Item item{wanted, scope, origin};
  if (auto kept = co_await find_of_other_type(item, path)) co_return std::move(*kept);
  const auto download = std::make_shared<Download>(objects_, item);
  OpenSink open = [download](const HttpHead& head) { return download->begin(head); };
  LookAtStart look_at_start = [this, download, path](HttpHead head) {
    return goes_on(download, {path, headers_for(download->item.wanted), std::move(head)});
  };
  const Downloaded done =
      co_await downloader_.get(path, headers_for(wanted), std::move(open), std::move(look_at_start));
  const HttpResult& result = done.result;
  if (download->verdict) co_return std::move(*download->verdict);
  if (!done.complete()) co_return judge(result, wanted, origin);
  if (is_web_page(result.head)) co_return login_page(origin);
  item.identity = identity_of(result.head);
  if (!download->writer || download->writer->size() == 0) co_return refuse(Content::empty, item);
  Outcome outcome = co_await objects_.keep(std::move(item), std::move(*download->writer));
  if (std::holds_alternative<Original>(outcome)) {
    const std::scoped_lock lock(mutex_);
    if (kept_.size() >= kMaxRemembered) kept_.clear();
    kept_.insert_or_assign(std::move(path), std::move(wanted));
  }
  co_return outcome;
}

/// Layouts may have one place for files of all types: the first that comes is looked at again.
Task<std::optional<Outcome>> HttpSource::find_of_other_type(ObjectCache::Item item, std::string path) {
  std::optional<Wanted> other;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = kept_.find(path);
    if (found != kept_.end() && found->second.file.type != item.wanted.file.type) other = found->second;
  }
  if (!other) co_return std::nullopt;
  other->scope = item.wanted.scope;
  ObjectCache::Item same{std::move(*other), item.scope, item.origin};
  auto kept = co_await objects_.find(std::move(same));
  auto* original = kept ? std::get_if<Original>(&*kept) : nullptr;
  if (original == nullptr) co_return std::nullopt;
  const int file = original->file.get();
  const auto sniffed = sniff_file(file, original->offset, item.wanted.file.type);
  if (!sniffed) co_return std::nullopt;
  if (!is_wanted(sniffed->content, item.wanted)) co_return refuse(sniffed->content, item);
  auto checked = co_await objects_.check(std::move(item), file, original->offset, original->size);
  if (!checked) co_return std::move(checked.error());
  original->note = std::move(*checked);
  co_return kept;
}

/// The rest of a large file comes unless a few parts of it tell that it has another id, or says too little.
Task<bool> HttpSource::goes_on(std::shared_ptr<Download> download, Remote remote) {
  if (download->verdict) co_return false;
  const auto size = size_of(remote.head);
  auto made = size ? download->parts(*size) : std::unexpected(std::string());
  if (!made) co_return true;
  const std::shared_ptr<PartFile> parts = std::move(*made);
  const bool has_parts = http::same_name(remote.head.accept_ranges, "bytes");
  Glimpse glimpse =
      co_await look(downloader_, objects_.reader(), remote, parts, Seeking::id, has_parts ? kMaxLookRequests : 0);
  const Wanted& wanted = download->item.wanted;
  sources::FileRequest expected = wanted.file;
  if (wanted.or_native && !glimpse.stated.empty() && glimpse.stated.front().type == sources::FileType::pdb)
    expected.type = sources::FileType::pdb;
  if (std::string why = fetch::objection(glimpse, expected); !why.empty()) {
    download->verdict = Refused{fmt::format("{}: {}", download->item.origin, why), download->item.identity};
    co_return false;
  }
  const bool may_tell = !glimpse.offers && glimpse.more && has_parts;
  if (wanted.at_least != store::Quality::none && may_tell)
    glimpse =
        co_await look(downloader_, objects_.reader(), std::move(remote), parts, Seeking::offer, kMaxOfferRequests);
  if (!glimpse.offers || *glimpse.offers >= wanted.at_least) co_return true;
  download->verdict = SaysLess{*glimpse.offers};
  co_return false;
}

Task<std::string> HttpSource::identify(Wanted wanted) {
  std::vector<std::string> paths;
  if (auto refused = remembered_place(wanted.key); !refused.empty()) paths.push_back(std::move(refused));
  const auto two_tiers = co_await has_two_tiers();
  for (const auto& place : places_.places(wanted.file, two_tiers.value_or(false)))
    if (paths.empty() || place.path != paths.front()) paths.push_back(place.path);
  for (const std::string& path : paths) {
    const Downloaded done = co_await downloader_.head(path, headers_for(wanted));
    const HttpHead& head = done.result.head;
    if (done.complete()) co_return is_web_page(head) ? std::string() : identity_of(head);
    const bool goes_on = done.result.end == HttpResult::End::led_astray || is_refusal(head.status);
    if (!goes_on) break;
  }
  co_return std::string();
}

void HttpSource::remember_place(const std::string& key, const std::string& path) {
  const std::scoped_lock lock(mutex_);
  if (refused_places_.size() >= kMaxRemembered) refused_places_.clear();
  refused_places_.insert_or_assign(key, path);
}

std::string HttpSource::remembered_place(const std::string& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = refused_places_.find(key);
  return found == refused_places_.end() ? std::string() : found->second;
}

}  // namespace symcached::fetch
