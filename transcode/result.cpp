#include "transcode/result.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <variant>

#include "base/utf8.hpp"
#include "wpt/file_name.hpp"

namespace symcached::transcode {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 1000;
constexpr int kDeepest = 4;

/// The PDB and version that a path claims. The folder may be part of the file's name.
struct Claim {
  wpt::PdbFile file;
  std::optional<DebugId> id;
};
std::optional<Claim> claim_of(const fs::path& path) {
  const std::string leaf = path.filename().string();
  if (const auto place = wpt::parse_place(leaf)) return Claim{place->file, place->id};
  const auto file = wpt::parse_file_name(leaf);
  const auto* pdb = file ? std::get_if<wpt::PdbFile>(&*file) : nullptr;
  if (pdb == nullptr) return std::nullopt;
  return Claim{*pdb, wpt::parse_folder_name(path.parent_path().filename().string())};
}

class Search {
 public:
  Search(std::string_view pdb_name, const DebugId& id, std::uint64_t limit)
      : pdb_name_(pdb_name), id_(id), limit_(limit) {}

  std::expected<void, std::string> look_at(const fs::path& path) {
    struct stat info{};
    if (++seen_ > kMostFiles) return refuse(path, "is one of too many files");
    if (::lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return {};
    if (!S_ISREG(info.st_mode) || info.st_nlink != 1) return refuse(path, "is a link, or no plain file");
    const auto claim = claim_of(path);
    if (!claim) return {};
    if (!wpt::same_name(claim->file.pdb, pdb_name_) || (claim->id && *claim->id != id_))
      return refuse(path, "is of another PDB");
    if (info.st_size == 0) return refuse(path, "is empty");
    if (static_cast<std::uint64_t>(info.st_size) > limit_) return refuse(path, "is too big");
    if (found_) return refuse(path, "is not the only symcache");
    found_ = Result{path, claim->file.version};
    return {};
  }
  std::expected<Result, std::string> finish() && {
    if (!found_) return std::unexpected("it wrote no symcache");
    return std::move(*found_);
  }

 private:
  static std::unexpected<std::string> refuse(const fs::path& path, std::string_view why) {
    return std::unexpected(fmt::format("what it wrote is not used: \"{}\" {}", escaped(path.filename().string()), why));
  }

  const std::string_view pdb_name_;
  const DebugId id_;
  const std::uint64_t limit_;
  std::size_t seen_ = 0;
  std::optional<Result> found_;
};

}  // namespace

std::expected<Result, std::string> find_result(const fs::path& folder, std::string_view pdb_name, const DebugId& id,
                                               std::uint64_t limit) {
  Search search(pdb_name, id, limit);
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    if (auto ok = search.look_at(at->path()); !ok) return std::unexpected(std::move(ok.error()));
  }
  if (error) return std::unexpected(fmt::format("what it wrote cannot be read: {}", error.message()));
  return std::move(search).finish();
}

}  // namespace symcached::transcode
