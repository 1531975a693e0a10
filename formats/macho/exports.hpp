#pragma once
/// The names that a Mach-O image exports, from the trie that the loader searches. Files without a symbol table have
/// these alone. Spec: docs/formats/macho.md, "Function names".
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::macho {

struct Export {
  std::string name;          ///< with the underscore that the platform adds
  std::uint64_t offset = 0;  ///< from the image base
  bool operator==(const Export&) const = default;
};

/// What is defined in the image itself, in the order of the trie: no names of other libraries, no absolute values, no
/// variables of threads. Cost: each node is visited once; a trie whose nodes share children, or whose names together
/// are out of proportion, is refused.
Read<std::vector<Export>> read_exports(Bytes trie);

}  // namespace symcached::macho
