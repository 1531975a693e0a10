#pragma once
/// An http(s) symbol server in symstore layout.
#include <atomic>
#include <expected>
#include <optional>

#include "fetch/source.hpp"
#include "sources/symstore.hpp"

namespace symcached::fetch {

struct BaseUrl {
  std::string full;   ///< as to be asked, without a slash at the end; may hold credentials
  std::string shown;  ///< the same without them
};

/// @return the URL in its parts, or what is wrong with it; http and https only, no query, no fragment
std::expected<BaseUrl, std::string> parse_base_url(std::string_view text);

class HttpSource : public Source {
 public:
  HttpSource(BaseUrl url, ObjectCache& objects, HttpClient& client);
  const std::string& name() const override { return url_.shown; }
  Task<Outcome> open(Wanted wanted) override;
  void forget(const Wanted& wanted) override { objects_.forget(object_key(wanted)); }

 private:
  enum class Probed : int { not_yet, one_tier, two_tiers };

  std::string object_key(const Wanted& wanted) const { return wanted.key + " " + url_.shown; }
  /// Nothing when the probe failed softly.
  Task<std::optional<sources::Tiers>> tiers();
  Task<Outcome> download(Wanted wanted, std::string path);

  const BaseUrl url_;
  ObjectCache& objects_;
  HttpClient& client_;
  std::atomic<Probed> probed_ = Probed::not_yet;
};

}  // namespace symcached::fetch
