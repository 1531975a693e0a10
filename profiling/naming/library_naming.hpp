#pragma once
/// Naming with libsymcached: files, lines and inlined calls, from debug information.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/naming/library_functions.hpp"
#include "profiling/naming/modules.hpp"
#include "profiling/naming/naming.hpp"

namespace symcached::pprof {

struct LibraryNamingOptions {
  std::string library = "libsymcached.so.0";        ///< loaded if it is not part of the program; empty: it is not
  std::optional<LibraryFunctions> functions{};      ///< instead of looking for them
  std::string cache_folder = usual_cache_folder();  ///< of symcaches by build id, made if missing; empty: none is kept
  std::vector<std::string> debug_folders{"/usr/lib/debug"};
  // Symbol servers that are asked in turn for what is not on this machine, separated by blanks; empty: none.
  std::string servers = usual_servers();
  std::string token = usual_token();                    ///< that these are sent; empty: none
  std::string sources = usual_sources();                ///< without a token
  std::uint64_t max_unpacked = std::uint64_t{4} << 30;  ///< bytes of one module's debug information
  std::size_t memory = 1u << 30;                        ///< bytes of symcaches kept open
  ModuleLists modules = ModuleLists::of_process();

  /// $XDG_CACHE_HOME/symcached/pprof; empty without that variable.
  static std::string usual_cache_folder();
  static std::string usual_servers();  ///< $SYMCACHED_PPROF_SERVER
  static std::string usual_token();    ///< $SYMCACHED_PPROF_SERVER_TOKEN
  static std::string usual_sources();  ///< $DEBUGINFOD_URLS
};

class SymcacheShelf;

/// Thread-safe. A module's symcache is made in the background, by one thread of low priority, once the first of
/// its addresses is asked for. Until then, and where it does not know an address, the fallback answers.
class LibraryNaming final : public Naming {
 public:
  LibraryNaming(std::unique_ptr<Naming> fallback, LibraryNamingOptions options);
  /// Does not wait for a conversion for longer than a second: it is left alone then, and ends with the process.
  ~LibraryNaming() override;

  std::vector<std::vector<NamedFrame>> name(std::span<const std::uintptr_t> addresses, NamingOptions options) override;
  std::size_t symbol_count() override { return fallback_->symbol_count(); }

  /// @return whether nothing is being made any more, after `limit` at the latest
  bool wait_until_idle(std::chrono::milliseconds limit);

 private:
  std::unique_ptr<Naming> fallback_;
  ModuleLists modules_;
  std::shared_ptr<SymcacheShelf> shelf_;
};

/// Looks for libsymcached when the first address is asked for; without it the fallback answers. To convert takes about
/// 2 s of processor time for 100 MB of compressed DWARF, and memory of several times its size.
std::unique_ptr<Naming> library_naming(std::unique_ptr<Naming> fallback, LibraryNamingOptions options = {});

}  // namespace symcached::pprof
