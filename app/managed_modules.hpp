#pragma once
/// Finds the .NET modules that a stack trace names, each once.
#include <expected>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/companions.hpp"
#include "app/original_file.hpp"
#include "object/managed_files.hpp"
#include "ppdbcache/reader.hpp"

namespace symcached::app {

/// A module that was found: its lines, and the files they were made of.
class ManagedModule {
 public:
  /// A Portable PDB, an assembly, or a ppdbcache.
  /// @return what was opened, or a sentence
  static std::expected<std::unique_ptr<ManagedModule>, std::string> open(const std::filesystem::path& path);

  const ppdbcache::Reader& cache() const { return *cache_; }
  /// Where the PDB with its documents is; null for a ppdbcache or where there is none.
  const object::ManagedFiles* files() const { return files_ ? &*files_ : nullptr; }

 private:
  OriginalFile file_;
  Companions companions_;
  std::optional<object::ManagedFiles> files_;
  std::vector<std::byte> derived_;
  std::optional<ppdbcache::Reader> cache_;
};

/// By module name, in folders.
class ManagedModules {
 public:
  explicit ManagedModules(std::vector<std::filesystem::path> folders) : folders_(std::move(folders)) {}

  /// @param name  of the metadata module, as stack traces have it: "app.dll"
  /// @return null: not there, or of no use; why() says
  const ManagedModule* find(std::string_view name);
  /// One sentence for each module that was asked for and not found, in alphabetical order.
  std::vector<std::string> complaints() const;

 private:
  struct Entry {
    std::unique_ptr<ManagedModule> module;
    std::string why;  ///< there is none
  };
  Entry look_for(const std::string& name) const;

  std::vector<std::filesystem::path> folders_;
  std::map<std::string, Entry, std::less<>> known_;
};

/// Places of a module's files in a folder, the best first. A name that is no plain file name has none: it came with the
/// trace.
std::vector<std::filesystem::path> places_of_module(const std::filesystem::path& folder, std::string_view name);

}  // namespace symcached::app
