#include "app/cache_entries.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/command_line.hpp"
#include "app/commands.hpp"
#include "base/quantity.hpp"
#include "store/survey.hpp"

namespace symcached::app {

EntryRemover::~EntryRemover() {
  if (store_) store::remove_empty_folders(directory_);
}

bool EntryRemover::remove(std::string_view name) {
  std::call_once(opening_, [this] {
    if (auto store = store::Store::open(directory_, kNoBoot)) store_ = std::move(*store);
  });
  const std::filesystem::path file = directory_ / name;
  if (::unlink(file.c_str()) == 0) {
    if (store_) store_->quotas()->removed(std::string(name));
    return true;
  }
  if (errno == ENOENT) return false;
  complain(command_, fmt::format("cannot remove {}: {}", file.string(), std::strerror(errno)));
  status_ = kCouldNot;
  return false;
}

Walked for_each_entry(std::string_view command, const std::filesystem::path& directory, const CacheFilter& filter,
                      Heads heads, const OnEntry& on_entry) {
  Walked walked;
  const auto now = std::chrono::time_point_cast<store::Milliseconds>(store::Clock::now());
  const auto fail = [&](const std::string& why) {
    walked.status = kCouldNot;
    complain(command, why);
  };
  const store::Visitor visitor{[&](const store::FoundEntry& entry) {
                                 if (!filter.matches(entry, now)) return;
                                 if (heads == Heads::if_needed && !filter.needs_head()) return on_entry(entry, nullptr);
                                 const auto report = service::look_at_entry(directory, std::string(entry.name));
                                 if (!report || !filter.matches(*report)) return;
                                 on_entry(entry, &*report);
                               },
                               [&](const std::string&, std::string_view) { ++walked.others; },
                               [&](const std::string& name, std::string_view why) {
                                 fail(fmt::format("{}: {}", (directory / name).string(), why));
                               }};
  if (const auto done = store::walk(directory, visitor); !done) fail(done.error());
  return walked;
}

std::string time_text(store::TimePoint time) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(store::Clock::to_time_t(time)));
}

std::string_view name_of(store::Quality quality) {
  switch (quality) {
    case store::Quality::none: return "none";
    case store::Quality::public_symbols: return "publics";
    case store::Quality::symbol_table: return "symbols";
    case store::Quality::breakpad: return "breakpad";
    case store::Quality::lines: return "lines";
  }
  return "unknown";
}

std::string kind_text(const store::Place& place) { return fmt::format("{}/v{}", place.kind, place.version); }

std::string removed_text(const store::QuotaCounts& counts) {
  return fmt::format("{} unused entries and {} to make room, {}; {} entries remain, {}", counts.expired, counts.evicted,
                     size_text(counts.reclaimed), counts.entries, size_text(counts.bytes));
}

std::string amount_text(std::uint64_t entries, std::uint64_t bytes) {
  return fmt::format("{} {}, {}", entries, entries == 1 ? "entry" : "entries", size_text(bytes));
}

}  // namespace symcached::app
