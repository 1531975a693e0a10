#pragma once
/// 000Admin of a symstore, read bit by bit: which spellings of its files are worth looking for first.
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fetch/waits.hpp"
#include "net/log.hpp"
#include "net/task.hpp"
#include "sources/admin_index.hpp"
#include "sources/layouts.hpp"

namespace symcached::fetch {

/// An index that is not there, is broken or cannot be read is as good as none. Any thread.
class AdminShortcut {
 public:
  static constexpr std::size_t kMaxText = 16 << 20;         ///< bytes of one transaction
  static constexpr std::size_t kStep = 8;                   ///< transactions that one call reads
  static constexpr std::chrono::hours kGoodFor{24};         ///< until lastid.txt is read again
  static constexpr std::chrono::minutes kAfterFailure{10};  ///< until more is read

  /// What lies at a path below the root, at most kMaxText bytes: empty if nothing does; nothing if it cannot be told.
  using ReadText = std::function<Task<std::optional<std::string>>(std::string path)>;

  /// Told once what is wrong with a broken index: the file, and what it should hold.
  using Complain = std::function<void(const std::string& what)>;

  AdminShortcut(ReadText read, Complain complain, std::function<Waits::Clock::time_point()> now)
      : read_(std::move(read)), complain_(std::move(complain)), now_(std::move(now)) {}

  /// Reads on, the latest transactions first, if there is more to read and nobody else is at it.
  Task<void> read_on();
  /// Places that the index lists come first.
  void sort(std::vector<sources::Place>& places) const;

 private:
  bool lists(std::string_view path) const;
  void broken(std::string what);
  bool begin();
  void end(bool failed);
  bool wants_last_id() const;
  void take_last_id(std::string_view text);
  std::optional<std::uint32_t> next_transaction();
  void take_transaction(std::uint32_t id, const std::optional<std::string>& text);

  const ReadText read_;
  const Complain complain_;
  const std::function<Waits::Clock::time_point()> now_;
  mutable std::mutex mutex_;
  bool busy_ = false;
  bool complained_ = false;
  std::optional<Waits::Clock::time_point> asked_last_;  ///< for lastid.txt
  std::optional<Waits::Clock::time_point> failed_;
  std::uint32_t last_ = 0;
  std::vector<std::uint32_t> pending_;  ///< ascending
  sources::AdminIndex index_;
};

/// Warns of a broken index of the source that is called `source`.
AdminShortcut::Complain warning_of_index(std::string source, Log log);

}  // namespace symcached::fetch
