#pragma once
/// Types of values: how each is read from a file, checked, and written. A field refers to the value it fills.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/report.hpp"
#include "config/yaml.hpp"
#include "sources/source_config.hpp"
#include "store/limits.hpp"

namespace symcached::config {

enum class Secrets : std::uint8_t { shown, hidden };

inline constexpr std::string_view kHidden = "***";

struct Field {
  std::string type;         ///< for people: "size", "time, 1s to 30d"
  bool takes_null = false;  ///< a null is a value of its own; otherwise it counts as not given
  /// @param key  what messages begin with
  std::function<void(const Node& value, const std::string& key, Report& report)> read;
  std::function<Node(Secrets)> write;
};

struct Bounds {
  std::uint64_t lowest = 0, highest = 0;
};
struct TimeBounds {
  std::chrono::milliseconds lowest{0}, highest = std::chrono::days(36'500);
};

/// One scalar; of a URL in it the credentials are a secret. `set` returns what is wrong with a text; `get` nothing for
/// a null.
using SetText = std::function<std::string(const std::string& text)>;
using GetText = std::function<std::optional<std::string>()>;
Field scalar(std::string type, SetText set, GetText get);

Field text(std::string& value);
/// The fields whose value may be a null, which is nothing. @param null  what that means, for people
Field text_or_null(std::optional<std::string>& value, std::string_view null);
Field secret(std::string& value);
Field address(std::string& value, bool may_be_empty);
Field server(std::string& value);  ///< HOST:PORT, or empty
Field flag(bool& value);
Field texts(std::vector<std::string>& value);
Field prefixes(std::vector<std::string>& value);     ///< of URL paths: "/team/symbols"
Field headers(std::vector<sources::Header>& value);  ///< their values are secrets
Field decimal(double& value, double highest);
Field url(std::string& value);  ///< http or https
Field free_space(store::FreeSpace& value);

/// @param names  the spellings, those that are written first; several may mean one value
template <class Enum>
using Choices = std::vector<std::pair<std::string_view, Enum>>;
Field choice_of_texts(std::vector<std::string_view> names, std::function<void(std::size_t)> set,
                      std::function<std::size_t()> get);
template <class Enum>
Field choice(Enum& value, Choices<Enum> choices) {
  std::vector<std::string_view> names;
  for (const auto& [name, meaning] : choices) names.push_back(name);
  const auto get = [&value, choices] {
    std::size_t i = 0;
    while (choices[i].second != value) ++i;
    return i;
  };
  return choice_of_texts(names, [&value, choices](std::size_t i) { value = choices[i].second; }, get);
}

Field whole_number(Bounds bounds, std::function<void(std::uint64_t)> set, std::function<std::uint64_t()> get);
template <class Number>
Field number(Number& value, Bounds bounds) {
  return whole_number(
      bounds, [&value](std::uint64_t n) { value = static_cast<Number>(n); },
      [&value] { return static_cast<std::uint64_t>(value); });
}

/// @param unit  bytes; values are multiples of it
Field byte_count(Bounds bounds, std::uint64_t unit, std::function<void(std::uint64_t)> set,
                 std::function<std::uint64_t()> get);
template <class Number>
Field size(Number& value, Bounds bounds) {
  return byte_count(
      bounds, 1, [&value](std::uint64_t n) { value = static_cast<Number>(n); },
      [&value] { return static_cast<std::uint64_t>(value); });
}
Field size_in_mebibytes(std::uint64_t& value, Bounds mebibytes);
Field size_or_null(std::optional<std::uint64_t>& value, std::string_view null);

/// @param unit  values are multiples of it
Field time_span(TimeBounds bounds, std::chrono::milliseconds unit, std::function<void(std::chrono::milliseconds)> set,
                std::function<std::chrono::milliseconds()> get);
template <class Unit>
Field time(Unit& value, TimeBounds bounds) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return time_span(
      bounds, Unit(1), [&value](milliseconds t) { value = duration_cast<Unit>(t); },
      [&value] { return milliseconds(value); });
}
/// In a number that counts `Unit`s.
template <class Unit, class Number>
Field time_in(Number& value, TimeBounds bounds) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  return time_span(
      bounds, Unit(1), [&value](milliseconds t) { value = static_cast<Number>(duration_cast<Unit>(t).count()); },
      [&value] { return milliseconds(Unit(value)); });
}
template <class Unit>
Field time_or_null(std::optional<Unit>& value, TimeBounds bounds, std::string_view null) {
  const auto inner = std::make_shared<Unit>(value.value_or(Unit(0)));
  Field field = time(*inner, bounds);
  field.type.append("; null: ").append(null);
  field.takes_null = true;
  field.read = [inner, &value, read = field.read](const Node& node, const std::string& key, Report& report) {
    if (node.is_null()) {
      value.reset();
      return;
    }
    read(node, key, report);
    value = *inner;
  };
  field.write = [&value, inner, write = field.write](Secrets secrets) {
    if (!value) return Node{};
    *inner = *value;
    return write(secrets);
  };
  return field;
}

/// "wanted a text, found a list"
std::string wanted(std::string_view what, const Node& found);

}  // namespace symcached::config
