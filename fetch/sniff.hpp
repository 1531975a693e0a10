#pragma once
/// What a fetched file is, told by its first bytes alone.
#include <cstdint>

#include "base/bytes.hpp"

namespace symcached::fetch {

enum class Content : std::uint8_t {
  empty,
  pdb,
  old_pdb,  ///< 2.0, of Visual C++ 6 and before
  cabinet,
  web_page,
  msfz,
  portable_pdb,
  image,
  elf,
  mach,  ///< for one processor or for several
  wasm,
  breakpad,
  zip,
  property_list,
  bcsymbol_map,
  other,
};

inline constexpr std::size_t kSniffSize = 64;  ///< bytes that are enough to tell

Content sniff(Bytes start);
std::string_view describe(Content content);  ///< "a web page", for messages

}  // namespace symcached::fetch
