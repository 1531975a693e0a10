#pragma once
/// Opens modules from disk: whatever the file is, with the further files that it refers to.
#include <chrono>
#include <expected>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/inflate_limits.hpp"
#include "base/mapped_file.hpp"
#include "object/managed/files.hpp"
#include "symbolize/companions.hpp"
#include "symbolize/growing_symcache.hpp"
#include "symbolize/module.hpp"
#include "symbolize/original_file.hpp"
#include "symbolize/user_cache.hpp"

namespace symcached::symbolize {

/// A PDB from elsewhere.
struct FetchedPdb {
  MappedFile mapped;
  Bytes pdb;  ///< in `mapped`
};
/// Asked for the Portable PDB that an assembly names. @return the PDB, or a sentence why there is none
using FetchPdb = std::function<std::expected<FetchedPdb, std::string>(const pe::DebugFiles& assembly)>;

struct OpenOptions {
  FarPlaces far = {};          ///< of further files
  unsigned threads = 1;        ///< to convert with
  InflateLimits inflate = {};  ///< of what is packed, in wrappers and inside the file
  bool managed_only = false;   ///< .NET modules and ppdbcaches; anything else is refused
  bool keep_sources = false;   ///< of .NET: have pdb()
  FetchPdb fetch_pdb = {};     ///< for an assembly that does not have its PDB beside it; empty: nobody is asked
  /// Answer the first questions to a large file from as much of it as they take. What is malformed in the rest is found
  /// later: trouble().
  std::optional<GrowingOptions> growing = {};
  UserCache* cache = nullptr;  ///< of native modules: asked first, and given what was converted; null: none
};

/// Why names look as they do, for people.
std::string hidden_names_text(const std::filesystem::path& path);

/// A module with all that it is a view of.
class OpenedModule {
 public:
  OpenedModule(OpenedModule&&) = default;
  OpenedModule& operator=(OpenedModule&&) = default;
  ~OpenedModule();  ///< waits until the user's cache has what it was given

  /// @param path  a symcache or a ppdbcache, which is mapped; or what one can be derived from, packed or not; or the
  /// folder of a dSYM
  /// @return a sentence that begins with the path and says what is wrong
  /// Cost: of a cache, and of what the user's cache has, microseconds; else what derive_symcache() says.
  static std::expected<OpenedModule, std::string> open(const std::filesystem::path& path, const OpenOptions& options);

  /// The same of bytes in memory, for which no further files are looked for. They are not needed afterwards: a cache is
  /// copied.
  static std::expected<OpenedModule, std::string> from_bytes(Bytes bytes, const OpenOptions& options);

  const Module& module() const { return *module_; }
  /// The user's cache had it.
  bool is_from_cache() const { return !kept_.bytes().empty(); }
  /// Where the image starts by the file's own word; nothing of a cache, and of a file that does not say.
  std::optional<std::uint64_t> stated_image_base() const { return stated_image_base_; }
  /// Null: sources were not to be kept, or there is no PDB at hand. Lives as long as this object, wherever it is moved.
  const ppdb::Pdb* pdb() const { return managed_files_ ? managed_files_->pdb() : nullptr; }
  /// Sentences for people: what was not found or not used, so that answers are poorer.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// Why the rest of a file that was answered from in part could not be converted: a sentence; empty if it could.
  std::string trouble() const;
  /// Empty: the PDB was fetched, or nobody was asked.
  const std::string& why_not_fetched() const { return why_not_fetched_; }

 private:
  using Cache = std::expected<std::vector<std::byte>, std::string>;
  static std::expected<OpenedModule, std::string> convert(const std::filesystem::path& path, const OpenOptions& options,
                                                          const FileKey* key);
  static std::optional<OpenedModule> from_cache(Bytes file, const FileKey& key, UserCache& cache);
  std::expected<Module, std::string> derive(const std::filesystem::path& path, const OpenOptions& options,
                                            const FileKey* key);
  Cache derive_managed(const std::filesystem::path& path, const OpenOptions& options);
  void fetch(const object::ManagedFiles& files, const FetchPdb& fetch_pdb);
  void keep_in(UserCache& cache);
  void finish_keeping();

  OpenedModule() = default;

  /// What the user's cache is to be given, and the thread that does it: nobody waits for the disk before the first
  /// answer. First, because moving another module here has to wait for it before module_ is replaced.
  std::jthread keeping_;
  struct ToKeep {
    FileKey key;
    KeptRecord record;
    Contents contents{};
    std::chrono::milliseconds cost{0};
    std::filesystem::path path;  ///< as it was given, for another process
  };
  std::optional<ToKeep> to_keep_;
  std::shared_ptr<ConvertedOnDemand> growing_;  ///< also in module_
  UserCache* cache_ = nullptr;                  ///< to keep it in, where there is a growing_
  // What nothing looks at any more once the module is open is let go.
  OriginalFile file_;
  MappedFile kept_;  // in the user's cache
  Companions on_disk_;
  MappedFile fetched_;
  std::vector<object::Companion> companions_;  // of both
  std::optional<object::ManagedFiles> managed_files_;
  std::string why_not_fetched_;
  std::vector<std::string> warnings_;
  std::optional<std::uint64_t> stated_image_base_;
  std::optional<Module> module_;
};

}  // namespace symcached::symbolize
