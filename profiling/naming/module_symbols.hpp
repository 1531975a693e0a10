#pragma once
/// The names of one module's code, from its own symbol tables and those of its debug file.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/naming/code_ranges.hpp"
#include "profiling/naming/elf_file.hpp"
#include "profiling/naming/modules.hpp"

namespace symcached::pprof {

/// Immutable.
class ModuleSymbols {
 public:
  /// Reads what there is; symbols that cannot be read are unknown.
  /// @param debug_folders  as kDebugFolder
  /// Cost: reads the symbol tables whole; about 0.4 s for a million symbols.
  static std::shared_ptr<const ModuleSymbols> load(const CodeMapping& mapping,
                                                   std::span<const std::string> debug_folders);

  /// The linkage name; "libc.so.6+0x26ca0" of a function whose name is not known; else "[libc.so.6]".
  /// @param address  in the mapping, as it was when it was loaded
  std::string name(const CodeMapping& mapping, std::uintptr_t address) const;

  std::size_t symbol_count() const { return symbol_count_; }
  std::size_t memory() const { return ranges_.size() * sizeof(CodeRange) + names_.size(); }

 private:
  std::vector<ElfW(Phdr)> segments_;
  std::vector<CodeRange> ranges_;
  std::string names_;
  std::size_t symbol_count_ = 0;
};

/// The file that was loaded, of those it may be read from; nothing if it is not there any more.
/// @param path  receives which it is; may be null
std::optional<ElfFile> open_module_file(const CodeMapping& mapping, std::string* path = nullptr);

/// What code is called of which only the module is known: "[libc.so.6]".
std::string unknown_name(std::string_view label);

}  // namespace symcached::pprof
