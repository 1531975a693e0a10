#pragma once
/// What the `symcached cache` commands have in common: going through their directory, words for what is there.
#include <CLI/CLI.hpp>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "app/cache_filter.hpp"
#include "store/store.hpp"

namespace symcached::app {

inline constexpr std::uint64_t kNoBoot = 0;  ///< a command has no run of its own

enum class Heads : std::uint8_t { always, if_needed };  ///< if_needed: only where the filter asks for what they say

/// @param report  null if the head was not read
using OnEntry = std::function<void(const store::FoundEntry& entry, const service::EntryReport* report)>;

struct Walked {
  int status = 0;            ///< ExitStatus: kCouldNot if something could not be looked at, which was complained about
  std::uint64_t others = 0;  ///< what is no entry
};

/// Every entry that the filter matches, as it is found. What vanishes meanwhile is left out.
/// @param command  for complaints: "cache ls"
Walked for_each_entry(std::string_view command, const std::filesystem::path& directory, const CacheFilter& filter,
                      Heads heads, const OnEntry& on_entry);

/// Removes entries, and from the index that servers share. Safe to use from any thread.
class EntryRemover {
 public:
  /// @param directory  a cache
  EntryRemover(std::string_view command, std::filesystem::path directory)
      : command_(command), directory_(std::move(directory)) {}
  /// Then folders that are empty go.
  ~EntryRemover();
  EntryRemover(const EntryRemover&) = delete;
  EntryRemover& operator=(const EntryRemover&) = delete;

  /// @return whether it was there; a failure is complained about, and makes status() kCouldNot
  bool remove(std::string_view name);
  int status() const { return status_; }

 private:
  const std::string_view command_;
  const std::filesystem::path directory_;
  std::once_flag opening_;
  std::unique_ptr<store::Store> store_;
  std::atomic<int> status_ = 0;
};

/// "2026-11-22T09:50:51Z"
std::string time_text(store::TimePoint time);
std::string_view name_of(store::Quality quality);
/// "symcaches/v2"
std::string kind_text(const store::Place& place);
/// "3 unused entries and 1 to make room, 49 kB; 7 entries remain, 115 kB"
std::string removed_text(const store::QuotaCounts& counts);
/// "12 entries, 4.5 MB"
std::string amount_text(std::uint64_t entries, std::uint64_t bytes);

// One file each.
void add_cache_add(CLI::App& cache, int& status);
void add_cache_ls(CLI::App& cache, int& status);
void add_cache_purge(CLI::App& cache, int& status);
void add_cache_stat(CLI::App& cache, int& status);
void add_cache_verify(CLI::App& cache, int& status);
void add_cache_warm(CLI::App& cache, int& status);

}  // namespace symcached::app
