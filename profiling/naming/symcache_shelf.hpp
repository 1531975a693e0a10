#pragma once
/// The symcaches of this process's modules: made in the background, kept open while they are used.
#include <link.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiling/naming/elf_file.hpp"
#include "profiling/naming/library_naming.hpp"

namespace symcached::pprof {

/// A module as libsymcached knows it.
class OpenSymcache {
 public:
  OpenSymcache(const LibraryFunctions& functions, symcached_module* module, std::vector<ElfW(Phdr)> segments,
               std::uint64_t image_base)
      : functions_(functions), module_(module), segments_(std::move(segments)), image_base_(image_base) {}
  OpenSymcache(const OpenSymcache&) = delete;
  OpenSymcache& operator=(const OpenSymcache&) = delete;
  ~OpenSymcache() { functions_.close(module_); }

  const LibraryFunctions& functions() const { return functions_; }
  const symcached_module* module() const { return module_; }
  /// What symcached_lookup() takes; nothing for an address that is not in the image.
  std::optional<std::uint64_t> rva_of(const CodeMapping& mapping, std::uintptr_t address) const;
  std::size_t size() const;

 private:
  LibraryFunctions functions_;
  symcached_module* module_;
  std::vector<ElfW(Phdr)> segments_;
  std::uint64_t image_base_;
};

/// Owned by its thread, too, which may outlive everyone else.
class SymcacheShelf : public std::enable_shared_from_this<SymcacheShelf> {
 public:
  explicit SymcacheShelf(LibraryNamingOptions options) : options_(std::move(options)) {}

  /// Null if it is not there (yet); then it is going to be made, unless that was tried before.
  std::shared_ptr<const OpenSymcache> get(const CodeMapping& mapping);
  bool wait_until_idle(std::chrono::milliseconds limit);
  /// Starts nothing more.
  void stop();

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::shared_ptr<const OpenSymcache> symcache;  ///< null: it is being made, or cannot be
    Clock::time_point used;
  };
  struct Job {
    std::string key;
    CodeMapping mapping;
  };

  void start_thread();
  void work();
  bool take_job(Job& out);
  bool has_library();
  void put(const std::string& key, std::shared_ptr<const OpenSymcache> made);
  std::shared_ptr<const OpenSymcache> make(const CodeMapping& mapping) const;
  symcached_module* convert(const CodeMapping& mapping, const ElfFile& image, std::string path) const;
  symcached_module* fetch_and_convert(const std::string& build_id) const;
  std::string fetch(const std::string& servers, const std::string& token, const std::string& build_id,
                    const std::string& folder) const;
  symcached_module* open_kept(const std::string& build_id) const;
  symcached_module* open_file(const std::string& path) const;
  void keep(const symcached_module* module, const std::string& build_id) const;

  const LibraryNamingOptions options_;
  LibraryFunctions functions_;  // by the thread alone, and so is the next
  bool has_functions_ = false;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::unordered_map<std::string, Entry> entries_;
  std::deque<Job> jobs_;
  bool is_working_ = false, is_stopped_ = false;
};

}  // namespace symcached::pprof
