#pragma once
/// A source file in memory, its lines found once, for those who look at it again and again. docs/source-context.md
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::symbolize {

class SourceLines {
 public:
  /// @param source  a whole file below 4 GiB, as source_contexts() takes them: its encodings and line ends
  /// Cost: one pass; memory for the text in UTF-8 and 8 bytes a line.
  explicit SourceLines(Bytes source);

  std::uint32_t count() const { return static_cast<std::uint32_t>(lines_.size()); }
  /// Without its end, in valid UTF-8. @param number  1 to count()
  std::string_view line(std::uint32_t number) const;
  std::size_t memory() const { return sizeof *this + text_.capacity() + lines_.capacity() * sizeof(Line); }

 private:
  struct Line {
    std::uint32_t begin = 0, end = 0;  ///< in text_
  };
  std::string text_;
  std::vector<Line> lines_;
};

}  // namespace symcached::symbolize
