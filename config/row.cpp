#include "config/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace symcached::config {
namespace {

constexpr std::size_t kLongestCompared = 64;  ///< bytes of a key; no key of ours is as long

bool is_below(std::string_view key, std::string_view group) {
  return key.size() > group.size() && key.starts_with(group) && key[group.size()] == '.';
}

/// Insertions, deletions and replacements that make one of the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t before = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = before + (a[i] == b[j] ? 0 : 1);
      before = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, before + 1});
    }
  }
  return row.back();
}

std::string_view last_part(std::string_view key) { return key.substr(key.rfind('.') + 1); }

class Reader {
 public:
  Reader(const Rows& rows, const std::string& prefix, const OtherKeys& others, Report& report)
      : rows_(rows), prefix_(prefix), others_(others), report_(report) {}

  void read(const Node& map, const std::string& above) {
    for (const Node& item : map.items) {
      if (report_.full()) return;
      read_item(item, above + item.key);
    }
  }

 private:
  void read_item(const Node& item, const std::string& key) {
    bool known = false;
    for (const Row& row : rows_)
      if (row.key == key) known = take(row, item, key);
    for (const Alias& alias : others_.aliases)
      if (alias.key == key) known = take(*std::ranges::find(rows_, alias.target, &Row::key), item, key);
    if (known) return;
    if (const auto found = std::ranges::find(others_.ignored, key, &Ignored::key); found != others_.ignored.end())
      return report_.warning(item.line, fmt::format("{}{}: ignored; {}", prefix_, key, found->why));
    if (!is_group(key)) return unknown(item, key);
    if (item.is_map()) read(item, key + ".");
    else if (!item.is_null()) report_.error(item.line, fmt::format("{}{}: {}", prefix_, key, wanted("a map", item)));
  }

  bool take(const Row& row, const Node& item, const std::string& key) {
    const auto [found, is_new] = given_.try_emplace(row.key, Given{item.line, key});
    if (!is_new) {
      report_.error(item.line, fmt::format("{}{}: the same as {} in line {}; remove one", prefix_, key,
                                           found->second.key, found->second.line));
      return true;
    }
    if (item.is_null() && !row.field.takes_null) return true;
    row.field.read(item, prefix_ + key, report_);
    return true;
  }

  bool is_group(std::string_view key) const {
    const auto below = [&](std::string_view one) { return is_below(one, key); };
    return std::ranges::any_of(rows_, below, &Row::key) || std::ranges::any_of(others_.aliases, below, &Alias::key) ||
           std::ranges::any_of(others_.ignored, below, &Ignored::key);
  }

  void unknown(const Node& item, const std::string& key) {
    std::vector<std::string_view> names;
    for (const Row& row : rows_)
      for (std::size_t dot = 0; dot != row.key.npos; names.push_back(std::string_view(row.key).substr(0, dot)))
        dot = row.key.find('.', dot + 1);
    for (const Alias& alias : others_.aliases) names.push_back(alias.key);
    report_.error(item.line,
                  fmt::format("{}{}: unknown key; the nearest is {}{}", prefix_, key, prefix_, nearest(key, names)));
  }

  struct Given {
    int line;
    std::string key;
  };

  const Rows& rows_;
  const std::string& prefix_;
  const OtherKeys& others_;
  Report& report_;
  std::map<std::string, Given, std::less<>> given_;  ///< by the row's key
};

/// The map that `key` belongs into, made where it is missing. @return it and the last part of the key
std::pair<Node*, std::string_view> place_of(Node& root, std::string_view key) {
  Node* map = &root;
  for (std::size_t dot; (dot = key.find('.')) != key.npos; key.remove_prefix(dot + 1)) {
    const std::string_view name = key.substr(0, dot);
    auto found = std::ranges::find(map->items, name, &Node::key);
    if (found == map->items.end())
      found = map->items.insert(found, Node{Node::Kind::map, 0, std::string(name), {}, {}});
    map = &*found;
  }
  return {map, key};
}

}  // namespace

void read_rows(const Node& map, const Rows& rows, const std::string& prefix, const OtherKeys& others, Report& report) {
  if (map.is_null()) return;
  if (!map.is_map()) return report.error(map.line, fmt::format("{}{}", prefix, wanted("a map of keys", map)));
  Reader(rows, prefix, others, report).read(map, "");
}

Node write_rows(const Rows& rows, Secrets secrets) {
  Node root{Node::Kind::map};
  for (const Row& row : rows) {
    Node value = row.field.write(secrets);
    const auto [map, name] = place_of(root, row.key);
    value.key = name;
    map->items.push_back(std::move(value));
  }
  return root;
}

bool is_ignored(std::string_view key, std::span<const Ignored> ignored) {
  return std::ranges::any_of(ignored, [&](const Ignored& i) { return key == i.key || is_below(key, i.key); });
}

std::string_view nearest(std::string_view name, std::span<const std::string_view> names) {
  name = name.substr(0, kLongestCompared);
  std::string_view best;
  std::size_t least = SIZE_MAX;
  for (const std::string_view candidate : names) {
    // In the wrong map, but spelt nearly right, is nearer than another word in the right one.
    const std::size_t far = std::min(distance(name, candidate), distance(last_part(name), last_part(candidate)) + 1);
    if (far >= least) continue;
    least = far;
    best = candidate;
  }
  return best;
}

}  // namespace symcached::config
