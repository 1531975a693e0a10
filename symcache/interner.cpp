#include "symcache/interner.hpp"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace symcached::symcache {
namespace {

constexpr std::size_t kChunkBytes = 1u << 18;

}  // namespace

std::uint32_t Interner::intern(std::string_view text) {
  if (text.empty()) return 0;
  if (texts_.size() * 2 > slots_.size()) grow();
  const auto hash = static_cast<std::uint32_t>(XXH3_64bits(text.data(), text.size()));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].id != 0; at = (at + 1) & mask)
    if (slots_[at].hash == hash && texts_[slots_[at].id] == text && name(slots_[at].id) == slots_[at].id)
      return slots_[at].id;
  slots_[at] = {hash, static_cast<std::uint32_t>(texts_.size())};
  texts_.push_back(copy(text));
  return slots_[at].id;
}

std::uint32_t Interner::with_parameters(std::uint32_t name, std::uint32_t parameters) {
  if (name == 0 || parameters == 0) return name;
  if (texts_.size() * 2 > slots_.size()) grow();
  const Function function{name, parameters};
  const auto hash = static_cast<std::uint32_t>(XXH3_64bits(&function, sizeof function));
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  for (; slots_[at].id != 0; at = (at + 1) & mask)
    if (slots_[at].hash == hash && slots_[at].id < functions_.size() && functions_[slots_[at].id] == function)
      return slots_[at].id;
  slots_[at] = {hash, static_cast<std::uint32_t>(texts_.size())};
  texts_.push_back(texts_[name]);
  functions_.resize(texts_.size());
  functions_.back() = function;
  return slots_[at].id;
}

std::string_view Interner::copy(std::string_view text) {
  if (text.size() > chunk_left_) {
    chunk_left_ = std::max(kChunkBytes, text.size());
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(chunk_left_));
    chunk_at_ = chunks_.back().get();
  }
  char* const start = chunk_at_;
  std::memcpy(start, text.data(), text.size());
  chunk_at_ += text.size();
  chunk_left_ -= text.size();
  return {start, text.size()};
}

void Interner::grow() {
  const std::vector<Slot> old =
      std::exchange(slots_, std::vector<Slot>(std::max<std::size_t>(1024, slots_.size() * 2)));
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.id == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].id != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace symcached::symcache
