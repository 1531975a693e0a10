#include "base/bytes.hpp"
#include "sources/file_pointer.hpp"

/// Whatever a pointer says, what it leads to stays below the store's root or what the map names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const sources::PathMap map = {{"\\\\server\\share", "/mnt/share"}};
  const auto text = as_text(std::as_bytes(std::span(data, size)));
  const auto pointer = sources::read_file_pointer(text, "a.pdb/1/file.ptr", map);
  std::string path;
  if (const auto* inside = std::get_if<sources::PointsInStore>(&pointer)) path = inside->path;
  if (const auto* elsewhere = std::get_if<sources::PointsElsewhere>(&pointer)) path = elsewhere->place.below;
  if (!path.empty() && sources::tidy_relative(path) != path) __builtin_trap();
  return 0;
}
