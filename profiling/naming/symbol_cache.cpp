#include "profiling/naming/symbol_cache.hpp"

#include <algorithm>

namespace symcached::pprof {
namespace {

std::string key_of(const CodeMapping& mapping) {
  return mapping.path + '\n' + mapping.module.build_id + '\n' + std::to_string(mapping.inode);
}

}  // namespace

std::shared_ptr<const ModuleSymbols> SymbolCache::get(const CodeMapping& mapping) {
  const std::shared_ptr<Slot> slot = slot_of(mapping);
  const std::lock_guard loading(slot->loading);
  if (slot->symbols == nullptr) {
    slot->symbols = ModuleSymbols::load(mapping, options_.debug_folders);
    loaded(slot);
  }
  return slot->symbols;
}

std::shared_ptr<SymbolCache::Slot> SymbolCache::slot_of(const CodeMapping& mapping) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  drop(now);
  std::shared_ptr<Slot>& slot = slots_[key_of(mapping)];
  if (slot == nullptr) slot = std::make_shared<Slot>();
  slot->used = now;
  return slot;
}

void SymbolCache::loaded(const std::shared_ptr<Slot>& slot) {
  const std::lock_guard lock(mutex_);
  slot->is_loaded = true;
  slot->memory = slot->symbols->memory();
  slot->symbol_count = slot->symbols->symbol_count();
  slot->used = Clock::now();
  drop(slot->used);
}

void SymbolCache::drop(Clock::time_point now) {
  std::erase_if(slots_, [&](const auto& entry) {
    return entry.second->is_loaded && now - entry.second->used > options_.kept_unused;
  });
  std::size_t all = 0;
  for (const auto& [key, slot] : slots_) all += slot->memory;
  while (all > options_.memory && slots_.size() > 1) {
    const auto used = [](const auto& entry) { return entry.second->used; };
    const auto oldest = std::ranges::min_element(slots_, {}, used);
    all -= oldest->second->memory;
    slots_.erase(oldest);
  }
}

std::size_t SymbolCache::symbol_count() {
  const std::lock_guard lock(mutex_);
  std::size_t all = 0;
  for (const auto& [key, slot] : slots_) all += slot->symbol_count;
  return all;
}

std::size_t SymbolCache::memory() {
  const std::lock_guard lock(mutex_);
  std::size_t all = 0;
  for (const auto& [key, slot] : slots_) all += slot->memory;
  return all;
}

}  // namespace symcached::pprof
