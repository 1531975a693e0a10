#pragma once
/// Texts as runs of one shared text, the writer's half. Spec: docs/formats/symcache.md, section 3.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/byte_writer.hpp"

namespace symcached::symcache {

/// Each text becomes a few runs: bytes the shared text has already, and new ones that are put behind it. Names of C++
/// repeat each other at length, so most are made of runs that are there.
class TextTable {
 public:
  /// @param bytes  of all texts together, about; the same texts with another number may get other runs
  explicit TextTable(std::size_t bytes);

  /// Texts in the same order: same runs. What is read together should be added together.
  /// @param text_id  any number the caller will use for this text in put(); small numbers. A second time does nothing.
  void add(std::uint32_t text_id, std::string_view text);

  /// Known once all texts are added.
  bool has_wide_runs() const;
  /// Writes a text: how many runs, ULEB128, then the runs.
  void put(std::uint32_t text_id, ByteWriter& out) const;
  /// The shared text, with padding for readers that copy 16 bytes at a time.
  void put_shared(ByteWriter& out) const;

 private:
  struct Run {
    std::uint32_t at = 0;      ///< in the shared text; for a new run in the text being added
    std::uint32_t length = 0;  ///< bytes
    bool is_new = false;
  };
  struct Extent {
    std::uint32_t first = 0, count = 0;  // in runs_
  };
  /// Where bytes with this hash stand in shared_. The check spares a look there, which is mostly for nothing.
  struct Place {
    std::uint32_t next = 0;  ///< behind the first byte; 0 = nowhere
    std::uint32_t check = 0;
  };
  std::uint64_t hash_of(const char* from) const;
  std::size_t slot_of(std::uint64_t hash) const { return hash >> (64 - hash_bits_); }
  void find_runs(std::string_view text);
  std::uint32_t find_match(std::string_view text, std::size_t at, std::uint32_t& length) const;
  std::uint32_t append(std::string_view text);

  std::vector<char> shared_;
  unsigned hash_bits_;
  std::vector<Place> places_;  // by hash of kHashed bytes
  std::size_t hashed_ = 0;     // places before this one are in places_
  std::vector<Run> runs_;      // of all texts, one after the other
  std::vector<Extent> texts_;  // by text_id
  std::vector<Run> found_;     // of the text being added
};

}  // namespace symcached::symcache
