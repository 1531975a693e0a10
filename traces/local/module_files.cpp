#include "traces/local/module_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/ascii.hpp"
#include "base/mapped_file.hpp"
#include "object/identify.hpp"
#include "sources/module_ids.hpp"

namespace symcached::traces {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 16;                    // directories inside directories
constexpr std::size_t kMostOfOneName = 64;      // files that are opened to see which build they are of
constexpr std::size_t kMaxIdentities = 50'000;  // remembered
constexpr std::size_t kMostOthers = 8;          // files of other builds that are told of

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// One text for one build; empty: the file does not say.
std::string build_of(const FileIdentity& file) {
  return file.debug_id ? file.debug_id->guid.hex_lower() : file.code_id;
}

std::string mismatch(const FileIdentity& file, const FrameQuestion& question) {
  const std::string debug_id = file.debug_id ? file.debug_id->dashed() : "not stated";
  if (question.build_id.empty()) return fmt::format("id is {}, expected {}", debug_id, question.debug_id->dashed());
  return fmt::format("id is {}, expected {}", file.code_id.empty() ? debug_id : file.code_id, question.build_id);
}

bool has_ids(const FrameQuestion& question) { return !question.build_id.empty() || question.debug_id; }

/// "/opt/a/srv" without what would lead out of a directory; empty: there is no such path.
fs::path below(const std::string& module) {
  if (!module.starts_with('/') || module.find('\0') != module.npos) return {};
  const fs::path path = fs::path(module).relative_path();
  if (std::ranges::any_of(path, [](const fs::path& part) { return part == ".."; })) return {};
  return path;
}

}  // namespace

bool matches(const FileIdentity& file, const FrameQuestion& question) {
  if (!question.build_id.empty()) {
    if (file.code_id == question.build_id) return true;
    if (!file.debug_id) return false;
    if (file.debug_id->guid.hex_lower() == question.build_id) return true;  // a UUID
    const bool is_other_build = file.code_id.size() == question.build_id.size();
    const auto id = sources::debug_id_of_build_id(question.build_id);
    return !is_other_build && id && id->guid == file.debug_id->guid;
  }
  if (!question.debug_id || !file.debug_id || question.debug_id->guid != file.debug_id->guid) return false;
  const std::uint32_t asked = question.debug_id->age, found = file.debug_id->age;
  return asked == found || asked == 0 || found == 0;
}

ModuleFiles::ModuleFiles(const std::vector<fs::path>& places) {
  std::error_code ignored;
  for (const fs::path& place : places) (fs::is_directory(place, ignored) ? directories_ : files_).push_back(place);
}

const FileIdentity& ModuleFiles::identity_of(const fs::path& path) {
  if (identities_.size() >= kMaxIdentities) identities_.clear();
  const auto [entry, is_new] = identities_.try_emplace(path);
  if (is_new)
    if (const auto mapped = MappedFile::open(path)) {
      const object::FileInfo info = object::describe(mapped->bytes());
      entry->second = {info.code_id, info.debug_id};
    }
  return entry->second;
}

ModuleFiles::Paths ModuleFiles::by_build_id(const FrameQuestion& question) const {
  Paths found;
  const std::string& id = question.build_id;
  if (id.size() < 4) return found;
  const fs::path first = id.substr(0, 2), rest = id.substr(2);
  for (const fs::path& directory : directories_)
    for (const char* above : {"", "usr/lib/debug"})
      for (const char* extension : {".debug", ""})
        if (fs::path place = directory / above / ".build-id" / first / fs::path(rest).concat(extension); is_file(place))
          found.push_back(std::move(place));
  return found;
}

ModuleFiles::Paths ModuleFiles::by_path(const std::string& module) const {
  Paths found;
  const fs::path path = below(module);
  if (path.empty()) return found;
  for (const fs::path& directory : directories_)
    for (const char* extension : {"", ".debug"})
      if (fs::path place = directory / fs::path(path).concat(extension); is_file(place))
        found.push_back(std::move(place));
  return found;
}

void ModuleFiles::list_directories() {
  if (std::exchange(is_listed_, true)) return;
  std::error_code error;
  for (const fs::path& directory : directories_) {
    if (fs::equivalent(directory, "/", error)) continue;
    auto at = fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied, error);
    for (; !error && at != fs::recursive_directory_iterator() && listed_.size() < kMaxEntries; at.increment(error)) {
      if (at.depth() >= kDeepest) at.disable_recursion_pending();
      if (at->is_regular_file(error)) listed_.emplace_back(lower_ascii(at->path().filename().string()), at->path());
    }
  }
  std::ranges::sort(listed_);
}

std::vector<ModuleFiles::Paths> ModuleFiles::by_name(const std::string& module) {
  std::vector<Paths> levels;
  for (const FileName& pattern : file_names_of(module)) {
    Paths given, listed;
    for (const fs::path& file : files_)
      if (fits(pattern, lower_ascii(file.filename().string()))) given.push_back(file);
    list_directories();
    auto at = std::ranges::lower_bound(listed_, pattern.start, {}, &std::pair<std::string, fs::path>::first);
    for (; at != listed_.end() && at->first.starts_with(pattern.start) && listed.size() < kMostOfOneName; ++at)
      if (fits(pattern, at->first)) listed.push_back(at->second);
    for (Paths* const paths : {&given, &listed})
      if (!paths->empty()) levels.push_back(std::move(*paths));
  }
  return levels;
}

ModuleFiles::Found ModuleFiles::find_by_id(const FrameQuestion& question, const Paths& candidates) {
  Found found;
  for (const fs::path& path : candidates) {
    const FileIdentity& file = identity_of(path);
    if (matches(file, question)) found.files.push_back(path);
    else if (found.others.size() < kMostOthers) found.others.emplace_back(path, mismatch(file, question));
  }
  if (!found.files.empty()) found.status = Status::ok;
  else if (!candidates.empty()) found.status = Status::id_mismatch;
  return found;
}

/// The first level that leads to anything decides which build is meant; others may add files of that build.
ModuleFiles::Found ModuleFiles::find_by_name(const std::vector<Paths>& levels) {
  Found found;
  if (levels.empty()) return found;
  std::set<std::string> builds;
  for (const fs::path& path : levels.front()) {
    const std::string build = build_of(identity_of(path));
    builds.insert(build.empty() ? path.string() : build);
  }
  if (builds.size() > 1) return {Status::ambiguous, {}, builds.size()};
  for (const Paths& level : levels)
    for (const fs::path& path : level)
      if (&level == &levels.front() || build_of(identity_of(path)) == *builds.begin()) found.files.push_back(path);
  found.status = Status::unverified;
  return found;
}

ModuleFiles::Found ModuleFiles::find(const FrameQuestion& question) {
  if (question.module.empty() && !has_ids(question)) {
    if (files_.size() != 1) return {Status::no_module, {}, 0};
    return {Status::unverified, files_, 0};
  }
  std::vector<Paths> levels;
  if (Paths paths = by_path(question.module); !paths.empty()) levels.push_back(std::move(paths));
  std::ranges::move(by_name(question.module), std::back_inserter(levels));
  if (!has_ids(question)) return find_by_name(levels);
  Paths candidates = by_build_id(question);
  for (const Paths& level : levels) candidates.insert(candidates.end(), level.begin(), level.end());
  candidates.insert(candidates.end(), files_.begin(), files_.end());
  return find_by_id(question, candidates);
}

}  // namespace symcached::traces
