#include "app/managed_modules.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "service/derive.hpp"
#include "sources/file_name.hpp"

namespace symcached::app {
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

bool has_lines(const ManagedModule& module) { return module.cache().method_count() != 0; }

}  // namespace

std::expected<std::unique_ptr<ManagedModule>, std::string> ManagedModule::open(const fs::path& path,
                                                                               const FetchPdb& fetch_pdb) {
  auto module = std::make_unique<ManagedModule>();
  auto file = OriginalFile::open(path);
  if (!file) return std::unexpected(file.error());
  module->file_ = std::move(*file);
  const auto failed = [&](const std::string& why) {
    return std::unexpected(fmt::format("{}: {}", path.string(), why));
  };
  Bytes bytes = module->file_.bytes();
  if (!ppdbcache::is_ppdbcache(bytes)) {
    if (!object::is_managed(bytes)) return failed("neither a Portable PDB nor a .NET assembly");
    module->on_disk_ = find_companions(path, bytes, {});
    if (auto ok = module->derive(fetch_pdb); !ok) return failed(ok.error());
    bytes = module->derived_;
  }
  const auto cache = ppdbcache::Reader::open(bytes);
  if (!cache) return failed(to_string(cache.error()));
  module->cache_ = *cache;
  return module;
}

std::expected<void, std::string> ManagedModule::derive(const FetchPdb& fetch_pdb) {
  companions_.assign(on_disk_.all().begin(), on_disk_.all().end());
  const auto files = object::ManagedFiles::open(file_.bytes(), companions_);
  if (!files) return std::unexpected(to_string(files.error()));
  if (files->pdb() == nullptr) fetch(files->debug_files(), fetch_pdb);
  auto derived = service::derive_ppdbcache({file_.bytes(), companions_});
  if (!derived) return std::unexpected(derived.error());
  derived_ = std::move(derived->file);
  return {};
}

void ManagedModule::fetch(const pe::DebugFiles& assembly, const FetchPdb& fetch_pdb) {
  const pe::CodeView* view = assembly.portable();
  if (view == nullptr) return;
  fetch::PortablePdbRequest request{.name = std::string(view->debug_file),
                                    .id = sources::PortableId::of(view->debug_id())};
  for (const pe::PdbChecksum& sum : assembly.checksums)
    request.checksums.push_back({std::string(sum.algorithm), {sum.digest.begin(), sum.digest.end()}});
  auto fetched = fetch_pdb(request);
  if (!fetched) {
    why_not_fetched_ = fetched.error();
    return;
  }
  auto mapped = fetched->map();
  if (!mapped) {
    why_not_fetched_ = mapped.error();
    return;
  }
  fetched_ = std::move(*mapped);
  companions_.push_back({{.kind = object::NeedFile::Kind::portable_pdb, .path = {}, .directory = {}, .build_id = {}},
                         fetched->bytes_in(fetched_)});
}

std::vector<fs::path> places_of_module(const fs::path& folder, std::string_view name) {
  std::vector<fs::path> places;
  if (!sources::check_file_name(name)) return places;
  for (const std::string& file : file_names_of(name)) places.push_back(folder / file);
  return places;
}

const ManagedModule* ManagedModules::find(std::string_view name) {
  auto known = known_.find(name);
  if (known == known_.end()) known = known_.emplace(std::string(name), look_for(std::string(name))).first;
  return known->second.module.get();
}

std::expected<void, std::string> ManagedModules::open_fetcher() {
  if (fetcher_) return {};
  auto opened = fetch::FileFetcher::open(servers_);
  if (!opened) return std::unexpected(opened.error());
  fetcher_ = std::move(*opened);
  return {};
}

/// The folder itself first; then below it, where one build alone may be found, for the text does not say which it was.
ManagedModules::Entry ManagedModules::look_for(const std::string& name) {
  Entry entry;
  std::string mismatch;  // the better explanation
  const auto fetch_pdb = [&](const fetch::PortablePdbRequest& request) -> std::expected<fetch::Original, std::string> {
    if (const auto opened = open_fetcher(); !opened) return std::unexpected(opened.error());
    auto fetched = fetcher_->portable_pdb(request);
    if (!fetched) return std::unexpected(fetched.error().why);
    return std::move(*fetched);
  };
  const auto open = [&](const fs::path& place) -> std::unique_ptr<ManagedModule> {
    auto module = ManagedModule::open(place, fetch_pdb);
    const auto other = module ? other_build_beside(place, (*module)->cache().debug_id()) : std::nullopt;
    if (other) mismatch = fmt::format("{} does not match {} and was not used", place.string(), other->string());
    else if (!module) entry.why = module.error();
    else if (has_lines(**module)) return std::move(*module);
    else
      entry.why = (*module)->why_not_fetched().empty()
                      ? fmt::format("{}: no PDB found", place.string())
                      : fmt::format("{}: no PDB found: {}", place.string(), (*module)->why_not_fetched());
    return nullptr;
  };
  for (const fs::path& folder : folders_) {
    const auto places = places_of_module(folder, name);
    if (places.empty()) return {nullptr, fmt::format("\"{}\" is not a file name", name)};
    std::error_code error;
    for (const fs::path& place : places)
      if (fs::is_regular_file(place, error))
        if (auto module = open(place)) return {std::move(module), {}};
  }
  for (const fs::path& folder : folders_) {
    std::map<std::string, std::unique_ptr<ManagedModule>> builds;
    for (const fs::path& place : search(folder, file_names_of(name)))
      if (auto module = open(place)) builds.try_emplace(module->cache().debug_id().dashed(), std::move(module));
    if (builds.size() == 1) return {std::move(builds.begin()->second), {}};
    if (builds.size() > 1)
      return {nullptr, fmt::format("{}: found {} builds of it below {}; name the directory of the right one", name,
                                   builds.size(), folder.string())};
  }
  if (!mismatch.empty()) entry.why = mismatch;
  if (entry.why.empty())
    entry.why = fmt::format(
        "{}: not found in {}", name,
        folders_.empty()
            ? "any --symbols directory; servers supply only PDBs"
            : fmt::format(
                  "{}",
                  fmt::join(folders_ | std::views::transform([](const fs::path& p) { return p.string(); }), ", ")));
  return entry;
}

std::vector<std::string> ManagedModules::complaints() const {
  std::vector<std::string> all;
  for (const auto& [name, entry] : known_)
    if (!entry.module) all.push_back(entry.why);
  return all;
}

}  // namespace symcached::app
