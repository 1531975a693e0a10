#pragma once
/// Finds the .NET modules that a stack trace names, each once.
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "symbolize/open_module.hpp"

namespace symcached::symbolize {

/// By module name, in folders; the PDB of an assembly that is there also from elsewhere.
class ManagedModules {
 public:
  /// @param fetch_pdb  as OpenOptions has it
  ManagedModules(std::vector<std::filesystem::path> folders, FetchPdb fetch_pdb)
      : folders_(std::move(folders)), fetch_pdb_(std::move(fetch_pdb)) {}

  /// @param name  of the metadata module, as stack traces have it: "app.dll"
  /// @return null: not there, or of no use; complaints() says why
  const Module* find(std::string_view name);
  /// One sentence for each module that was asked for and not found, in alphabetical order.
  std::vector<std::string> complaints() const;

 private:
  struct Entry {
    std::unique_ptr<OpenedModule> module;
    std::string why;  ///< there is none
  };
  struct Reasons {
    std::string mismatch, other;  ///< the first explains more
  };
  Entry look_for(const std::string& name);
  std::unique_ptr<OpenedModule> open(const std::filesystem::path& place, Reasons& why) const;

  std::vector<std::filesystem::path> folders_;
  FetchPdb fetch_pdb_;
  std::map<std::string, Entry, std::less<>> known_;
};

/// Places of a module's files in a folder, the best first. A name that is no plain file name has none: it came with the
/// trace.
std::vector<std::filesystem::path> places_of_module(const std::filesystem::path& folder, std::string_view name);

}  // namespace symcached::symbolize
