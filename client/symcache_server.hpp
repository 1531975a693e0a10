#pragma once
/// One server of the SymCache protocol, asked for one symcache until it has answered for good.
/// Spec: docs/protocols/symcache-http.md, "What a client does".
#include <atomic>
#include <chrono>
#include <expected>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "client/answer.hpp"
#include "client/incoming_file.hpp"
#include "client/symcache_folder.hpp"
#include "fetch/download.hpp"
#include "fetch/plain_endpoint.hpp"

namespace symcached::client {

/// Told while a request goes on, from any thread.
struct Watch {
  std::function<void(std::uint64_t bytes, std::uint64_t total)> receiving = {};  ///< total 0: not known
  std::function<void(std::chrono::seconds)> waiting = {};  ///< before a pause: the symcache is being made, most often
};

struct ServerPlace {
  sources::HttpPlace http;  ///< base URL, what is before /v3.1.0; credentials
  wpt::Version version;     ///< to ask for: the highest that can be read
  sources::NetworkRules network = {};
};

/// 2.0.0 if the URL's path ends in /open, else 3.1.0.
wpt::Version usual_version(std::string_view url);

/// The patience ended first.
struct Unfinished {
  std::string why;
};
/// All of it is in the file.
struct Complete {
  wpt::Version version;
};
using ServerAnswer = std::variant<Complete, NothingNewer, Absent, Unfinished, Failed>;

/// Safe to use from any thread. Outlives its tasks.
class SymcacheServer {
 public:
  struct Question {
    SymcacheKey key;  ///< the name is checked
    std::optional<wpt::Version> have = {};
    std::chrono::milliseconds patience{};  ///< after which no further request begins
    IncomingFile* file = nullptr;          ///< what comes goes there; outlives the answer
    Watch watch = {};
  };

  /// @return the server, or what is wrong with its URL or a header, without any secret
  static std::expected<std::unique_ptr<SymcacheServer>, std::string> open(ServerPlace place, fetch::HttpClient& http);

  Task<ServerAnswer> ask(Question asked);
  /// What a request for `key` asks for, without credentials.
  std::string identity_of(const SymcacheKey& key) const;
  const wpt::Version& version() const { return version_; }
  const std::string& shown() const { return endpoint_->shown(); }

 private:
  SymcacheServer(std::unique_ptr<fetch::PlainEndpoint> endpoint, const ServerPlace& place, fetch::HttpClient& http);
  struct Arrival;
  Task<Answer> ask_once(std::shared_ptr<const Question> question, std::shared_ptr<Arrival> arrival);

  const std::unique_ptr<fetch::PlainEndpoint> endpoint_;
  const wpt::Version version_;
  const fetch::Waits& waits_;
  fetch::Downloader downloader_;
  std::atomic<bool> asked_to_wait_ = false;
};

}  // namespace symcached::client
