#include "store/survey.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "store/reading.hpp"

namespace symcached::store {
namespace {

Descriptor open_folder(int parent, const char* name) {
  return Descriptor(::openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

/// All of them at once, so that the folder may change meanwhile.
std::vector<std::string> names_in(int folder) {
  std::vector<std::string> names;
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(again < 0 ? nullptr : ::fdopendir(again), &::closedir);
  if (!listing) return names;
  while (const dirent* entry = ::readdir(listing.get()))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  return names;
}

constexpr int kLevels = 4;  ///< kind, version, scope, two digits

/// Whether `path`, of so many levels, may lead to an entry: with the rest of a name behind it, it parses.
bool may_hold_entries(const std::string& path, int levels) {
  constexpr std::string_view kRest[] = {"", "/v1/s/00/", "/s/00/", "/00/", "/"};
  return parse_entry_name(fmt::format("{}{}{:062}", path, kRest[levels], 0)).has_value();
}

/// What is done with a folder of entries ("symcaches/v1/global/ab"). @return whether to go on
using Visit = std::function<bool(int folder, const std::string& path)>;
/// What is done with a folder of any level once all in it was visited.
using Leave = std::function<void(int parent, const std::string& name)>;

bool walk(int parent, const std::string& path, int levels, const Visit& visit, const Leave& leave) {
  if (levels == kLevels) return visit(parent, path);
  for (const std::string& name : names_in(parent)) {
    const std::string below = path.empty() ? name : path + '/' + name;
    if (!may_hold_entries(below, levels + 1)) continue;
    const Descriptor folder = open_folder(parent, name.c_str());
    if (!folder) continue;
    if (!walk(folder.get(), below, levels + 1, visit, leave)) return false;
    if (leave) leave(parent, name);
  }
  return true;
}

/// What the head of an entry adds to what its file says; of a file without a sound one only its bytes are known.
Account account_of(int folder, const std::string& name, const struct stat& info) {
  Account account{.blocks = blocks_of(static_cast<std::uint64_t>(info.st_size)),
                  .last_use = static_cast<std::uint32_t>(info.st_mtim.tv_sec)};
  const Descriptor file(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return account;
  const auto head = read_head_of(file.get(), static_cast<std::uint64_t>(info.st_size));
  if (!head || !*head) return account;
  account.cost_ms = (*head)->cost_ms;
  account.content = (*head)->content;
  account.absent = (*head)->state == State::absent;
  return account;
}

struct Survey {
  Quotas& quotas;
  Surveyed surveyed = {};
  std::set<std::pair<dev_t, ino_t>> shared = {};  ///< files seen that have several names

  void look_at(int folder, const std::string& path, const std::string& name) {
    struct stat info{};
    const std::string entry = path + '/' + name;
    if (!parse_entry_name(entry)) return;
    if (::fstatat(folder, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) return;
    const bool counted = info.st_nlink > 1 && !shared.emplace(info.st_dev, info.st_ino).second;
    const std::uint32_t blocks = counted ? 0 : blocks_of(static_cast<std::uint64_t>(info.st_size));
    if (quotas.survey(entry, blocks, static_cast<std::uint32_t>(info.st_mtim.tv_sec))) return;
    Account account = account_of(folder, name, info);
    account.blocks = blocks;
    quotas.published(entry, account);
    ++surveyed.found;
  }
};

}  // namespace

std::optional<Surveyed> survey(const std::filesystem::path& directory, Quotas& quotas, const Pace& pace) {
  Survey survey{quotas};
  const Visit visit = [&](int folder, const std::string& path) {
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& name : names_in(folder)) survey.look_at(folder, path, name);
    return pace(std::chrono::steady_clock::now() - start);
  };
  const Descriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return std::nullopt;
  quotas.begin_survey();
  if (!walk(folder.get(), "", 0, visit, {})) return std::nullopt;
  survey.surveyed.gone = quotas.end_survey();
  return survey.surveyed;
}

std::size_t remove_empty_folders(const std::filesystem::path& directory) {
  std::size_t removed = 0;
  const Visit visit = [](int, const std::string&) { return true; };
  const Leave leave = [&](int parent, const std::string& name) {
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0) ++removed;  // fails where something is in it
  };
  const Descriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) walk(folder.get(), "", 0, visit, leave);
  return removed;
}

}  // namespace symcached::store
