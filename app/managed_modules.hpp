#pragma once
/// Finds the .NET modules that a stack trace names, each once.
#include <expected>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/companions.hpp"
#include "app/original_file.hpp"
#include "fetch/file_fetcher.hpp"
#include "object/managed_files.hpp"
#include "ppdbcache/reader.hpp"

namespace symcached::app {

using FetchPdb = std::function<std::expected<fetch::Original, std::string>(const fetch::PortablePdbRequest&)>;

/// A module that was found: its lines.
class ManagedModule {
 public:
  /// A Portable PDB, an assembly, or a ppdbcache.
  /// @param fetch_pdb  asked for the PDB of an assembly that does not have it beside it
  /// @return what was opened, or a sentence
  static std::expected<std::unique_ptr<ManagedModule>, std::string> open(const std::filesystem::path& path,
                                                                         const FetchPdb& fetch_pdb);

  const ppdbcache::Reader& cache() const { return *cache_; }

  /// Why its PDB could not be fetched; empty: it was, or nobody was asked.
  const std::string& why_not_fetched() const { return why_not_fetched_; }

 private:
  std::expected<void, std::string> derive(const FetchPdb& fetch_pdb);
  void fetch(const pe::DebugFiles& assembly, const FetchPdb& fetch_pdb);

  OriginalFile file_;
  Companions on_disk_;
  MappedFile fetched_;
  std::vector<object::Companion> companions_;  // of both
  std::string why_not_fetched_;
  std::vector<std::byte> derived_;
  std::optional<ppdbcache::Reader> cache_;
};

/// By module name, in folders; the PDB of an assembly that is there also on symbol servers.
class ManagedModules {
 public:
  /// @param servers  where to ask for PDBs by id; opened when first needed
  ManagedModules(std::vector<std::filesystem::path> folders, fetch::FetcherOptions servers)
      : folders_(std::move(folders)), servers_(std::move(servers)) {}

  /// @param name  of the metadata module, as stack traces have it: "app.dll"
  /// @return null: not there, or of no use; why() says
  const ManagedModule* find(std::string_view name);
  /// Opens what `servers` names now; otherwise the first PDB to fetch does. @return or why it cannot be used
  std::expected<void, std::string> open_fetcher();
  /// One sentence for each module that was asked for and not found, in alphabetical order.
  std::vector<std::string> complaints() const;

 private:
  struct Entry {
    std::unique_ptr<ManagedModule> module;
    std::string why;  ///< there is none
  };
  Entry look_for(const std::string& name);

  std::vector<std::filesystem::path> folders_;
  fetch::FetcherOptions servers_;
  std::unique_ptr<fetch::FileFetcher> fetcher_;
  std::map<std::string, Entry, std::less<>> known_;
};

/// Places of a module's files in a folder, the best first. A name that is no plain file name has none: it came with the
/// trace.
std::vector<std::filesystem::path> places_of_module(const std::filesystem::path& folder, std::string_view name);

}  // namespace symcached::app
