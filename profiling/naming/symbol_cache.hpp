#pragma once
/// Symbols of modules, loaded when they are first asked for and dropped when nobody has for a while.
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "profiling/naming/module_symbols.hpp"

namespace symcached::pprof {

struct SymbolCacheOptions {
  std::vector<std::string> debug_folders{"/usr/lib/debug"};
  std::size_t memory = 256u << 20;  ///< bytes; more only for what is in use, and for the module that was asked for last
  std::chrono::milliseconds kept_unused{600'000};
};

/// Thread-safe: a thread waits for others only where it wants a module that they are loading.
class SymbolCache {
 public:
  explicit SymbolCache(SymbolCacheOptions options = {}) : options_(std::move(options)) {}

  std::shared_ptr<const ModuleSymbols> get(const CodeMapping& mapping);
  /// Of what is loaded at the moment.
  std::size_t symbol_count();
  std::size_t memory();

 private:
  using Clock = std::chrono::steady_clock;
  struct Slot {
    std::mutex loading;
    std::shared_ptr<const ModuleSymbols> symbols;  // by `loading` until it is set, which is once
    bool is_loaded = false;                        // this and what follows: by the cache's mutex
    std::size_t memory = 0, symbol_count = 0;
    Clock::time_point used;
  };
  using Slots = std::unordered_map<std::string, std::shared_ptr<Slot>>;

  std::shared_ptr<Slot> slot_of(const CodeMapping& mapping);
  void loaded(const std::shared_ptr<Slot>& slot);
  void drop(Clock::time_point now);

  SymbolCacheOptions options_;
  std::mutex mutex_;
  Slots slots_;
};

}  // namespace symcached::pprof
