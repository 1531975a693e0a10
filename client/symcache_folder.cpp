#include "client/symcache_folder.hpp"

#include <ranges>

#include "client/media_type.hpp"
#include "transcode/placing.hpp"

namespace symcached::client {

std::expected<std::unique_ptr<SymcacheFolder>, std::string> SymcacheFolder::open(const std::filesystem::path& path) {
  auto directory = transcode::SymcacheDirectory::open(path, {});
  if (!directory) return std::unexpected(std::move(directory.error()));
  return std::unique_ptr<SymcacheFolder>(new SymcacheFolder(std::move(*directory)));
}

transcode::SharedSymcache SymcacheFolder::open_best(const SymcacheKey& key, const wpt::Version& requested) const {
  const wpt::Version minimum = minimum_of(format_of(requested));
  const transcode::HeldFiles all = directory_->find(key.pdb_name, key.id);
  for (const transcode::Held& held : std::views::reverse(*all)) {
    const bool is_readable = held.generation == transcode::Generation::pdb && held.version >= minimum &&
                             held.version.major_part <= requested.major_part;
    if (!is_readable) continue;
    if (auto opened = directory_->open(held)) return opened;
  }
  return nullptr;
}

std::optional<Kept> SymcacheFolder::best(const SymcacheKey& key, const wpt::Version& requested) const {
  const auto found = open_best(key, requested);
  if (!found) return std::nullopt;
  return Kept{directory_->path() / found->path, found->version};
}

std::expected<Kept, std::string> SymcacheFolder::keep(const std::filesystem::path& file, const SymcacheKey& key,
                                                      const wpt::Version& version) {
  if (const auto ok = directory_->publish(file, key.pdb_name, key.id, version); !ok)
    return std::unexpected(ok.error().why);
  auto kept = best(key, version);
  if (!kept) return std::unexpected("the symcache was removed from the directory as soon as it was there");
  kept->is_new = true;
  return std::move(*kept);
}

std::expected<Kept, std::string> SymcacheFolder::copy(const SymcacheFolder& from, const SymcacheKey& key,
                                                      const wpt::Version& requested) {
  const auto original = from.open_best(key, requested);
  if (!original) return std::unexpected("the symcache was removed from " + from.shown());
  auto job = directory_->new_job();
  if (!job) return std::unexpected(std::move(job.error().why));
  const std::filesystem::path file = job->path() / "symcache.pending";
  if (const int error = transcode::place({original->file, 0, original->size}, file, 0666); error != 0)
    return std::unexpected(store::failure(file, "copy a symcache to", error).why);
  return keep(file, key, original->version);
}

}  // namespace symcached::client
