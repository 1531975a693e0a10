#include "service/listed_places.hpp"

#include <algorithm>
#include <expected>
#include <optional>
#include <string_view>

#include "base/ascii.hpp"
#include "ids/guid.hpp"

namespace symcached::service {
namespace {

using sources::FileType;
using sources::Layout;
using sources::ModuleType;
using Paths = std::vector<std::string>;

std::vector<FileType> types_of(ModuleType module, Purpose purpose) {
  using enum FileType;
  if (purpose == Purpose::sources) return {source_bundle, portable_pdb, elf_debug, wasm_debug};
  switch (module) {
    case ModuleType::pe: return {pe, breakpad, mach_debug, pdb, elf_debug};
    case ModuleType::pe_dotnet: return {portable_pdb, pdb};
    case ModuleType::elf: return {elf_code, breakpad, mach_debug, pdb, elf_debug};
    case ModuleType::macho: return {mach_code, breakpad, mach_debug, pdb, elf_debug};
    case ModuleType::wasm: return {wasm_code, wasm_debug};
  }
  return {};
}

bool is_symstore(Layout layout) { return layout == Layout::symstore || layout == Layout::symstore_index2; }
/// Of .NET's PDBs these have the whole id.
bool has_stamps(Layout layout) { return layout == Layout::unified || layout == Layout::slashsymbols; }

/// A file of a module as it is asked for there: what may be a Portable PDB has the place of any PDB, and of .NET's the
/// stamp is left out.
std::expected<sources::FileRequest, std::string> request_of(FileType type, const CacheQuery& query, Layout layout) {
  sources::ModuleIds module = query.module;
  const bool is_managed = query.type == ModuleType::pe_dotnet;
  if (type == FileType::portable_pdb && !is_managed) type = FileType::pdb;
  if (type == FileType::pdb && is_managed && !has_stamps(layout) && module.debug_id)
    module.debug_id->age = sources::kNoStamp;
  return sources::make_request(type, std::move(module));
}

/// Bundles of native sources: 1 slash is bd/a18f…, 2 are name/id/name, more 67E9/247C/….
bool is_native_bundle(ModuleType module, std::string_view path) {
  const auto slashes = std::ranges::count(path, '/');
  if (path.find("ffffffff/") != std::string_view::npos) return module == ModuleType::pe_dotnet;
  switch (module) {
    case ModuleType::pe:
    case ModuleType::pe_dotnet: return slashes == 2;
    case ModuleType::elf: return slashes < 3;
    case ModuleType::macho: return slashes > 1;
    case ModuleType::wasm: return slashes == 1;
  }
  return false;
}

/// "crash.pdb/3249…1/crash.pdb" to "crash.pdb/3249…1/crash.src.zip".
std::string bundle_beside(std::string_view pdb) { return std::string(pdb.substr(0, pdb.rfind('.'))) + ".src.zip"; }

void adjust_bundles(Layout layout, ModuleType module, Paths& paths) {
  if (layout == Layout::native) {
    std::erase_if(paths, [&](const std::string& path) { return !is_native_bundle(module, path); });
  } else if (is_symstore(layout) && module != ModuleType::pe) {
    paths.clear();
  }
}

/// Build ids are not filled up to the length that ELF's have.
std::string unfilled(const std::string& build_id) { return "_.debug/elf-buildid-sym-" + build_id + "/_.debug"; }

Paths paths_of(fetch::Source& source, const CacheQuery& query, FileType type, const fetch::Wanted& wanted) {
  const Layout layout = source.layout();
  const ModuleType module = query.type;
  Paths paths = source.places(wanted);
  std::erase_if(paths, [](const std::string& path) { return path.ends_with('_'); });
  if (type == FileType::source_bundle) adjust_bundles(layout, module, paths);
  if (layout != Layout::native && layout != Layout::automatic && paths.size() > 1) paths.resize(1);
  if (layout == Layout::ssqp && type == FileType::elf_debug && module != ModuleType::elf && !paths.empty())
    paths = {unfilled(wanted.file.module.code_id)};
  const bool may_be_packed = type == FileType::pdb || type == FileType::pe;
  for (std::size_t i = 0, plain = paths.size(); may_be_packed && i < plain; ++i) {
    paths.push_back(paths[i]);
    paths.back().back() = '_';
  }
  return paths;
}

/// Places that layouts of ours do not have.
std::optional<ListedPlace> further_place(fetch::Source& source, const CacheQuery& query, FileType type) {
  const auto pdb = request_of(FileType::pdb, query, source.layout());
  if (!pdb) return std::nullopt;
  const fetch::Wanted wanted = fetch::wanted_of(*pdb, query.scope);
  const Paths paths = source.places(wanted);
  if (paths.empty()) return std::nullopt;
  const auto of_type = [&](FileType other) {
    sources::FileRequest file = *pdb;
    file.type = other;
    return fetch::wanted_of(std::move(file), query.scope);
  };
  if (source.layout() == Layout::ssqp && query.type == ModuleType::pe && type == FileType::source_bundle)
    return ListedPlace{of_type(FileType::source_bundle), bundle_beside(paths.front())};
  if (source.layout() == Layout::unified && query.type == ModuleType::pe_dotnet && type == FileType::wasm_debug) {
    const std::string guid = query.module.debug_id->guid.hex_lower();
    return ListedPlace{of_type(FileType::wasm_debug), guid.substr(0, 2) + '/' + guid.substr(2) + "/debuginfo"};
  }
  return std::nullopt;
}

}  // namespace

std::vector<ListedPlace> listed_places(fetch::Source& source, const CacheQuery& query, Purpose purpose) {
  std::vector<ListedPlace> all;
  const auto add = [&](ListedPlace place) {
    if (std::ranges::find(all, place.path, &ListedPlace::path) == all.end()) all.push_back(std::move(place));
  };
  for (const FileType type : types_of(query.type, purpose)) {
    if (auto place = further_place(source, query, type)) add(std::move(*place));
    auto file = request_of(type, query, source.layout());
    if (!file || (type == FileType::wasm_debug && query.type == ModuleType::pe_dotnet)) continue;
    fetch::Wanted wanted = fetch::wanted_of(std::move(*file), query.scope);
    wanted.or_native = wanted.file.type == FileType::portable_pdb && purpose == Purpose::names;
    for (std::string& path : paths_of(source, query, type, wanted)) add({wanted, std::move(path)});
  }
  return all;
}

}  // namespace symcached::service
