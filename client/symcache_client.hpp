#pragma once
/// Gets symcaches from SymCache servers and other folders into a SymCache directory, as WPA does it.
#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "client/symcache_folder.hpp"
#include "client/symcache_server.hpp"

namespace symcached::client {

/// What a person who runs a program on their own machine expects: servers may redirect to other machines of their
/// network.
fetch::Limits usual_limits();

struct FolderPlace {
  std::filesystem::path path;
  wpt::Version version;  ///< to look for: the highest that can be read
};

struct Place {
  std::variant<ServerPlace, FolderPlace> where;
  /// Indices of places before it, all of them folders, that keep what is found here, as the directory does. They are
  /// created if they are missing; other folders are only read.
  std::vector<std::size_t> kept_in = {};
};

struct ClientOptions {
  std::vector<Place> places;                    ///< asked in turn until one has it; none: what is there has to do
  std::filesystem::path directory;              ///< created if it is missing; other programs may use it, too
  std::chrono::milliseconds patience{600'000};  ///< with each server, for one symcache
  std::string user_agent;
  fetch::Limits limits = usual_limits();
  fetch::Waits waits = fetch::Waits::real();
};

/// No place has it, and neither has the directory.
struct NotThere {};
struct NotKept {
  bool is_unfinished = false;  ///< a server is making it, or asked for a pause, for longer than the patience lasts
  std::string why;             ///< one line; what each place said, with "; " between
};
using Outcome = std::variant<Kept, NotThere, NotKept>;

/// Safe to use from any thread. Outlives its tasks.
class SymcacheClient {
 public:
  /// @return the client, or what is wrong with the directory or a server. No server is asked yet.
  static std::expected<std::unique_ptr<SymcacheClient>, std::string> open(ClientOptions options);

  /// Of folders that cannot be used, and are left out; one line each.
  const std::vector<std::string>& warnings() const { return warnings_; }

  /// A symcache in the directory counts if a server may answer with its version, unless the server has a newer one.
  /// Damaged ones that we wrote do not count.
  /// @param key  the name as the trace has it, unchecked; of a path the last part
  Task<Outcome> fetch(SymcacheKey key, Watch watch = {});
  /// Blocks. Downloads under way after `limit` are given up, and so are all others of this client, for good.
  Outcome fetch_within(SymcacheKey key, std::chrono::milliseconds limit);
  /// Blocks until all are there or cannot be had.
  /// @param at_once  1..
  /// @param done     called as each is done, from any thread
  void fetch_all(std::span<const SymcacheKey> keys, std::size_t at_once,
                 const std::function<void(const SymcacheKey&, const Outcome&)>& done);

 private:
  /// A place. Neither server nor folder: it cannot be used.
  struct Stop {
    std::unique_ptr<SymcacheServer> server;
    std::unique_ptr<SymcacheFolder> folder;
    wpt::Version version;
    std::vector<std::size_t> kept_in;

    std::string shown() const { return server ? server->shown() : folder ? folder->shown() : ""; }
  };
  using Got = std::variant<Kept, ServerAnswer>;

  SymcacheClient(ClientOptions options, std::unique_ptr<SymcacheFolder> directory);
  std::expected<void, std::string> add(Place place, bool is_cache);
  /// @param here  the best in the directory
  Task<Got> ask(const Stop& stop, SymcacheKey key, std::optional<Kept> here, Watch watch);
  Task<Got> fetch_from(SymcacheServer& server, SymcacheKey key, std::optional<Kept> here, Watch watch);
  Got copy_from(const Stop& stop, const SymcacheKey& key, const std::optional<Kept>& here);
  void keep_in_caches(const Stop& found_at, const SymcacheKey& key, Kept& kept);

  const std::chrono::milliseconds patience_;
  const std::unique_ptr<SymcacheFolder> directory_;
  fetch::HttpClient http_;
  std::vector<Stop> stops_;
  std::vector<std::string> warnings_;
};

}  // namespace symcached::client
