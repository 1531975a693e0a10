#pragma once
/// What the numbers in traces mean for an image: from run-time, stated and file addresses to the one that caches use.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "model/module.hpp"
#include "traces/frame_source.hpp"

namespace symcached::traces {

class Geometry {
 public:
  /// Of a cache or a PDB little is known: only offsets from the image's start have a meaning, and stated addresses as
  /// if it started at 0.
  /// Cost: the headers.
  static Geometry of(Bytes file);

  /// @param kind   link, image or file
  /// @return nothing if the file has no such place
  std::optional<model::Rva> rva_of(NumberKind kind, std::uint64_t value) const;
  std::uint64_t link_of(model::Rva rva) const { return rva.value + image_base_; }

  /// It can only lie where it states: run-time addresses are stated ones.
  bool is_fixed() const { return is_fixed_; }
  bool is_code(std::uint64_t link) const;
  /// Offsets in the file have a meaning. Debug files without code may have segments and lack what lay in them.
  bool has_file_offsets() const { return has_file_offsets_; }
  /// Of two files of one build, the one to go by.
  bool knows_more_than(const Geometry& other) const {
    return has_file_offsets_ != other.has_file_offsets_ ? has_file_offsets_ : code_.size() > other.code_.size();
  }

  struct Range {
    std::uint64_t start = 0, end = 0;
  };
  /// Where code lies, from the image's start; empty if it is not known.
  const std::vector<Range>& code() const { return code_; }

 private:
  struct Segment {
    std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0;
    bool is_code = false;
  };
  std::optional<std::uint64_t> link_of_file_offset(std::uint64_t offset) const;

  std::uint64_t image_base_ = 0;  ///< stated address of Rva 0
  std::uint64_t lowest_ = 0;      ///< stated address of what lies lowest in memory
  std::vector<Segment> segments_;
  std::vector<Range> code_;
  bool is_fixed_ = false, has_file_offsets_ = false;
};

}  // namespace symcached::traces
