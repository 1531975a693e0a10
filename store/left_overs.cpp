#include "store/left_overs.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <memory>

#include "base/descriptor.hpp"
#include "base/hex.hpp"

namespace symcached::store {
namespace {

constexpr std::string_view kPrefix = "entry-";
constexpr std::size_t kDigits = 16;

bool is_old(const struct stat& info) {
  return std::time(nullptr) - info.st_mtim.tv_sec > std::chrono::seconds(kLeftOverAge).count();
}

}  // namespace

std::string temporary_name(std::uint64_t boot, std::uint64_t number) {
  return fmt::format("{}{:016x}-{:016x}", kPrefix, boot, number);
}

bool is_temporary_name(std::string_view name) {
  if (name.size() != kPrefix.size() + 2 * kDigits + 1 || !name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  return is_lower_hex(name.substr(0, kDigits)) && name[kDigits] == '-' && is_lower_hex(name.substr(kDigits + 1));
}

bool is_of_run(std::string_view name, std::uint64_t boot) {
  return name.starts_with(fmt::format("{}{:016x}-", kPrefix, boot));
}

std::size_t remove_left_overs_in(const std::filesystem::path& tmp, std::uint64_t boot, bool sole_use) {
  Descriptor folder(::open(tmp.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  const int listed = folder ? ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(listed < 0 ? nullptr : ::fdopendir(listed), &::closedir);
  if (!listing) return 0;
  std::size_t removed = 0;
  while (const dirent* entry = ::readdir(listing.get())) {
    struct stat info{};
    if (!is_temporary_name(entry->d_name) || is_of_run(entry->d_name, boot)) continue;
    if (::fstatat(folder.get(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) continue;
    if (!sole_use && !is_old(info)) continue;
    if (::unlinkat(folder.get(), entry->d_name, 0) == 0) ++removed;
  }
  return removed;
}

}  // namespace symcached::store
