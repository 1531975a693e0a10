#pragma once
/// What a symstore says that it has: 000Admin/lastid.txt and the transactions it counts. A shortcut only: what it does
/// not list may be there all the same. Spec: docs/protocols/symstore.md.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace symcached::sources {

inline constexpr std::string_view kLastId = "000Admin/lastid.txt";
inline constexpr std::uint32_t kMaxTransactions = 10'000;  ///< that are read; the last ones

/// "0000000042", blanks around it. Nothing for other texts.
std::optional<std::uint32_t> parse_last_id(std::string_view text);
/// "000Admin/0000000042"
std::string transaction_path(std::uint32_t id);

/// A set of keys like "crash.pdb/3249D9…69361", as they are spelled. 8 bytes each: about one of 10^13 keys that are not
/// in a set of a million is said to be.
class AdminIndex {
 public:
  static constexpr std::size_t kMaxKeys = 4'000'000;

  /// Lines like "crash.pdb\3249D9…69361","C:\build\crash.pdb"; others are skipped.
  /// @return how many keys there were
  std::size_t add_transaction(std::string_view text);
  /// Once more was added; has() answers after it.
  void finish();
  std::size_t size() const { return keys_.size(); }

  /// @param path  "crash.pdb/3249D9…69361/crash.pdb", with or without a first tier
  /// Cost: one binary search.
  bool has(std::string_view path) const;

 private:
  std::vector<std::uint64_t> keys_;  ///< hashes, sorted by finish()
};

}  // namespace symcached::sources
