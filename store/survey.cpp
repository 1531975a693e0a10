#include "store/survey.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <string>
#include <utility>

#include "store/reading.hpp"
#include "store/walk.hpp"

namespace symcached::store {
namespace {

/// What the head of an entry adds to what its file says; of a file without a sound one only its bytes are known.
Account account_of(const FoundEntry& entry) {
  Account account{.blocks = blocks_of(entry.size()), .last_use = static_cast<std::uint32_t>(entry.info.st_mtim.tv_sec)};
  const Descriptor file(
      ::openat(entry.folder, entry.leaf(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return account;
  const auto head = read_head_of(file.get(), entry.size());
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

  void look_at(const FoundEntry& entry) {
    const struct stat& info = entry.info;
    const bool counted = info.st_nlink > 1 && !shared.emplace(info.st_dev, info.st_ino).second;
    const std::uint32_t blocks = counted ? 0 : blocks_of(entry.size());
    const std::string name(entry.name);
    if (quotas.survey(name, blocks, static_cast<std::uint32_t>(info.st_mtim.tv_sec))) return;
    Account account = account_of(entry);
    account.blocks = blocks;
    quotas.published(name, account);
    ++surveyed.found;
  }
};

}  // namespace

std::optional<Surveyed> survey(const std::filesystem::path& directory, Quotas& quotas, const Pace& pace) {
  using Steady = std::chrono::steady_clock;
  Survey survey{quotas};
  Steady::time_point begun = Steady::now();
  const auto look_at = [&](const FoundEntry& entry) { survey.look_at(entry); };
  const auto left = [&](const LeftFolder& folder) {
    const bool goes_on = !folder.holds_entries || pace(Steady::now() - begun);
    begun = Steady::now();
    return goes_on;
  };
  quotas.begin_survey();
  if (!walk(directory, {.entry = look_at, .left = left}).value_or(false)) return std::nullopt;
  survey.surveyed.gone = quotas.end_survey();
  return survey.surveyed;
}

std::size_t remove_empty_folders(const std::filesystem::path& directory) {
  std::size_t removed = 0;
  const auto left = [&](const LeftFolder& folder) {
    if (::unlinkat(folder.parent, folder.leaf, AT_REMOVEDIR) == 0) ++removed;  // fails where something is in it
    return true;
  };
  walk(directory, {.left = left});
  return removed;
}

}  // namespace symcached::store
