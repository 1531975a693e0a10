#include "store/negatives.hpp"

#include <utility>

#include "base/overloaded.hpp"

namespace symcached::store {
namespace {

/// Cuts the texts to what may be kept.
void trim(Negative& negative) {
  std::visit(overloaded{[](Absent& absent) {
                          absent.worth_keeping = false;
                          absent.asked = one_line(absent.asked, kMaxIdentity);
                        },
                        [](auto& failed) {
                          failed.why = one_line(failed.why, kMaxReason);
                          failed.identity = one_line(failed.identity, kMaxIdentity);
                        }},
             negative);
}

}  // namespace

TimePoint checked(const Negative& negative) {
  return std::visit([](const auto& n) { return n.checked; }, negative);
}

std::size_t Negatives::bytes_of(const Node& node) {
  const std::size_t texts =
      std::visit(overloaded{[](const Absent& absent) { return absent.asked.size(); },
                            [](const auto& failed) { return failed.why.size() + failed.identity.size(); }},
                 node.negative);
  return node.name.size() + texts + kNegativeOverhead;
}

void Negatives::put(const std::string& name, Negative negative) {
  trim(negative);
  std::list<Node> fresh;
  fresh.push_back({name, std::move(negative)});
  const std::scoped_lock lock(mutex_);
  if (const auto found = by_name_.find(name); found != by_name_.end()) erase(found->second);
  by_name_.emplace(fresh.front().name, fresh.begin());
  nodes_.splice(nodes_.begin(), fresh);
  bytes_ += bytes_of(nodes_.front());
  while (!nodes_.empty() && (nodes_.size() > limits_.entries || bytes_ > limits_.bytes)) erase(std::prev(nodes_.end()));
}

std::optional<Negative> Negatives::find(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  Node& node = *found->second;
  nodes_.splice(nodes_.begin(), nodes_, found->second);
  Negative negative = node.negative;
  if (auto* absent = std::get_if<Absent>(&negative)) absent->worth_keeping = !std::exchange(node.asked_again, true);
  return negative;
}

std::optional<Negative> Negatives::peek(std::string_view name) const {
  const std::scoped_lock lock(mutex_);
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::nullopt : std::optional(found->second->negative);
}

void Negatives::drop(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = by_name_.find(name); found != by_name_.end()) erase(found->second);
}

void Negatives::clear() {
  const std::scoped_lock lock(mutex_);
  by_name_.clear();
  nodes_.clear();
  bytes_ = 0;
}

void Negatives::erase(std::list<Node>::iterator node) {
  bytes_ -= bytes_of(*node);
  by_name_.erase(node->name);
  nodes_.erase(node);
}

std::size_t Negatives::size() const {
  const std::scoped_lock lock(mutex_);
  return nodes_.size();
}

std::size_t Negatives::bytes() const {
  const std::scoped_lock lock(mutex_);
  return bytes_;
}

}  // namespace symcached::store
