#pragma once
/// Gets symcaches from SymCache servers into a SymCache directory, as WPA does it.
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

#include "client/symcache_server.hpp"
#include "transcode/directory.hpp"

namespace symcached::client {

/// What a person who runs a program on their own machine expects: servers may redirect to other machines of their
/// network.
fetch::Limits usual_limits();

struct ClientOptions {
  std::vector<ServerPlace> servers;             ///< asked in turn until one has it; none: what is there has to do
  std::filesystem::path directory;              ///< created if it is missing; other programs may use it, too
  std::chrono::milliseconds patience{600'000};  ///< with each server, for one symcache
  std::string user_agent;
  fetch::Limits limits = usual_limits();
  fetch::Waits waits = fetch::Waits::real();
};

struct Kept {
  std::filesystem::path path;
  wpt::Version version;
  bool is_new = false;
  std::string warning = {};  ///< why no server could be asked for a newer one; one line
};
/// No server has it, and neither has the directory.
struct NotThere {};
struct NotKept {
  bool is_unfinished = false;  ///< a server is making it, or asked for a pause, for longer than the patience lasts
  std::string why;             ///< one line; what each server said, with "; " between
};
using Outcome = std::variant<Kept, NotThere, NotKept>;

/// Safe to use from any thread. Outlives its tasks.
class SymcacheClient {
 public:
  /// @return the client, or what is wrong with the directory or a server. Nothing is asked yet.
  static std::expected<std::unique_ptr<SymcacheClient>, std::string> open(ClientOptions options);

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
  SymcacheClient(ClientOptions options, std::unique_ptr<transcode::SymcacheDirectory> directory);
  std::optional<Kept> best_here(const SymcacheKey& key, const wpt::Version& requested) const;
  Task<std::variant<Kept, ServerAnswer>> fetch_from(SymcacheServer& server, SymcacheKey key, Watch watch);
  std::expected<Kept, std::string> keep(const std::filesystem::path& file, const SymcacheKey& key,
                                        const wpt::Version& version);

  const std::chrono::milliseconds patience_;
  const std::unique_ptr<transcode::SymcacheDirectory> directory_;
  fetch::HttpClient http_;
  std::vector<std::unique_ptr<SymcacheServer>> servers_;
};

}  // namespace symcached::client
