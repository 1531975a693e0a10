#include "fetch/admin_shortcut.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace symcached::fetch {

Task<void> AdminShortcut::read_on() {
  if (!begin()) co_return;
  bool failed = false;
  try {
    if (wants_last_id()) {
      const auto text = co_await read_(std::string(sources::kLastId));
      failed = !text;
      if (text) take_last_id(*text);
    }
    for (std::size_t i = 0; i < kStep && !failed; ++i) {
      const auto id = next_transaction();
      if (!id) break;
      const auto text = co_await read_(sources::transaction_path(*id));
      failed = !text;
      take_transaction(*id, text);
    }
  } catch (...) {  // out of memory: others may still go on
    failed = true;
  }
  end(failed);
}

bool AdminShortcut::begin() {
  const std::scoped_lock lock(mutex_);
  const bool waits = failed_ && now_() - *failed_ < kAfterFailure;
  const bool has_more = !pending_.empty() || !asked_last_ || now_() - *asked_last_ >= kGoodFor;
  if (busy_ || waits || !has_more) return false;
  busy_ = true;
  failed_.reset();
  return true;
}

void AdminShortcut::end(bool failed) {
  const std::scoped_lock lock(mutex_);
  index_.finish();
  busy_ = false;
  if (failed) failed_ = now_();
}

bool AdminShortcut::wants_last_id() const {
  const std::scoped_lock lock(mutex_);
  return !asked_last_ || now_() - *asked_last_ >= kGoodFor;
}

/// Called by who is at it, without the lock.
void AdminShortcut::broken(std::string what) {
  if (complain_ && !std::exchange(complained_, true)) complain_(what);
}

/// A number smaller than the last one is that of another store.
void AdminShortcut::take_last_id(std::string_view text) {
  const auto id = sources::parse_last_id(text);
  if (!id && !text.empty()) broken(fmt::format("{} holds no number", sources::kLastId));
  const std::scoped_lock lock(mutex_);
  asked_last_ = now_();
  if (!id) return;
  if (*id < last_) {
    index_ = {};
    pending_.clear();
    last_ = 0;
  }
  const std::uint32_t first = std::max(last_, *id - std::min(*id, sources::kMaxTransactions));
  for (std::uint32_t i = first; i < *id; ++i) pending_.push_back(i + 1);
  last_ = *id;
}

std::optional<std::uint32_t> AdminShortcut::next_transaction() {
  const std::scoped_lock lock(mutex_);
  if (pending_.empty()) return std::nullopt;
  const std::uint32_t id = pending_.back();
  pending_.pop_back();
  return id;
}

void AdminShortcut::take_transaction(std::uint32_t id, const std::optional<std::string>& text) {
  bool is_broken = false;
  {
    const std::scoped_lock lock(mutex_);
    if (!text) return pending_.push_back(id);
    const std::size_t added = index_.add_transaction(*text);
    is_broken = !text->empty() && added == 0 && index_.size() < sources::AdminIndex::kMaxKeys;
  }
  if (is_broken) broken(fmt::format("{} lists no file", sources::transaction_path(id)));
}

void AdminShortcut::sort(std::vector<sources::Place>& places) const {
  std::ranges::stable_partition(places, [&](const sources::Place& place) { return lists(place.path); });
}

bool AdminShortcut::lists(std::string_view path) const {
  const std::scoped_lock lock(mutex_);
  return !busy_ && index_.has(path);
}

AdminShortcut::Complain warning_of_index(std::string source, Log log) {
  if (!log) return {};
  return [source = std::move(source), log = std::move(log)](const std::string& what) {
    log(Severity::warning, fmt::format("{}: the index of the store is broken and saves no requests: {}", source, what));
  };
}

}  // namespace symcached::fetch
