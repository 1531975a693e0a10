#pragma once
/// Functions of a module by name, with the distance to the next one: what kernels print as "foo+0x12/0x80".
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "symcache/reader.hpp"
#include "traces/local/geometry.hpp"

namespace symcached::traces {

class NameIndex {
 public:
  struct Place {
    model::Rva start;
    std::uint64_t gap = 0;  ///< bytes up to the next function or the end of the section
    bool is_last = false;   ///< of its section: what is printed as its size may go beyond it
  };

  /// Cost: reads every function of the cache, about a microsecond each, and keeps about 100 bytes of it.
  static NameIndex of(const symcache::Symcache& cache, const std::vector<Geometry::Range>& code);

  /// Functions of exactly that name, as the linker knows it or demangled, that may have the offset and the size.
  /// @param count  set to how many have the name, whatever their size
  /// Cost: the first time that a name is not one of the linker's, all names are demangled.
  std::vector<Place> find(std::string_view name, std::uint64_t offset, std::optional<std::uint64_t> size,
                          std::size_t& count);

 private:
  using Names = std::unordered_multimap<std::string, std::uint32_t>;
  void add(std::string_view name, std::uint32_t place) { names_.emplace(name, place); }
  void measure(const std::vector<Geometry::Range>& code);
  void demangle_all();

  std::vector<Place> places_;  // by rising start
  Names names_, demangled_;    // to places_
  bool is_demangled_ = false;
};

}  // namespace symcached::traces
