#include "symcache/text_memo.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace symcached::symcache {

char* TextMemory::take(std::size_t size) {
  constexpr std::size_t kFirstPiece = 4096, kLargestPiece = std::size_t{1} << 20;
  if (size > size_ - used_) {
    full_bytes_ += used_;
    if (piece_) full_.push_back(std::move(piece_));
    size_ = std::max(size, std::clamp(size_ * 2, kFirstPiece, kLargestPiece));
    piece_ = std::make_unique_for_overwrite<char[]>(size_);
    used_ = 0;
  }
  char* const start = piece_.get() + used_;
  used_ += size;
  return start;
}

void TextMemory::clear() {
  full_.clear();
  full_bytes_ = used_ = 0;
}

void TextMemo::begin() {
  const bool is_full = used_ >= entries_.size() / 4 * 3;
  const bool may_grow = entries_.empty() || entries_.size() * 2 * sizeof(KnownText) <= kept_;
  if (memory.bytes() > kept_ || (is_full && !may_grow)) {
    std::ranges::fill(entries_, KnownText{});
    memory.clear();
    used_ = 0;
  } else if (is_full) {
    resize(std::max(kFirstEntries, entries_.size() * 2));
  }
}

void TextMemo::resize(std::size_t entries) {
  const std::vector<KnownText> old = std::exchange(entries_, std::vector<KnownText>(entries));
  shift_ = 64 - static_cast<unsigned>(std::bit_width(entries - 1));
  used_ = 0;
  for (const KnownText& entry : old)
    if (entry.key.cache != 0) add(entry);
}

KnownText* TextMemo::find(TextKey key) {
  if (entries_.empty()) return nullptr;
  for (std::size_t slot = slot_of(key);; slot = (slot + 1) & (entries_.size() - 1)) {
    KnownText& entry = entries_[slot];
    if (entry.key == key) return &entry;
    if (entry.key.cache == 0) return nullptr;
  }
}

KnownText* TextMemo::add(const KnownText& made) {
  ++used_;
  std::size_t slot = slot_of(made.key);
  while (entries_[slot].key.cache != 0) slot = (slot + 1) & (entries_.size() - 1);
  entries_[slot] = made;
  return &entries_[slot];
}

}  // namespace symcached::symcache
