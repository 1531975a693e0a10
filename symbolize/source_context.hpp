#pragma once
/// The lines of a source file around the ones that frames are in. docs/source-context.md
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::symbolize {

inline constexpr std::uint32_t kContextLines = 5;      ///< before and after, if nobody asks for more or fewer
inline constexpr std::uint32_t kMaxContextLines = 50;  ///< asking for more gives this many
/// Bytes of UTF-8 of one line, without the "…" that shows that it was cut.
inline constexpr std::size_t kMaxContextLine = 2048;

/// Lines without their ends, in valid UTF-8: what is not sound in the file is U+FFFD. NUL and other controls stay.
struct SourceContext {
  std::vector<std::string> before;  ///< nearest last; fewer than asked for at the start of the file
  std::string line;
  std::vector<std::string> after;  ///< nearest first
  bool operator==(const SourceContext&) const = default;
};

/// @param source  a whole file: UTF-8, or UTF-16 of either byte order behind a byte order mark
/// @param lines   1-based, in any order, also more than once
/// @param around  lines before and after each, up to kMaxContextLines
/// @return        one for each of `lines`; nothing for a line that the file does not have
/// Cost: one pass up to the last line that is wanted, about 0.5 GB/s; memory for the lines that are given back.
std::vector<std::optional<SourceContext>> source_contexts(Bytes source, std::span<const std::uint32_t> lines,
                                                          std::uint32_t around = kContextLines);

/// The same for one line.
std::optional<SourceContext> source_context(Bytes source, std::uint32_t line, std::uint32_t around = kContextLines);

}  // namespace symcached::symbolize
