#include "app/symbol_servers.hpp"

#include <memory>
#include <vector>

#include "base/ascii.hpp"
#include "base/path_text.hpp"

namespace symcached::app {
namespace {

using sources::FileType;

sources::ModuleIds ids_of(const pe::DebugFiles& assembly) {
  const pe::CodeView& view = *assembly.portable();
  sources::ModuleIds ids{.debug_file = std::string(view.debug_file), .debug_id = view.debug_id()};
  for (const pe::PdbChecksum& sum : assembly.checksums)
    ids.checksums.push_back({std::string(sum.algorithm), {sum.digest.begin(), sum.digest.end()}});
  return ids;
}

/// What a native module's debug file may be, the likeliest first. A module of Windows gets the name of its PDB.
std::vector<FileType> types_of(sources::ModuleIds& module) {
  constexpr std::size_t kUuidDigits = 32;
  if (module.code_id.size() == kUuidDigits) return {FileType::mach_debug, FileType::elf_debug, FileType::elf_code};
  if (!module.code_id.empty()) return {FileType::elf_debug, FileType::elf_code, FileType::breakpad};
  const std::string name = lower_ascii(last_path_part(module.debug_file));
  for (const std::string_view extension : {".exe", ".dll", ".sys", ".pdb"})
    if (std::string_view(name).ends_with(extension)) {
      module.debug_file.replace(module.debug_file.size() - extension.size(), extension.size(), ".pdb");
      return {FileType::pdb, FileType::breakpad};
    }
  return {FileType::breakpad};
}

stacks::DownloadStatus status_of(const fetch::NotFetched::Said& said) {
  if (said.is_forbidden) return stacks::DownloadStatus::no_permission;
  switch (said.kind) {
    case fetch::NotFetched::Kind::absent: return stacks::DownloadStatus::not_found;
    case fetch::NotFetched::Kind::malformed: return stacks::DownloadStatus::malformed;
    case fetch::NotFetched::Kind::unavailable: break;
  }
  return stacks::DownloadStatus::error;
}

/// A source that has no place for such files was not asked.
void add_places(const fetch::NotFetched::Said& said, std::vector<stacks::CandidateInfo>& out) {
  for (const std::string& location : said.locations)
    out.push_back({.source = said.source,
                   .location = location,
                   .download = status_of(said),
                   .details = said.status == 0 ? "" : std::to_string(said.status),
                   .why = stacks::without_place(said.why, location)});
}

class Fetcher {
 public:
  explicit Fetcher(fetch::FetcherOptions servers) : servers_(std::move(servers)) {}

  std::expected<void, std::string> open() {
    if (fetcher_) return {};
    auto opened = fetch::FileFetcher::open(servers_);
    if (!opened) return std::unexpected(std::move(opened.error()));
    fetcher_ = *std::move(opened);
    return {};
  }

  std::expected<symbolize::FetchedPdb, std::string> fetch_pdb(const pe::DebugFiles& assembly) {
    auto file = fetch(FileType::portable_pdb, ids_of(assembly));
    if (!file) return std::unexpected(std::move(file.error().why));
    return symbolize::FetchedPdb{std::move(file->mapped), file->bytes};
  }

  std::expected<traces::FetchedFile, traces::NoFile> fetch_module(sources::ModuleIds module) {
    traces::NoFile none;
    for (const FileType type : types_of(module)) {
      auto file = fetch(type, module);
      if (file) return std::move(*file);
      if (none.why.empty()) none.why = std::move(file.error().why);
      for (const fetch::NotFetched::Said& said : file.error().said) add_places(said, none.asked);
    }
    return std::unexpected(std::move(none));
  }

 private:
  std::expected<traces::FetchedFile, fetch::NotFetched> fetch(FileType type, sources::ModuleIds module) {
    const auto failed = [](std::string why) {
      return std::unexpected(fetch::NotFetched{fetch::NotFetched::Kind::unavailable, std::move(why)});
    };
    if (auto ready = open(); !ready) return failed(std::move(ready.error()));
    const auto original = fetcher_->fetch(type, std::move(module));
    if (!original) return std::unexpected(original.error());
    auto mapped = original->map();
    if (!mapped) return failed(std::move(mapped.error()));
    traces::FetchedFile fetched{*std::move(mapped), {}};
    fetched.bytes = original->bytes_in(fetched.mapped);
    return fetched;
  }

  fetch::FetcherOptions servers_;
  std::unique_ptr<fetch::FileFetcher> fetcher_;
};

}  // namespace

std::expected<SymbolServers, std::string> symbol_servers(fetch::FetcherOptions servers, bool open_now) {
  auto fetcher = std::make_shared<Fetcher>(std::move(servers));
  if (open_now)
    if (auto ready = fetcher->open(); !ready) return std::unexpected(std::move(ready.error()));
  return SymbolServers{.pdb = [fetcher](const pe::DebugFiles& assembly) { return fetcher->fetch_pdb(assembly); },
                       .file = [fetcher](const sources::ModuleIds& module) { return fetcher->fetch_module(module); }};
}

}  // namespace symcached::app
