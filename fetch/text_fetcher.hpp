#pragma once
/// Text from a URL that a file names, as Source Link does. The file may be anybody's, so what a URL can reach is
/// narrow; whether to ask at all is the user's to say.
#include <expected>
#include <string>

#include "fetch/file_fetcher.hpp"

namespace symcached::fetch {

struct TextLimits {
  std::uint64_t max_size = 16 << 20;  ///< bytes, unpacked
  long max_redirects = 5;
  long connect_timeout_ms = 10'000;
  long total_ms = 30'000;
  /// Also ask private networks and this host. Without it proxies that the environment names are not used: nobody here
  /// sees whom they ask.
  bool private_addresses = false;
};

/// Is this a URL to ask? http and https only, no user and no password; a fragment is cut off, for it is not sent.
/// @return the URL as to be asked, or what is wrong with it
std::expected<std::string, std::string> check_text_url(std::string_view url);

class TextFetcher {
 public:
  TextFetcher(TextLimits limits, std::string user_agent);

  /// @return the bytes of the answer as they are, whatever their encoding. A web page is refused as malformed: it is a
  ///         login page most likely.
  /// @param headers  sent to the origin of the URL alone
  Task<std::expected<std::string, NotFetched>> ask(std::string url, http::Headers headers = {});
  /// The same for a program that waits for it.
  std::expected<std::string, NotFetched> get(std::string url);
  /// Ends what is under way, and refuses what comes later.
  void stop() { client_.stop(); }

 private:
  HttpClient client_;
};

}  // namespace symcached::fetch
