#pragma once
/// What code is mapped into this process, and where its bytes can be read.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "profiling/naming/naming.hpp"

namespace symcached::pprof {

/// A module, and how to get at what it is made of.
struct CodeMapping {
  enum class Kind : std::uint8_t {
    file,
    vdso,      ///< the kernel's own, which is in memory alone
    generated  ///< memory that a program writes code into: a JIT compiler's
  };
  MappedModule module;
  Kind kind = Kind::file;
  std::string path = {};                ///< as it was when it was loaded; what it is called if there is none
  std::vector<std::string> files = {};  ///< to read it from, the first that is the one that was loaded
  std::uint64_t inode = 0;              ///< of the file, where it has no build id to tell it by; 0: unknown

  /// A module as someone else lists it: its path is the file.
  static CodeMapping of(MappedModule listed);
  friend bool operator==(const CodeMapping&, const CodeMapping&) = default;
};
using CodeMappings = std::vector<CodeMapping>;  ///< the program's own first, then by address; no two overlap

/// The one that an address lies in; null if there is none.
const CodeMapping* find_mapping(const CodeMappings& mappings, std::uintptr_t address);

/// Remembers what was loaded. Thread-safe.
class ModuleRegistry {
 public:
  /// That of this process. Never destroyed: it may be asked while the process ends.
  static ModuleRegistry& of_process();

  /// What is mapped at this moment, and modules that were when it was asked before and have been unloaded since, the
  /// newest kMaxUnloaded, unless something else is there now.
  std::shared_ptr<const CodeMappings> refreshed();
  /// The same as of the last time, if no module was loaded or unloaded since. What is not the dynamic linker's work,
  /// such as code of a JIT compiler, may have changed.
  std::shared_ptr<const CodeMappings> recent();

  static constexpr std::size_t kMaxUnloaded = 256;

  // For pthread_atfork: a child must not find it locked by a thread that it does not have.
  void lock() { mutex_.lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  struct Unloaded {
    CodeMapping mapping;
    std::chrono::steady_clock::time_point at;
  };
  struct Generation {
    unsigned long long loads = 0, unloads = 0;
    friend bool operator==(const Generation&, const Generation&) = default;
  };
  static Generation generation();
  void remember_unloaded(const CodeMappings& now);

  std::mutex mutex_;
  Generation generation_;
  CodeMappings live_;
  std::vector<Unloaded> unloaded_;  // oldest first
  std::shared_ptr<const CodeMappings> all_;
};

/// Where namings have their modules from.
struct ModuleLists {
  using List = std::function<std::shared_ptr<const CodeMappings>()>;
  List recent, refreshed;  ///< as those of ModuleRegistry

  static ModuleLists of_process();
  /// Of modules that need not be loaded here.
  static ModuleLists fixed(std::vector<MappedModule> modules);
};

}  // namespace symcached::pprof
