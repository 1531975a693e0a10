#include "service/open_modules.hpp"

#include <fmt/format.h>

#include "store/reading.hpp"

namespace symcached::service {
namespace {

constexpr std::uint64_t kNodeOverhead = 512;  ///< bytes of list, index, reader and allocator for one, about

}  // namespace

std::string OpenModules::name_of(const store::EntryKey& key) {
  std::string name;
  name.reserve(key.kind.name.size() + key.scope.size() + key.readable.size() + 2);
  name.append(key.kind.name).append("/").append(key.scope).append("/").append(key.readable);
  return name;
}

OpenModule OpenModules::find(const store::EntryKey& key) {
  const std::string name = name_of(key);
  const auto now = now_();
  const std::scoped_lock lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end() || (*found->second)->look_again <= now) return nullptr;
  nodes_.splice(nodes_.begin(), nodes_, found->second);
  return (*found->second)->module;
}

std::expected<OpenModule, std::string> OpenModules::open(const store::EntryKey& key, const store::Entry& entry) {
  const auto node = node_of(name_of(key));
  const std::scoped_lock opening(node->opening);
  const store::Sha256& payload = entry.head().payload_sha256;
  {
    const std::scoped_lock lock(mutex_);
    if (node->module && node->payload == payload) {
      node->look_again = now_() + kLookAgain;
      ++hits_;
      return node->module;
    }
    ++misses_;
  }
  auto bytes = store::read_payload(entry);
  if (!bytes) return std::unexpected(std::move(bytes.error()));
  auto opened = symbolize::Module::own(std::move(*bytes));
  if (!opened) return std::unexpected(fmt::format("{}: {}", key.readable, opened.error()));
  return keep(node, std::make_shared<const symbolize::Module>(std::move(*opened)), payload);
}

std::shared_ptr<OpenModules::Node> OpenModules::node_of(std::string name) {
  Nodes dropped;  // freed without the lock
  const std::scoped_lock lock(mutex_);
  if (const auto found = by_name_.find(name); found != by_name_.end()) {
    nodes_.splice(nodes_.begin(), nodes_, found->second);
    return nodes_.front();
  }
  const auto node = std::make_shared<Node>();
  node->name = std::move(name);
  nodes_.push_front(node);
  by_name_.emplace(node->name, nodes_.begin());
  bytes_ += kNodeOverhead;
  shrink(dropped);
  return node;
}

OpenModule OpenModules::keep(const std::shared_ptr<Node>& node, OpenModule module, const store::Sha256& payload) {
  Nodes dropped;  // freed without the lock
  OpenModule before;
  const std::scoped_lock lock(mutex_);
  const auto found = by_name_.find(node->name);
  if (found == by_name_.end() || *found->second != node) return module;  // dropped while it was opened
  before = std::exchange(node->module, module);
  node->payload = payload;
  node->look_again = now_() + kLookAgain;
  if (before) bytes_ -= before->cache().size();
  bytes_ += module->cache().size();
  shrink(dropped);
  return module;
}

void OpenModules::shrink(Nodes& dropped) {
  while (bytes_ > budget_ && !nodes_.empty()) {
    const auto last = std::prev(nodes_.end());
    bytes_ -= kNodeOverhead + ((*last)->module ? (*last)->module->cache().size() : 0);
    by_name_.erase((*last)->name);
    dropped.splice(dropped.end(), nodes_, last);
  }
}

std::uint64_t OpenModules::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

OpenModuleStats OpenModules::stats() const {
  const std::scoped_lock lock(mutex_);
  return {nodes_.size(), bytes_, hits_, misses_};
}

std::size_t OpenModules::size() const {
  const std::scoped_lock lock(mutex_);
  return nodes_.size();
}

}  // namespace symcached::service
