#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace symcached::pprof {

/// One function at an address: the innermost of several was inlined into the next.
struct NamedFrame {
  std::string function;    ///< linkage name where it is known, else as recorded; "[module]" where only that is known
  std::string file;        ///< empty if unknown
  std::uint32_t line = 0;  ///< 1-based; 0 if unknown
  std::uint32_t start_line = 0;  ///< of the function; 0 if unknown

  friend bool operator==(const NamedFrame&, const NamedFrame&) = default;
};

/// A mapping of code of this process.
struct MappedModule {
  std::uintptr_t begin = 0, end = 0;  ///< of the mapped code
  std::uint64_t file_offset = 0;      ///< of `begin` in the file
  std::string path;                   ///< never empty, and no other module has the same; the program's own comes first
  std::string build_id;               ///< lower-case hex; empty if it has none

  friend bool operator==(const MappedModule&, const MappedModule&) = default;
};

struct NamingOptions {
  bool inlines = false;  ///< all inlined calls; else only the function whose code it is
  bool lines = false;    ///< files and lines as far as they are known
};

/// Names addresses of this process. Thread-safe.
class Naming {
 public:
  virtual ~Naming() = default;

  /// Frames of each address, innermost first; none for an address in no module. Exactly the address that is asked for
  /// is looked up: subtract 1 from return addresses.
  virtual std::vector<std::vector<NamedFrame>> name(std::span<const std::uintptr_t> addresses,
                                                    NamingOptions options) = 0;
  /// How many symbols are known, for clients that want to know whether there are any.
  virtual std::size_t symbol_count() = 0;
};

/// By the symbol tables of the program and its libraries.
std::unique_ptr<Naming> symbol_table_naming();

/// The modules that are loaded now, and those that were when an earlier caller asked and are not any more.
std::vector<MappedModule> mapped_modules();

}  // namespace symcached::pprof
