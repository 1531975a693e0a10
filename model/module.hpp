#pragma once
/// What every debug format is translated to: a module, its functions, their lines and inlined calls.
///
/// Producers (object/from_*.cpp) walk a file once and hand each function to a ModuleSink; nothing here is kept for
/// the whole module, so memory does not grow with the file. Strings are interned by the sink and named by StringId.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ids/guid.hpp"

namespace symcached::model {

/// Bytes from the image base. Not a file offset, not a run-time address, not an address as stated in the file.
struct Rva {
  std::uint64_t value = 0;
  auto operator<=>(const Rva&) const = default;
};

/// Index into the sink's strings. Strings compare equal exactly if their ids do; names of functions, if their
/// parameters do, too.
enum class StringId : std::uint32_t { none = 0 };  ///< none is also the id of the empty string

enum class Arch : std::uint8_t { unknown, x86, x86_64, arm, arm64, wasm32, ppc64, riscv64, s390x };
std::string_view name_of(Arch arch);

/// Kept as one byte in caches: append only.
enum class Language : std::uint8_t {
  unknown,
  c,
  cpp,
  csharp,
  rust,
  swift,
  go,
  d,
  objc,
  objcpp,
  assembly,
  fortran,
  pascal,
  visual_basic,
  fsharp
};
std::string_view name_of(Language language);

/// Where a symbol's name and extent come from, best first. Kept as one byte in caches: append only.
enum class SymbolKind : std::uint8_t {
  function,       ///< a function record with its own extent
  thunk,          ///< a jump the linker or compiler made
  public_symbol,  ///< only a symbol-table name; the extent is deduced from its neighbours
  cold_part,      ///< code of `parent` placed elsewhere (hot/cold splitting, separated code)
};
std::string_view name_of(SymbolKind kind);

inline constexpr std::uint32_t kNoInlinee = 0xFFFFFFFF;

/// One inlined call inside a function. The same call reached from two caller lines is two entries.
struct Inlinee {
  std::uint32_t caller =
      kNoInlinee;  ///< index of the inlinee it is inlined into, always lower; kNoInlinee = the function
  StringId name = StringId::none;
  StringId call_file = StringId::none;  ///< where in the caller the call stands
  std::uint32_t call_line = 0;          ///< 1-based; 0 = unknown
  std::uint32_t call_column = 0;        ///< 1-based; 0 = unknown

  bool operator==(const Inlinee&) const = default;
};

/// One row: from `offset` up to the next row (or the function's end) the innermost frame is at file:line:column.
struct Line {
  std::uint32_t offset = 0;  ///< bytes from the function's start, strictly increasing within a function
  std::uint32_t line = 0;    ///< 1-based; 0 = unknown (a gap, when the file is none too)
  std::uint32_t column = 0;  ///< 1-based; 0 = unknown
  StringId file = StringId::none;
  std::uint32_t inlinee = kNoInlinee;  ///< the innermost inlined call holding these bytes; kNoInlinee = none

  bool operator==(const Line&) const = default;
};

/// Code with one name. The spans are the producer's and valid during the call only.
struct Function {
  Rva start;
  std::uint32_t size = 0;  ///< bytes; at least 1
  StringId name = StringId::none;
  StringId linkage_name = StringId::none;  ///< decorated; none = unknown or equal to the name
  Language language = Language::unknown;
  SymbolKind kind = SymbolKind::function;
  std::uint32_t rank = 0;             ///< among symbols with one start the lowest is the name, the others its aliases
  Rva parent;                         ///< cold_part: start of the function it belongs to
  std::span<const Line> lines;        ///< may be empty; none needed before the first row
  std::span<const Inlinee> inlinees;  ///< callers before callees
};

/// A section with code of a relocatable file, which states no addresses: each is given a place of its own.
struct CodeSection {
  std::string name;  ///< as recorded, unchecked; several may have one name
  Rva start;
  std::uint64_t size = 0;  ///< bytes

  bool operator==(const CodeSection&) const = default;
};

/// What the whole file says of itself.
struct Module {
  Arch arch = Arch::unknown;
  DebugId debug_id;
  std::string debug_file;                  ///< name as recorded by the producer, unchecked; empty = unknown
  std::string producer_kind;               ///< "pdb", "elf", …: the format the cache is made from
  std::vector<CodeSection> sections = {};  ///< of a relocatable file, in its order, which is that of their places
};

class ModuleSink {
 public:
  virtual ~ModuleSink() = default;
  virtual StringId intern(std::string_view text) = 0;
  /// The name of a function with parameters: they stand behind it, "(int, char*) const", where somebody asks for them.
  /// A sink that has no use for them takes the name alone.
  /// @param name, parameters  of intern(); no parameters: nothing is known of them
  virtual StringId with_parameters(StringId name, [[maybe_unused]] StringId parameters) { return name; }
  virtual void module(const Module& module) = 0;
  virtual void function(const Function& function) = 0;  ///< in any order

  /// A sink for another thread, with string ids of its own; null = this sink has none to give.
  virtual std::unique_ptr<ModuleSink> fork() { return nullptr; }
  /// Takes over what a sink from fork() was given, once its thread is done.
  virtual void join(std::unique_ptr<ModuleSink>) {}
};

}  // namespace symcached::model
