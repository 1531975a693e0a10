#include <fcntl.h>
#include <sys/stat.h>

#include <variant>

#include "base/overloaded.hpp"
#include "transcode/directory.hpp"
#include "transcode/folder.hpp"
#include "wpt/file_name.hpp"

namespace symcached::transcode {
namespace {

using Visit = std::function<void(const ListedSymcache&)>;

std::uint64_t size_of(const std::optional<struct stat>& info) {
  return info && S_ISREG(info->st_mode) ? static_cast<std::uint64_t>(info->st_size) : 0;
}

/// A file in the root itself, whose name says all there is to know.
void visit_flat(const char* name, std::uint64_t size, const Visit& visit) {
  if (const auto place = wpt::parse_place(name))
    return visit({Generation::pdb, place->file.pdb, place->id, place->file.version, size, name});
  const auto file = wpt::parse_file_name(name);
  if (!file) return;
  std::visit(overloaded{[&](const wpt::ImageFile& f) {
                          visit({Generation::image, f.image, std::nullopt, wpt::kFirstVersion, size, name});
                        },
                        [&](const wpt::ImagePdbFile& f) {
                          visit({Generation::image_pdb, f.image, f.id, wpt::kSecondVersion, size, name});
                        },
                        [](const wpt::PdbFile&) {}},  // without a folder it is of no PDB
             *file);
}

void visit_ids(int pdb_folder, const std::string& pdb, const Visit& visit) {
  read_folder(pdb_folder, [&](const char* folder) {
    const auto id = wpt::parse_folder_name(folder);
    const Descriptor opened = id ? open_folder(pdb_folder, folder) : Descriptor();
    if (!opened) return;
    read_folder(opened.get(), [&](const char* name) {
      const std::string path = pdb + '/' + folder + '/' + name;
      const auto place = wpt::parse_place(path);
      const std::uint64_t size = place ? size_of(look_at(opened.get(), name)) : 0;
      if (size != 0) visit({Generation::pdb, place->file.pdb, id, place->file.version, size, path});
    });
  });
}

}  // namespace

void SymcacheDirectory::walk(const Visit& visit) const {
  const Descriptor root = open_folder(AT_FDCWD, root_.c_str());
  if (!root) return;
  read_folder(root.get(), [&](const char* name) {
    if (const Descriptor folder = open_folder(root.get(), name)) return visit_ids(folder.get(), name, visit);
    if (const std::uint64_t size = size_of(look_at(root.get(), name)); size != 0) visit_flat(name, size, visit);
  });
}

}  // namespace symcached::transcode
