#pragma once
/// A server or bucket that is asked over HTTP, with a layout.
#include <atomic>
#include <expected>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "fetch/admin_shortcut.hpp"
#include "fetch/download.hpp"
#include "fetch/look.hpp"
#include "fetch/place_order.hpp"
#include "fetch/source.hpp"

namespace symcached::fetch {

class HttpSource : public Source {
 public:
  HttpSource(const sources::SourceConfig& config, std::unique_ptr<Endpoint> endpoint, ObjectCache& objects,
             HttpClient& client, Log log = {});
  const std::string& name() const override { return endpoint_->shown(); }
  const std::string& key() const override { return key_; }
  const std::string& id() const override { return config_.id; }
  std::uint64_t credentials() const override { return endpoint_->credentials(); }
  bool is_public() const override { return config_.is_public; }
  bool is_local() const override { return false; }
  Task<Outcome> open(Wanted wanted) override;
  sources::Layout layout() const override { return config_.layout; }
  std::vector<std::string> places(const Wanted& wanted) override;
  std::string location_of(std::string_view place) const override { return origin_of(place); }
  Task<Outcome> open_place(Wanted wanted, std::string place) override {
    return download(std::move(wanted), std::move(place));
  }
  Task<std::string> identify(Wanted wanted) override;
  void forget(const Wanted& wanted) override { objects_.forget(wanted); }
  /// What lies at one path below the place, packed or not.
  Task<Outcome> open_at(Wanted wanted, std::string path);

 private:
  enum class Probed : int { not_yet, one_tier, two_tiers };
  /// Whether the store has two tiers, or why that cannot be told, which is asked again with the next file.
  Task<std::expected<bool, Outcome>> has_two_tiers();
  Task<Outcome> download(Wanted wanted, std::string path);
  struct Download;
  Task<bool> goes_on(std::shared_ptr<Download> download, Remote remote);
  /// Those that the store's index lists come first.
  Task<std::vector<sources::Place>> places_of(Wanted wanted, bool two_tiers);
  /// Nothing if it cannot be told; empty if nothing lies there.
  Task<std::optional<std::string>> read_text(std::string path);
  Task<Outcome> follow_pointer(Wanted wanted, std::string pointer);
  Task<Outcome> open_elsewhere(Wanted wanted, sources::MappedPath place);
  std::string origin_of(std::string_view path) const;
  /// What came from the place before, as a file of another type; nothing if it is to be asked.
  Task<std::optional<Outcome>> find_of_other_type(ObjectCache::Item item, std::string path);
  void remember_place(const std::string& key, const std::string& path);
  std::string remembered_place(const std::string& key);

  const std::unique_ptr<Endpoint> endpoint_;
  const sources::SourceConfig config_;
  const std::string key_;
  const bool asks_pointers_;
  PlaceOrder places_;
  ObjectCache& objects_;
  HttpClient& client_;
  Downloader downloader_;
  AdminShortcut shortcut_;
  std::atomic<Probed> probed_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::string>
      refused_places_;                            ///< path by key of what was wanted; identify() starts there
  std::unordered_map<std::string, Wanted> kept_;  ///< by path
};

}  // namespace symcached::fetch
