#include "client/symcache_client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <ranges>

#include "base/path_text.hpp"
#include "base/threads.hpp"
#include "base/utf8.hpp"
#include "client/incoming_file.hpp"
#include "client/media_type.hpp"
#include "net/run_task.hpp"
#include "sources/file_name.hpp"
#include "wpt/choice.hpp"
#include "wpt/file_name.hpp"

namespace symcached::client {
namespace {

/// What the servers said so far of a symcache that none has given.
class Refusals {
 public:
  void add(const SymcacheServer& server, const ServerAnswer& answer) {
    if (const auto* failed = std::get_if<Failed>(&answer)) add(server, failed->why);
    if (const auto* unfinished = std::get_if<Unfinished>(&answer)) {
      add(server, unfinished->why);
      is_unfinished_ = true;
    }
  }
  const std::string& why() const { return why_; }
  Outcome outcome() && {
    if (why_.empty()) return NotThere{};
    return NotKept{is_unfinished_, std::move(why_)};
  }

 private:
  void add(const SymcacheServer& server, std::string_view why) {
    why_ += fmt::format("{}{}: {}", why_.empty() ? "" : "; ", server.shown(), why);
  }

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

SymcacheClient::SymcacheClient(ClientOptions options, std::unique_ptr<transcode::SymcacheDirectory> directory)
    : patience_(options.patience),
      directory_(std::move(directory)),
      http_(options.limits, std::move(options.user_agent), {}, std::move(options.waits)) {}

std::expected<std::unique_ptr<SymcacheClient>, std::string> SymcacheClient::open(ClientOptions options) {
  auto directory = transcode::SymcacheDirectory::open(options.directory, {});
  if (!directory) return std::unexpected(std::move(directory.error()));
  std::vector<ServerPlace> places = std::move(options.servers);
  std::unique_ptr<SymcacheClient> client(new SymcacheClient(std::move(options), std::move(*directory)));
  for (ServerPlace& place : places) {
    auto server = SymcacheServer::open(std::move(place), client->http_);
    if (!server) return std::unexpected(std::move(server.error()));
    client->servers_.push_back(std::move(*server));
  }
  return client;
}

/// The highest version that whoever asks for `requested` can read, of a file that is whole.
std::optional<Kept> SymcacheClient::best_here(const SymcacheKey& key, const wpt::Version& requested) const {
  const wpt::Version minimum = minimum_of(format_of(requested));
  const transcode::HeldFiles here = directory_->find(key.pdb_name, key.id);
  for (const transcode::Held& held : std::views::reverse(*here)) {
    const bool is_readable = held.generation == transcode::Generation::pdb && held.version >= minimum &&
                             held.version.major_part <= requested.major_part;
    if (is_readable && directory_->open(held)) return Kept{directory_->path() / held.path, held.version};
  }
  return std::nullopt;
}

std::expected<Kept, std::string> SymcacheClient::keep(const std::filesystem::path& file, const SymcacheKey& key,
                                                      const wpt::Version& version) {
  if (const auto ok = directory_->publish(file, key.pdb_name, key.id, version); !ok)
    return std::unexpected(ok.error().why);
  auto kept = best_here(key, version);
  if (!kept) return std::unexpected("the symcache was removed from the directory as soon as it was there");
  kept->is_new = true;
  return std::move(*kept);
}

Task<std::variant<Kept, ServerAnswer>> SymcacheClient::fetch_from(SymcacheServer& server, SymcacheKey key,
                                                                  Watch watch) {
  auto here = best_here(key, server.version());
  if (here && here->version >= server.version()) co_return std::move(*here);
  IncomingFile file(*directory_);
  SymcacheServer::Question question{.key = key, .patience = patience_, .watch = std::move(watch)};
  question.begin = [&file] { return file.begin(); };
  if (here) question.have = here->version;
  ServerAnswer answer = co_await server.ask(std::move(question));
  if (std::holds_alternative<NothingNewer>(answer)) co_return std::move(*here);
  if (const auto* complete = std::get_if<Complete>(&answer)) {
    auto kept = keep(file.path(), key, complete->version);
    if (kept) co_return std::move(*kept);
    co_return ServerAnswer(Failed{std::move(kept.error()), true});
  }
  co_return std::move(answer);
}

Task<Outcome> SymcacheClient::fetch(SymcacheKey given, Watch watch) {
  const auto key = checked(std::move(given));
  if (!key) co_return NotKept{.why = key.error()};
  std::optional<Kept> here;
  Refusals refusals;
  for (const auto& server : servers_) {
    auto got = co_await fetch_from(*server, *key, watch);
    if (auto* kept = std::get_if<Kept>(&got)) co_return std::move(*kept);
    const auto* failed = std::get_if<Failed>(&std::get<ServerAnswer>(got));
    if (failed != nullptr && failed->is_ours) co_return NotKept{.why = failed->why};
    refusals.add(*server, std::get<ServerAnswer>(got));
    if (!here) here = best_here(*key, server->version());
  }
  if (servers_.empty()) here = best_here(*key, usual_version(""));
  if (!here) co_return std::move(refusals).outcome();
  here->warning = refusals.why();
  co_return std::move(*here);
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
