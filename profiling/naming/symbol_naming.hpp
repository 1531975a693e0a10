#pragma once
/// Naming by symbol tables, with all that a test or a benchmark wants to choose.
#include <functional>
#include <memory>
#include <string>

#include "profiling/naming/modules.hpp"
#include "profiling/naming/naming.hpp"
#include "profiling/naming/symbol_cache.hpp"

namespace symcached::pprof {

struct SymbolNamingOptions {
  ModuleLists modules = ModuleLists::of_process();
  SymbolCacheOptions cache = {};
  std::function<std::string()> jit_map = {};  ///< path of the perf map; empty: perf's own place
};

/// symbol_table_naming() is this with the defaults.
std::unique_ptr<Naming> symbol_table_naming(SymbolNamingOptions options);

/// The mapping of each address, null where there is none. Looks around anew if one is not among those known, or is in
/// generated code. The pointers live as long as the list.
struct Places {
  std::shared_ptr<const CodeMappings> list;
  std::vector<const CodeMapping*> of;  ///< as many as addresses
};
Places places_of(std::span<const std::uintptr_t> addresses, const ModuleLists& modules);

}  // namespace symcached::pprof
