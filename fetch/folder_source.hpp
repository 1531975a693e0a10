#pragma once
/// A directory with a layout, or of files in any order. What lies there plain is used where it lies.
#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "fetch/admin_shortcut.hpp"
#include "fetch/beneath.hpp"
#include "fetch/loose_folder.hpp"
#include "fetch/place_order.hpp"
#include "fetch/source.hpp"

namespace symcached::fetch {

class FolderSource : public Source {
 public:
  /// @param root  an existing directory, canonical
  FolderSource(const sources::SourceConfig& config, std::filesystem::path root, ObjectCache& objects, Log log = {});
  const std::string& name() const override { return name_; }
  const std::string& key() const override { return key_; }
  const std::string& id() const override { return id_; }
  std::uint64_t credentials() const override { return 0; }
  bool is_public() const override { return is_public_; }
  bool is_local() const override { return true; }
  Task<Outcome> open(Wanted wanted) override;
  sources::Layout layout() const override { return layout_; }
  std::vector<std::string> places(const Wanted& wanted) override;
  std::string location_of(std::string_view place) const override { return name_ + '/' + std::string(place); }
  Task<Outcome> open_place(Wanted wanted, std::string place) override;
  Task<std::string> identify(Wanted wanted) override;
  void forget(const Wanted& wanted) override { objects_.forget(wanted); }
  /// What lies at one path below the folder, packed or not.
  Task<Outcome> open_at(Wanted wanted, std::string path);

 private:
  /// The first place that there is something at, or why that cannot be told. Nothing if there is none.
  struct Found {
    Descriptor file;
    struct stat info;
    std::string origin;
  };

  using Looked = std::optional<std::expected<Found, Outcome>>;
  Task<Looked> find(Wanted wanted);
  Looked find_by_layout(int directory, const Wanted& wanted);
  std::vector<sources::Place> places_of(int directory, const Wanted& wanted) const;
  /// Nothing if it cannot be told; empty if nothing lies there.
  Task<std::optional<std::string>> read_text(std::string path);
  Looked follow_pointer(int directory, const std::string& pointer);
  Looked find_form(int directory, const std::filesystem::path& root, const std::string& path);
  Task<Looked> find_by_ids(std::shared_ptr<const Descriptor> directory, Wanted wanted);
  bool is_loose(int directory) const;
  std::expected<Found, Outcome> found(Descriptor file, std::string origin) const;
  Task<Outcome> judge(Wanted wanted, Found found);
  Task<Outcome> unpacked(ObjectCache::Item item, Wrapper wrapper, int file);

  DirectoryRoot root_;
  const std::string name_, key_;
  const std::string id_;
  const bool is_public_;
  const sources::Layout layout_;
  const sources::PathMap path_map_;
  PlaceOrder places_;
  const bool has_index_;
  AdminShortcut shortcut_;
  LooseFolder loose_;
  ObjectCache& objects_;
};

}  // namespace symcached::fetch
