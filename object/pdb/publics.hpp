#pragma once
/// The public symbols of a PDB: linkage names of functions, and names of code that has no other.
#include <cstdint>
#include <string_view>
#include <vector>

#include "formats/pdb/pdb.hpp"
#include "model/module.hpp"

namespace symcached::object {

struct PdbPublic {
  pdb::SectionOffset at;
  std::uint32_t size = 0;    ///< up to the next public of code or the end of the contribution; 0 = not code
  std::uint32_t module = 0;  ///< owner of the contribution; kNoModule if none
  std::string_view name;     ///< decorated, in the symbol record stream
  bool taken = false;        ///< already the linkage name of a function
};
inline constexpr std::uint32_t kNoModule = 0xFFFFFFFF;

/// Publics in code, sorted by place. Owns the symbol records if they do not lie in one piece.
class PdbPublics {
 public:
  static Read<PdbPublics> open(const pdb::File& file);

  /// All publics at one place.
  std::span<PdbPublic> at(pdb::SectionOffset place);
  std::span<PdbPublic> all() { return publics_; }
  /// Places in all() of the publics whose contribution belongs to `module`.
  std::span<const std::uint32_t> of_module(std::uint32_t module) const;

  /// The public that is the decorated form of `function` at `place`, marked as taken; empty if none is left.
  std::string_view take_linkage_name(pdb::SectionOffset place, std::string_view function);

 private:
  std::size_t first_free(std::size_t index);
  std::string_view take(std::size_t index);
  void size_them(const pdb::File& file);
  void group_by_module(std::size_t module_count);

  std::vector<std::byte> owned_;
  std::vector<PdbPublic> publics_;
  std::vector<std::uint32_t> skip_;          // per public: how far ahead to look for one that is not taken
  std::vector<std::uint32_t> by_module_;     // indices into publics_, grouped
  std::vector<std::uint32_t> group_starts_;  // one per module and one past the end
};

/// True if `decorated` may be the decorated form of the undecorated qualified `name`: exactly it, with the C
/// calling-convention marks, or `?last@…`.
bool may_decorate(std::string_view decorated, std::string_view name);

}  // namespace symcached::object
