#include "symbolize/managed_modules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "sources/file_name.hpp"

namespace symcached::symbolize {
namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 4;                   ///< folders inside folders
constexpr std::size_t kMaxEntries = 100'000;  ///< looked at below one folder

/// What a module's files may be called. The module of an F# program that was built as x.dll is called x.exe.
std::vector<std::string> file_names_of(std::string_view module) {
  const std::string stem(module.substr(0, module.rfind('.')));
  std::vector<std::string> names = {stem + ".pdb"};
  for (const std::string& name : {std::string(module), stem + ".dll", stem + ".exe"})
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  const std::size_t plain = names.size();
  for (std::size_t i = 0; i < plain; ++i) names.push_back(names[i] + ".ppdbcache");
  return names;
}

/// Files of these names below the folder, where it is not too large.
std::vector<fs::path> search(const fs::path& folder, const std::vector<std::string>& names) {
  std::vector<fs::path> found;
  std::error_code error;
  std::size_t left = kMaxEntries;
  auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator() && left-- != 0; at.increment(error)) {
    if (at.depth() >= kDeepest) at.disable_recursion_pending();
    if (std::ranges::find(names, at->path().filename().string()) != names.end() && at->is_regular_file(error))
      found.push_back(at->path());
  }
  std::ranges::sort(found);
  return found;
}

/// The assembly beside a PDB, if it names a PDB of another build.
std::optional<fs::path> other_build_beside(const fs::path& pdb, const DebugId& id) {
  if (pdb.extension() != ".pdb") return std::nullopt;
  for (const char* extension : {".dll", ".exe"}) {
    const fs::path place = fs::path(pdb).replace_extension(extension);
    std::error_code error;
    if (!fs::is_regular_file(place, error)) continue;
    const auto mapped = MappedFile::open(place);
    if (!mapped || !object::is_managed(mapped->bytes())) continue;  // a starter program has the name, too
    const auto files = object::ManagedFiles::open(mapped->bytes());
    const pe::CodeView* view = files ? files->debug_files().portable() : nullptr;
    if (view != nullptr) return view->debug_id() == id ? std::nullopt : std::optional(place);
  }
  return std::nullopt;
}

bool has_lines(const Module& module) { return module.ppdbcache()->method_count() != 0; }

}  // namespace

std::vector<fs::path> places_of_module(const fs::path& folder, std::string_view name) {
  std::vector<fs::path> places;
  if (!sources::check_file_name(name)) return places;
  for (const std::string& file : file_names_of(name)) places.push_back(folder / file);
  return places;
}

const Module* ManagedModules::find(std::string_view name) {
  auto known = known_.find(name);
  if (known == known_.end()) known = known_.emplace(std::string(name), look_for(std::string(name))).first;
  const auto& found = known->second.module;
  return found ? &found->module() : nullptr;
}

/// A module that has lines, or `why` there is none.
std::unique_ptr<OpenedModule> ManagedModules::open(const fs::path& place, Reasons& why) const {
  auto opened = OpenedModule::open(place, {.managed_only = true, .fetch_pdb = fetch_pdb_});
  const auto other = opened ? other_build_beside(place, opened->module().debug_id()) : std::nullopt;
  if (other) why.mismatch = fmt::format("{} does not match {} and was not used", place.string(), other->string());
  else if (!opened) why.other = opened.error();
  else if (has_lines(opened->module())) return std::make_unique<OpenedModule>(*std::move(opened));
  else
    why.other = opened->why_not_fetched().empty()
                    ? fmt::format("{}: no PDB found", place.string())
                    : fmt::format("{}: no PDB found: {}", place.string(), opened->why_not_fetched());
  return nullptr;
}

/// The folder itself first; then below it, where one build alone may be found, for the text does not say which it was.
ManagedModules::Entry ManagedModules::look_for(const std::string& name) {
  Reasons why;
  for (const fs::path& folder : folders_) {
    const auto places = places_of_module(folder, name);
    if (places.empty()) return {nullptr, fmt::format("\"{}\" is not a file name", name)};
    std::error_code error;
    for (const fs::path& place : places)
      if (fs::is_regular_file(place, error))
        if (auto module = open(place, why)) return {std::move(module), {}};
  }
  for (const fs::path& folder : folders_) {
    std::map<std::string, std::unique_ptr<OpenedModule>> builds;
    for (const fs::path& place : search(folder, file_names_of(name)))
      if (auto module = open(place, why)) builds.try_emplace(module->module().debug_id().dashed(), std::move(module));
    if (builds.size() == 1) return {std::move(builds.begin()->second), {}};
    if (builds.size() > 1)
      return {nullptr, fmt::format("{}: found {} builds of it below {}; name the directory of the right one", name,
                                   builds.size(), folder.string())};
  }
  if (!why.mismatch.empty()) return {nullptr, why.mismatch};
  if (!why.other.empty()) return {nullptr, why.other};
  if (folders_.empty())
    return {nullptr, fmt::format("{}: not found in any --symbols directory; servers supply only PDBs", name)};
  return {nullptr,
          fmt::format("{}: not found in {}", name,
                      fmt::join(folders_ | std::views::transform([](const fs::path& p) { return p.string(); }), ", "))};
}

std::vector<std::string> ManagedModules::complaints() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : known_)
    if (!entry.module) all.push_back(entry.why);
  return all;
}

}  // namespace symcached::symbolize
