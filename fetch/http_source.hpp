#pragma once
/// An http(s) symbol server in symstore layout.
#include <atomic>
#include <expected>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

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
  bool is_local() const override { return false; }
  Task<Outcome> open(Wanted wanted) override;
  Task<std::string> identify(Wanted wanted) override;
  void forget(const Wanted& wanted) override { objects_.forget(object_key(wanted)); }

 private:
  enum class Probed : int { not_yet, one_tier, two_tiers };

  std::string object_key(const Wanted& wanted) const { return wanted.key + " " + url_.shown; }
  /// Or why that cannot be told, which is asked again with the next file.
  Task<std::expected<sources::Tiers, Outcome>> tiers();
  Task<Outcome> download(Wanted wanted, std::string path);
  HttpRequest request_of(const Wanted& wanted, std::string_view path) const;
  void remember_place(const std::string& key, const std::string& path);
  std::string remembered_place(const std::string& key);

  const BaseUrl url_;
  ObjectCache& objects_;
  HttpClient& client_;
  std::atomic<Probed> probed_ = Probed::not_yet;
  std::mutex mutex_;
  std::unordered_map<std::string, std::string>
      refused_places_;  ///< path by key of what was wanted; identify() starts there
};

}  // namespace symcached::fetch
