#pragma once
/// A folder in symstore layout. What lies there plain is used where it lies.
#include <filesystem>
#include <optional>

#include "fetch/source.hpp"
#include "sources/symstore.hpp"

namespace symcached::fetch {

class FolderSource : public Source {
 public:
  /// @param root  an existing folder, canonical
  FolderSource(std::filesystem::path root, ObjectCache& objects);
  const std::string& name() const override { return name_; }
  Task<Outcome> open(Wanted wanted) override;
  void forget(const Wanted& wanted) override { objects_.forget(object_key(wanted)); }

 private:
  std::string object_key(const Wanted& wanted) const { return wanted.key + " " + name_; }
  std::optional<Outcome> open_place(const sources::Place& place, const Wanted& wanted);

  const std::filesystem::path root_;
  const std::string name_;
  const sources::Tiers tiers_;
  ObjectCache& objects_;
};

}  // namespace symcached::fetch
