#pragma once
/// Opens a ppdbcache and answers which source line a method's IL offset came from. Spec: docs/formats/ppdbcache.md.
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "model/managed_module.hpp"
#include "ppdbcache/format.hpp"
#include "ppdbcache/names.hpp"
#include "ppdbcache/row_pairs.hpp"
#include "ppdbcache/run_decoder.hpp"

namespace symcached::ppdbcache {

/// Points of a method that one lookup decodes at most.
inline constexpr std::size_t kMostPointsDecoded = kLongestRun;

struct Place {
  std::string_view document;  ///< path as the compiler recorded it
  std::uint32_t line = 0;     ///< 1-based
  std::uint32_t column = 0;   ///< 1-based; 0 = unknown
  model::Language language = model::Language::unknown;
  MethodName method;  ///< what a person wrote: the kick-off method of a MoveNext, where its name is known
};

struct Method {
  MethodName name;              ///< its own
  std::uint32_t kickoff = 0;    ///< row of the method that starts this state machine; 0 = this is no MoveNext
  std::uint32_t move_next = 0;  ///< row of the state machine that this method starts; 0 = of none
  bool has_points = false;
};

/// The points of a method, one after the other.
class PointCursor {
 public:
  PointCursor() = default;
  /// False at the end, or where the points are wrong (failed()).
  bool next(model::ManagedPoint& out);
  bool failed() const { return failed_; }

 private:
  friend class Reader;
  friend class Verifier;
  bool enter_next_run();

  Bytes bytes_;                        // of all runs
  std::span<const Restart> restarts_;  // none: `bytes_` is one run
  std::uint32_t document_ = 0;         // of the block
  std::size_t run_count_ = 0, entered_ = 0;
  RunDecoder run_{Bytes(), 0};  // number entered_ - 1
  std::uint32_t in_run_ = 0;    // points of it that were given
  bool failed_ = false;
};

/// Views into the bytes, which must outlive it and everything it hands out.
class Reader {
 public:
  /// Checks header, header checksum and section bounds. Cost: microseconds; the payload is checked where it is read.
  static Read<Reader> open(Bytes file);

  /// Checks the payload's checksum, then every method, point, document, pair and name. Cost: reads the whole file.
  Read<void> verify() const;

  DebugId debug_id() const;
  bool has_names() const { return header_.name_width != 0; }
  std::uint32_t method_count() const { return header_.method_count; }  ///< methods with points
  std::uint32_t point_count() const { return header_.point_count; }
  /// Rows of MoveNext methods with the rows of their kick-off methods.
  const RowPairs& kickoffs() const { return kickoffs_; }
  std::uint64_t section_size(Section Header::* section) const { return (header_.*section).size; }

  /// @param row        of the method, 1-based: the low 24 bits of its token
  /// @param il_offset  bytes from the start of its IL
  /// @return           where the last point at or before the offset is; nothing if there is none (not an error)
  /// Cost: one entry of an index, at most kMostPointsDecoded points, no allocation. Texts are views into the mapping.
  std::optional<Place> lookup(std::uint32_t row, std::uint32_t il_offset) const;

  /// Where to look for what a stack trace in text says of a method: there the offsets of an async method or an iterator
  /// are those of its state machine.
  /// @return the MoveNext that `row` starts, if it has no points of its own; else `row`
  std::uint32_t row_in_trace(std::uint32_t row) const;

  /// What is known of a method besides its points; of an unknown one, nothing.
  Method method(std::uint32_t row) const;

  /// One more than the highest row that has points or a name; for loops over all of them.
  std::uint32_t row_limit() const;
  PointCursor points(std::uint32_t row) const;

  std::uint32_t document_count() const { return static_cast<std::uint32_t>(documents_.size()); }
  /// @param number  below document_count()
  std::optional<model::ManagedDocument> document(std::uint32_t number) const;

 private:
  friend class Verifier;
  /// A method's points as they lie in the file: one run, or many with their restarts.
  struct Runs {
    Bytes bytes;
    std::span<const Restart> restarts;  ///< none: `bytes` is one run
    std::uint32_t document = 0;         ///< of the block
  };
  Read<void> set_sections(Bytes file);
  Read<void> set_names(Bytes file);
  bool find_runs(std::uint32_t row, Runs& out) const;
  bool find_large(Bytes head, Runs& out) const;
  bool find_point(const Runs& runs, std::uint32_t il_offset, model::ManagedPoint& out) const;
  bool find_document(std::uint32_t number, Place& out) const;
  MethodName name_a_person_wrote(std::uint32_t row) const;

  Header header_{};
  Bytes payload_, points_, large_, paths_;  // points_ and large_ without their padding, which can be read
  std::span<const Block> blocks_;
  std::span<const DocumentRecord> documents_;
  RowPairs kickoffs_, move_nexts_;
  NameReader names_;
};

/// True if the bytes start as a ppdbcache does.
bool is_ppdbcache(Bytes file);

}  // namespace symcached::ppdbcache
