#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace symcached::pprof {

/// One function at an address: the innermost of several was inlined into the next.
struct NamedFrame {
  /// Linkage name where it is known, else as recorded. "libc.so.6+0x26ca0", with its stated address, of a function
  /// whose name is not known; "[module]" where only that is known, "[anon]" of generated code.
  std::string function;
  std::string file;              ///< empty if unknown
  std::uint32_t line = 0;        ///< 1-based; 0 if unknown
  std::uint32_t start_line = 0;  ///< of the function; 0 if unknown

  friend bool operator==(const NamedFrame&, const NamedFrame&) = default;
};

/// A mapping of code of this process.
struct MappedModule {
  std::uintptr_t begin = 0, end = 0;  ///< of the mapped code
  std::uint64_t file_offset = 0;      ///< of `begin` in the file
  /// Never empty, no other module has the same, and the first character is no '['; the program's own comes first. As
  /// /proc/self/maps has it, blanks and " (deleted)" included, with "#2" behind the second of a name; "/vdso"; "/anon/"
  /// and the address of generated code.
  std::string path;
  std::string build_id;  ///< lower-case hex; empty if it has none

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

/// By the symbol tables of the program and its libraries, those in separate debug files included, and perf maps.
/// Cost: a module's tables are read when the first of its addresses is asked for, about 0.1 s for 100,000 symbols; then
/// less than 1 µs for an address. Tables unused for ten minutes are dropped when another address is asked for.
std::unique_ptr<Naming> symbol_table_naming();

/// What a program should use: by symbol tables at first; with libsymcached, as soon as it has read the debug
/// information in the background, also with files, lines and inlined calls. library_naming.hpp has the choices.
std::unique_ptr<Naming> usual_naming();

/// The modules that are loaded now, and those that were when an earlier caller asked and are not any more, unless
/// something else is there: ask when a profile begins. Also generated code. None overlap; all but the first are by
/// address.
std::vector<MappedModule> mapped_modules();

}  // namespace symcached::pprof
