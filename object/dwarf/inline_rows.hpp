#pragma once
/// Lays scopes of inlined calls over rows of source lines: what the model wants of one function.
///
/// In DWARF one line table says where each byte comes from, and nested scopes say which inlined calls it is in. A row
/// is cut wherever a scope begins or ends. Where scopes overlap, the one that starts last is the innermost.
#include <cstdint>
#include <span>
#include <vector>

#include "formats/dwarf/line.hpp"
#include "model/module.hpp"

namespace symcached::object {

struct ScopeRange {
  std::uint64_t start = 0, end = 0;  ///< as the rows state addresses
  std::uint32_t scope = 0;
};

class InlineRows {
 public:
  /// @param low, high  the function's code; at most 4 GiB
  /// @param rows       by rising address, the first one maybe before `low`; files are StringIds
  /// @param scopes     callers before callees
  /// @param ranges     sorted by (start, scope)
  void build(std::uint64_t low, std::uint64_t high, std::span<const dwarf::LineRow> rows,
             std::span<const model::Inlinee> scopes, std::span<const ScopeRange> ranges);

  /// Of the last build.
  std::span<const model::Line> lines() const { return lines_; }
  std::span<const model::Inlinee> inlinees() const { return inlinees_; }

 private:
  std::uint32_t inlinee_of(std::span<const model::Inlinee> scopes, std::uint32_t scope);

  struct Open {
    std::uint64_t end;
    std::uint32_t inlinee;
  };
  std::vector<model::Line> lines_;
  std::vector<model::Inlinee> inlinees_;
  std::vector<std::uint32_t> numbers_;  // by scope: its inlinee, kNoInlinee = not needed so far
  std::vector<std::uint32_t> chain_;
  std::vector<Open> open_;
};

}  // namespace symcached::object
