#include "fetch/loose_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "fetch/beneath.hpp"
#include "fetch/identity.hpp"
#include "fetch/outcome.hpp"
#include "fetch/sniff.hpp"
#include "fetch/stated_ids.hpp"
#include "sources/layouts.hpp"

namespace symcached::fetch {
namespace {

namespace fs = std::filesystem;

/// Empty if there is no regular file.
std::string identity_at(int root, const std::string& relative) {
  struct stat info{};
  if (::fstatat(root, relative.c_str(), &info, 0) != 0 || !S_ISREG(info.st_mode)) return {};
  return identity_of(info);
}

/// Object files state no ids that anybody asks for, and folders of builds are full of them.
bool is_object_file(Bytes start) {
  constexpr std::size_t kOrder = 5, kType = 16;  // of e_ident and the header
  if (start.size() < kType + 2) return false;
  const bool is_big = start[kOrder] == std::byte{2};
  return start[kType + (is_big ? 1 : 0)] == std::byte{1} && start[kType + (is_big ? 0 : 1)] == std::byte{0};
}

bool may_state_ids(int file) {
  std::array<std::byte, kSniffSize> buffer;
  const ssize_t n = ::pread(file, buffer.data(), buffer.size(), 0);
  if (n <= 0) return false;
  const Bytes start = Bytes(buffer).first(static_cast<std::size_t>(n));
  switch (sniff(start)) {
    case Content::elf: return !is_object_file(start);
    case Content::pdb:
    case Content::portable_pdb:
    case Content::image:
    case Content::mach:
    case Content::wasm:
    case Content::breakpad: return true;
    default: return false;
  }
}

bool is_place(const std::string& relative) {
  return !sources::parse_place({}, relative).empty() || !sources::parse_place({.two_tiers = true}, relative).empty();
}

}  // namespace

Task<LooseFolder::Paths> LooseFolder::find(std::shared_ptr<const Descriptor> root, fs::path path,
                                           sources::FileRequest wanted) {
  if (auto paths = known(root->get(), wanted); !paths.empty()) co_return paths;
  const Turn::Held held = co_await turn_.take();
  if (!is_fresh()) {
    const auto walked = co_await walk(root, std::move(path));
    if (!walked) co_return std::unexpected(walked.error());
  }
  co_return known(root->get(), wanted);
}

bool LooseFolder::is_fresh() {
  const std::scoped_lock lock(mutex_);
  return walked_ && now_() - *walked_ < limits_.walk_again;
}

/// What was looked into before and did not change since.
std::vector<std::string> LooseFolder::known(int root, const sources::FileRequest& wanted) {
  std::vector<std::pair<std::string, std::string>> found;
  {
    const std::scoped_lock lock(mutex_);
    const auto is_it = [&](const sources::FileRequest& s) { return s.type == wanted.type && answers(s, wanted); };
    for (const auto& [relative, file] : files_)
      if (std::ranges::any_of(file.ids, is_it)) found.emplace_back(relative, file.identity);
  }
  std::vector<std::string> paths;
  for (auto& [relative, identity] : found)
    if (identity_at(root, relative) == identity) paths.push_back(std::move(relative));
  return paths;
}

std::optional<LooseFolder::Known> LooseFolder::unchanged(const std::string& relative, const std::string& identity) {
  const std::scoped_lock lock(mutex_);
  const auto found = files_.find(relative);
  return found != files_.end() && found->second.identity == identity ? std::optional(found->second) : std::nullopt;
}

Task<std::expected<void, std::string>> LooseFolder::walk(std::shared_ptr<const Descriptor> root, fs::path path) {
  const auto began = now_();
  const auto failed = [&](const std::error_code& error) {
    return std::unexpected(fmt::format("{}: cannot be searched: {}", path.string(), error.message()));
  };
  Files files;
  std::error_code error;
  std::size_t left = limits_.max_entries;
  fs::recursive_directory_iterator at(path, fs::directory_options::skip_permission_denied, error);
  if (error) co_return failed(error);
  for (; at != fs::recursive_directory_iterator() && left-- != 0; at.increment(error)) {
    if (error) break;
    if (at.depth() >= limits_.max_depth) at.disable_recursion_pending();
    std::string relative = at->path().lexically_relative(path).string();
    std::string identity = identity_at(root->get(), relative);
    if (identity.empty() || (limits_.skips_places && is_place(relative))) continue;
    auto file = unchanged(relative, identity);
    if (!file) {
      auto looked = co_await look_into(root, path, relative, std::move(identity));
      if (!looked) co_return std::unexpected(std::move(looked.error()));
      file = std::move(*looked);
    }
    files.emplace(std::move(relative), std::move(*file));
  }
  if (error && is_exhaustion(error.value())) co_return failed(error);
  const std::scoped_lock lock(mutex_);
  files_ = std::move(files);
  walked_ = began;
  co_return std::expected<void, std::string>();
}

/// A file that cannot be opened or read is one without ids, until it changes.
Task<std::expected<LooseFolder::Known, std::string>> LooseFolder::look_into(std::shared_ptr<const Descriptor> root,
                                                                            fs::path path, std::string relative,
                                                                            std::string identity) {
  Known known{std::move(identity)};
  const auto file = open_beneath(root->get(), path, relative);
  if (!file) {
    const bool is_ours = file.error().kind == OpenFailure::Kind::system && is_exhaustion(file.error().error);
    if (is_ours) co_return std::unexpected(fmt::format("{}: {}", relative, std::strerror(file.error().error)));
    co_return known;
  }
  struct stat info{};
  if (::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode) || !may_state_ids(file->get())) co_return known;
  auto ids = co_await reader_.state_ids(file->get(), 0, static_cast<std::uint64_t>(info.st_size));
  if (ids) known.ids = std::move(*ids);
  else if (ids.error().ours) co_return std::unexpected(fmt::format("{}: {}", relative, ids.error().why));
  co_return known;
}

}  // namespace symcached::fetch
