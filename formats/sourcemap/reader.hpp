#pragma once
/// Reads source maps, version 3, as far as they speak of one line of generated code: what WebAssembly modules have.
/// Spec: docs/formats/wasm.md, "Source maps"; ECMA-426.
#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::sourcemap {

inline constexpr std::uint32_t kNoSource = 0xFFFFFFFF;

/// From `offset` up to the next row, the code is that of source:line:column.
struct Row {
  std::uint64_t offset = 0;          ///< the generated column: bytes from the start of the module
  std::uint32_t source = kNoSource;  ///< index into SourceMap::sources; kNoSource = of none
  std::uint32_t line = 0;            ///< 1-based
  std::uint32_t column = 0;          ///< 1-based
  bool operator==(const Row&) const = default;
};

struct SourceMap {
  std::vector<std::string> sources;  ///< paths or URLs, unchecked, "sourceRoot" in front
  std::vector<Row> rows;             ///< by rising offset
};

/// @return  a failure also for an index map (of "sections")
/// Cost: parses the whole text; memory of about twice its size.
Read<SourceMap> read_source_map(Bytes file);

}  // namespace symcached::sourcemap
