#pragma once
/// Deals out the units of a translation's main file to the threads that read them.
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "base/inflate_stream.hpp"
#include "object/dwarf/files.hpp"

namespace symcached::object {

/// Units that lie next to each other, for one thread.
struct UnitBatch {
  dwarf::Sections sections;              ///< those of the file, but info may hold these units alone
  std::vector<dwarf::UnitHeader> units;  ///< offsets are in sections.info
  std::size_t first = 0;                 ///< number of the first one in the file
  Buffer inflated;                       ///< what sections.info views; its memory is used again for the next batch
};

/// Of a plain section one unit at a time. A section that is still compressed is inflated here and now, a few units at a
/// time: they are read while they are in the processor's cache, and the whole is never in memory.
class UnitQueue {
 public:
  /// @param input, files  must outlive the queue
  static Read<UnitQueue> open(const DwarfInput& input, const DwarfFiles& files);

  /// Safe from several threads. Batches come in the order of the file.
  /// @return false: there are no more
  Read<bool> next(UnitBatch& batch);

  /// Threads that can be kept busy, at most.
  std::size_t useful_threads() const;

 private:
  struct Mutex : std::mutex {  // a queue moves before it is shared, never after
    Mutex() = default;
    Mutex(Mutex&&) noexcept {}
  };
  UnitQueue(const DwarfInput& input, const DwarfFiles& files) : input_(&input), files_(&files) {}
  Read<bool> next_inflated(UnitBatch& batch);

  const DwarfInput* input_;
  const DwarfFiles* files_;
  std::optional<InflateStream> stream_;
  Mutex mutex_;
  std::size_t next_ = 0;          ///< number of the next unit
  std::uint64_t unreleased_ = 0;  ///< bytes inflated since the pages of the file were let go
};

}  // namespace symcached::object
