#include "client/symcache_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/steady_timer.hpp>

#include "base/path_text.hpp"
#include "base/threads.hpp"
#include "base/utf8.hpp"
#include "client/incoming_file.hpp"
#include "net/run_task.hpp"
#include "sources/file_name.hpp"
#include "wpt/choice.hpp"
#include "wpt/file_name.hpp"

namespace symcached::client {
namespace {

void add_to(std::string& text, std::string_view more) { text += fmt::format("{}{}", text.empty() ? "" : "; ", more); }

/// What the places said so far of a symcache that none has given.
class Refusals {
 public:
  void add(const std::string& place, const ServerAnswer& answer) {
    if (const auto* failed = std::get_if<Failed>(&answer)) add(place, failed->why);
    if (const auto* unfinished = std::get_if<Unfinished>(&answer)) {
      add(place, unfinished->why);
      is_unfinished_ = true;
    }
  }
  const std::string& why() const { return why_; }
  Outcome outcome() && {
    if (why_.empty()) return NotThere{};
    return NotKept{is_unfinished_, std::move(why_)};
  }

 private:
  void add(const std::string& place, std::string_view why) { add_to(why_, fmt::format("{}: {}", place, why)); }

  bool is_unfinished_ = false;
  std::string why_;
};

/// With the last part of its name; or what is wrong with that.
std::expected<SymcacheKey, std::string> checked(SymcacheKey key) {
  key.pdb_name = std::string(last_path_part(key.pdb_name));
  if (const auto ok = sources::check_file_name(key.pdb_name); !ok) return std::unexpected(ok.error());
  if (wpt::to_string(wpt::PdbPlace{{key.pdb_name, wpt::kMicrosoftMinimum}, key.id})) return key;
  return std::unexpected(fmt::format("{}: too long to be the name of a symcache", escaped(key.pdb_name)));
}

}  // namespace

fetch::Limits usual_limits() {
  fetch::Limits limits;
  limits.private_redirects = true;
  return limits;
}

SymcacheClient::SymcacheClient(ClientOptions options, std::unique_ptr<SymcacheFolder> directory)
    : patience_(options.patience),
      directory_(std::move(directory)),
      http_(options.limits, std::move(options.user_agent), {}, std::move(options.waits)) {}

std::expected<std::unique_ptr<SymcacheClient>, std::string> SymcacheClient::open(ClientOptions options) {
  auto directory = SymcacheFolder::open(options.directory);
  if (!directory) return std::unexpected(std::move(directory.error()));
  remove_old_parts(parts_of((*directory)->directory()));
  std::vector<Place> places = std::move(options.places);
  std::vector<bool> is_cache(places.size());
  for (const Place& place : places)
    for (const std::size_t keeper : place.kept_in) is_cache.at(keeper) = true;
  std::unique_ptr<SymcacheClient> client(new SymcacheClient(std::move(options), std::move(*directory)));
  for (std::size_t i = 0; i < places.size(); ++i)
    if (auto ok = client->add(std::move(places[i]), is_cache[i]); !ok) return std::unexpected(std::move(ok.error()));
  return client;
}

std::expected<void, std::string> SymcacheClient::add(Place place, bool is_cache) {
  Stop& stop = stops_.emplace_back();
  stop.kept_in = std::move(place.kept_in);
  if (auto* at = std::get_if<ServerPlace>(&place.where)) {
    stop.version = at->version;
    auto server = SymcacheServer::open(std::move(*at), http_);
    if (!server) return std::unexpected(std::move(server.error()));
    stop.server = std::move(*server);
    return {};
  }
  const FolderPlace& at = std::get<FolderPlace>(place.where);
  stop.version = at.version;
  std::error_code error;
  if (!is_cache && !std::filesystem::is_directory(at.path, error)) {
    warnings_.push_back(
        fmt::format("{} is not looked into: {}", at.path.string(), error ? error.message() : "it is no directory"));
    return {};
  }
  auto folder = SymcacheFolder::open(at.path);
  if (folder) stop.folder = std::move(*folder);
  else warnings_.push_back(std::move(folder.error()));
  return {};
}

Task<SymcacheClient::Got> SymcacheClient::fetch_from(SymcacheServer& server, SymcacheKey key, std::optional<Kept> here,
                                                     Watch watch) {
  IncomingFile file(directory_->directory(), server.identity_of(key));
  SymcacheServer::Question question{.key = key, .patience = patience_, .file = &file, .watch = std::move(watch)};
  if (here) question.have = here->version;
  ServerAnswer answer = co_await server.ask(std::move(question));
  if (std::holds_alternative<NothingNewer>(answer) || std::holds_alternative<Absent>(answer)) file.discard();
  if (std::holds_alternative<NothingNewer>(answer)) co_return std::move(*here);
  if (const auto* complete = std::get_if<Complete>(&answer)) {
    auto kept = directory_->keep(file.path(), key, complete->version);
    if (!kept) co_return ServerAnswer(Failed{std::move(kept.error()), true});
    file.discard();
    co_return std::move(*kept);
  }
  co_return std::move(answer);
}

SymcacheClient::Got SymcacheClient::copy_from(const Stop& stop, const SymcacheKey& key,
                                              const std::optional<Kept>& here) {
  const auto there = stop.folder->best(key, stop.version);
  if (!there || (here && here->version >= there->version)) return ServerAnswer(Absent{});
  auto kept = directory_->copy(*stop.folder, key, stop.version);
  if (!kept) return ServerAnswer(Failed{std::move(kept.error())});
  return std::move(*kept);
}

void SymcacheClient::keep_in_caches(const Stop& found_at, const SymcacheKey& key, Kept& kept) {
  for (const std::size_t keeper : found_at.kept_in) {
    SymcacheFolder* const folder = stops_[keeper].folder.get();
    if (folder == nullptr) continue;  // there is a warning of that
    if (auto copied = folder->copy(*directory_, key, kept.version); !copied)
      add_to(kept.warning, fmt::format("not kept in {}: {}", folder->shown(), copied.error()));
  }
}

Task<SymcacheClient::Got> SymcacheClient::ask(const Stop& stop, SymcacheKey key, std::optional<Kept> here,
                                              Watch watch) {
  if (stop.folder) co_return copy_from(stop, key, here);
  if (!stop.server) co_return ServerAnswer(Absent{});
  co_return co_await fetch_from(*stop.server, std::move(key), std::move(here), std::move(watch));
}

/// A folder that has no more than an older version does not end the search.
Task<Outcome> SymcacheClient::fetch(SymcacheKey given, Watch watch) {
  const auto key = checked(std::move(given));
  if (!key) co_return NotKept{.why = key.error()};
  std::optional<Kept> best;
  Refusals refusals;
  for (const Stop& stop : stops_) {
    auto here = directory_->best(*key, stop.version);
    if (here && best && here->path == best->path) here = best;
    if (here && here->version >= stop.version) co_return std::move(*here);
    Got got = co_await ask(stop, *key, here, watch);
    if (auto* kept = std::get_if<Kept>(&got)) {
      if (kept->is_new) keep_in_caches(stop, *key, *kept);
      if (stop.server || kept->version >= stop.version) co_return std::move(*kept);
      here = best = std::move(*kept);
    } else {
      const ServerAnswer& answer = std::get<ServerAnswer>(got);
      const auto* failed = std::get_if<Failed>(&answer);
      if (failed != nullptr && failed->is_ours) co_return NotKept{.why = failed->why};
      refusals.add(stop.shown(), answer);
    }
    if (!best) best = std::move(here);
  }
  if (stops_.empty()) best = directory_->best(*key, usual_version(""));
  if (!best) co_return std::move(refusals).outcome();
  if (!refusals.why().empty()) add_to(best->warning, "not the latest version: " + refusals.why());
  co_return std::move(*best);
}

Outcome SymcacheClient::fetch_within(SymcacheKey key, std::chrono::milliseconds limit) {
  boost::asio::io_context loop(1);
  boost::asio::steady_timer timer(loop, limit);
  bool is_late = false;
  timer.async_wait([&](boost::system::error_code error) {
    is_late = !error;
    if (is_late) http_.stop();
  });
  Outcome outcome = NotKept{};
  std::exception_ptr fault;
  boost::asio::co_spawn(loop, fetch(std::move(key)), [&](std::exception_ptr thrown, Outcome got) {
    timer.cancel();
    fault = std::move(thrown);
    outcome = std::move(got);
  });
  loop.run();
  if (fault) std::rethrow_exception(fault);
  if (auto* failed = std::get_if<NotKept>(&outcome); failed != nullptr && is_late)
    *failed = {.is_unfinished = true, .why = fmt::format("not there within {} ms", limit.count())};
  return outcome;
}

void SymcacheClient::fetch_all(std::span<const SymcacheKey> keys, std::size_t at_once,
                               const std::function<void(const SymcacheKey&, const Outcome&)>& done) {
  std::atomic<std::size_t> next = 0;
  run_on_threads(std::min(at_once, keys.size()), [&](std::size_t) {
    for (std::size_t i = next++; i < keys.size(); i = next++) done(keys[i], run_task(fetch(keys[i])));
  });
}

}  // namespace symcached::client
