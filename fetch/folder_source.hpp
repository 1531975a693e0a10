#pragma once
/// A directory in symstore layout. What lies there plain is used where it lies.
#include <sys/stat.h>

#include <filesystem>
#include <optional>

#include "fetch/beneath.hpp"
#include "fetch/source.hpp"
#include "sources/symstore.hpp"

namespace symcached::fetch {

class FolderSource : public Source {
 public:
  /// @param root  an existing directory, canonical
  FolderSource(std::filesystem::path root, ObjectCache& objects);
  const std::string& name() const override { return name_; }
  bool is_local() const override { return true; }
  Task<Outcome> open(Wanted wanted) override;
  Task<std::string> identify(Wanted wanted) override;
  void forget(const Wanted& wanted) override { objects_.forget(object_key(wanted)); }

 private:
  /// The first place that there is something at, or why that cannot be told. Nothing if there is none.
  struct Found {
    Descriptor file;
    struct stat info;
    std::string origin;
  };

  std::string object_key(const Wanted& wanted) const { return wanted.key + " " + name_; }
  std::optional<std::expected<Found, Outcome>> find(const Wanted& wanted);
  std::expected<Found, Outcome> found(Descriptor file, std::string origin) const;
  Task<Outcome> judge(Wanted wanted, Found found);
  Task<Outcome> unpacked(ObjectCache::Item item, int file);

  DirectoryRoot root_;
  const std::string name_;
  ObjectCache& objects_;
};

}  // namespace symcached::fetch
