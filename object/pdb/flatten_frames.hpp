#pragma once
/// Turns overlapping line tables, one per frame, into the model's flat rows.
///
/// In a PDB the function and every inline site have a line table of their own. At an address the innermost site that
/// holds it gives the source line, and the table of each frame around it gives the line of its call.
#include <cstdint>
#include <span>
#include <vector>

#include "model/module.hpp"
#include "object/common/work_budget.hpp"

namespace symcached::object {

inline constexpr std::uint32_t kFunctionItself = 0;

/// A frame that may hold code of one function. Site 0 is the function itself; its caller is ignored.
struct FrameSite {
  std::uint32_t caller = kFunctionItself;  ///< index of a site before this one
  model::StringId name = model::StringId::none;
};

/// Bytes of a site with one source position. Ranges of one site do not overlap and rise within the site.
struct FrameRange {
  std::uint32_t start = 0, end = 0;  ///< bytes from the function's start, start < end
  std::uint32_t site = 0;
  std::uint32_t line = 0, column = 0;
  model::StringId file = model::StringId::none;
};

/// Numbers below a limit, some of them present. All operations take constant time (a few words each).
class NumberSet {
 public:
  void reset(std::uint32_t limit);
  void insert(std::uint32_t number);
  void erase(std::uint32_t number);
  /// The least present number that is not below `from`; the limit or more if there is none.
  std::uint32_t first_from(std::uint32_t from) const;

 private:
  static constexpr std::uint32_t kLevels = 4;  // of 64 each; the last one is walked
  std::vector<std::uint64_t> words_[kLevels];  // [0]: a bit per number; above: a bit per word that is not empty
};

/// Keeps its working memory from one function to the next.
class FrameFlattener {
 public:
  static constexpr std::uint32_t kMaxDepth = 256;

  /// @param sites   callers before callees
  /// @param ranges  of all sites, those of one site together; a site counts only where its caller holds the byte too
  /// The results live until the next call. Sites nested deeper than kMaxDepth are left out.
  /// @param budget  of steps: one for each range end, one for each call that is looked at there, more for a new Inlinee
  /// @return        false: the budget is overdrawn, and the results are of no use
  /// Cost: one sort of the range ends; for each end the depth of the calls there.
  bool flatten(std::span<const FrameSite> sites, std::span<const FrameRange> ranges, WorkBudget& budget);

  std::span<const model::Line> lines() const { return lines_; }
  std::span<const model::Inlinee> inlinees() const { return inlinees_; }

 private:
  void order_sites(std::span<const FrameSite> sites);
  void collect_events(std::span<const FrameRange> ranges);
  void apply(std::uint32_t event, std::span<const FrameRange> ranges);
  void emit(std::uint32_t offset, std::span<const FrameSite> sites, std::span<const FrameRange> ranges);
  std::uint32_t inlinee_of(std::uint32_t site, const model::Inlinee& wanted);

  std::vector<std::uint64_t> events_;          // offset in the high half, range index (and a closing bit) in the low
  std::vector<std::uint32_t> current_;         // per site: the range that is open, or kNone
  std::vector<std::uint32_t> place_;           // per site: its place when sites are ordered by caller, then number
  std::vector<std::uint32_t> at_place_;        // the site of a place
  std::vector<std::uint32_t> first_called_;    // per site and one more: place of the first site called from it
  NumberSet active_;                           // places of sites with an open range
  std::vector<std::uint32_t> newest_inlinee_;  // per site: its latest Inlinee, or kNone
  std::vector<std::uint32_t> older_inlinee_;   // per Inlinee: the one of the same site before it
  std::vector<model::Line> lines_;
  std::vector<model::Inlinee> inlinees_;
  std::uint64_t steps_ = 0;  // not yet taken off the budget
};

}  // namespace symcached::object
