#pragma once
/// Single addresses of a large ELF file: the units that have code there are translated, and the symbols around it,
/// which gives the same frames as the whole. docs/formats/dwarf.md, "One address".
#include <cstdint>
#include <functional>
#include <memory>

#include "model/module.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

class PartialElf {
 public:
  /// @param original  its bytes and companions must outlive what is opened
  /// @param may_be_costly  false: null where is_costly() would be true, before anything is inflated
  /// @return null: such a file can only be translated whole (object files, split DWARF, no DWARF, …)
  /// Cost: reads the headers of units, and root entries of those without a set in .debug_aranges; inflates what is
  /// compressed, but for a large .debug_info.
  static Read<std::unique_ptr<PartialElf>> open(const Original& original, bool may_be_costly);
  virtual ~PartialElf() = default;

  /// Each translation costs a good part of the whole one: .debug_info has to be inflated again.
  virtual bool is_costly() const = 0;

  /// Hands the functions to a sink of `make_sink`, an empty one each time it is called; the last one counts.
  /// @param rva  the address
  /// @return false: it cannot be told without the whole file what is there
  virtual Read<bool> translate_at(model::Rva rva, const std::function<model::ModuleSink&()>& make_sink) = 0;
};

}  // namespace symcached::object
