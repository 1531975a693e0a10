#pragma once
/// Tables of keys, and what works on any such table.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/fields.hpp"
#include "config/report.hpp"
#include "config/yaml.hpp"

namespace symcached::config {

/// When a new value of a key counts.
enum class Use : std::uint8_t {
  live,     ///< at a reload
  restart,  ///< when the server is started
};

struct Row {
  std::string key;  ///< with dots between maps: "caches.max_size"
  Field field;
  std::string help;
  Use use = Use::live;
};
using Rows = std::vector<Row>;

/// Another name of a key; one with several targets has several of these.
struct Alias {
  std::string_view key, target;
};
/// A key that is accepted and means nothing, or a map with nothing else below it.
struct Ignored {
  std::string_view key, why;
};
struct OtherKeys {
  std::span<const Alias> aliases = {};
  std::span<const Ignored> ignored = {};
};

/// Reads every key of `map` into its field. Unknown keys are errors, new values that nothing acts on are warnings.
/// @param prefix  what keys have before them in messages: "sources.msft."
void read_rows(const Node& map, const Rows& rows, const std::string& prefix, const OtherKeys& others, Report& report);

/// All rows as a map of maps, in their order. Keys below one map stand together.
Node write_rows(const Rows& rows, Secrets secrets);

/// Whether it is one of `ignored`, or below one.
bool is_ignored(std::string_view key, std::span<const Ignored> ignored);

/// The one that fewest letters have to be changed for.
std::string_view nearest(std::string_view name, std::span<const std::string_view> names);

}  // namespace symcached::config
