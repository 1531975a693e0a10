#pragma once
/// The numbered names of a symbol file: source files, and functions that are inlined somewhere.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace symcached::breakpad {

/// Names by number. Numbers may have gaps and be as large as they like; of two names with one number the first counts.
class NumberedNames {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  void add(std::uint32_t number, std::string_view name) { all_.push_back({number, name}); }
  /// After the last add(), before the first find(). Cost: linear where numbers rise, as they do in practice.
  void finish();

  /// Index of the name, below size(); kNone if no record gives the number.
  /// Cost: constant while numbers are about as many as names, else a binary search.
  std::uint32_t find(std::uint32_t number) const;
  std::size_t size() const { return all_.size(); }
  std::string_view operator[](std::uint32_t index) const { return all_[index].name; }

 private:
  struct Entry {
    std::uint32_t number;
    std::string_view name;
  };
  std::vector<Entry> all_;             // sorted by number
  std::vector<std::uint32_t> direct_;  // number -> index, for the numbers below its size
};

struct Names {
  NumberedNames files, origins;
};

/// Collects all FILE and INLINE_ORIGIN records, which may stand behind those that refer to them.
/// Cost: finds the line feeds and looks at one byte per line, about 1 GB/s. The names are views into the text.
Read<Names> read_names(Bytes text);

}  // namespace symcached::breakpad
