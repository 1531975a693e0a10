#pragma once
/// The DWARF sections of a PE image or COFF object file, made ready for reading.
#include <list>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "base/inflate_limits.hpp"
#include "formats/dwarf/sections.hpp"
#include "formats/pe/coff_relocations.hpp"
#include "formats/pe/reader.hpp"

namespace symcached::object {

/// Owns what had to be decompressed or relocated; the other sections are views into the file. Of two
/// sections with one name the first counts.
class PeDwarf {
 public:
  static Read<PeDwarf> of_image(const pe::Image& image, const InflateLimits& limits = {});
  /// @param split  the sections named ".dwo" instead of those that are not
  static Read<PeDwarf> of_object(const pe::CoffObject& object, std::span<const pe::SectionPlace> places,
                                 std::uint64_t image_base, bool split = false, const InflateLimits& limits = {});

  const dwarf::Sections& sections() const { return sections_; }
  bool empty() const { return sections_.info.empty(); }

 private:
  bool wants(dwarf::SectionName name, bool split) const;
  Read<void> put(dwarf::SectionName name, Bytes data, InflateBudget& budget);

  dwarf::Sections sections_;
  std::list<Buffer> owned_;
};

}  // namespace symcached::object
