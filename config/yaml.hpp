#pragma once
/// YAML as a tree with line numbers. Input is hostile: size, depth and what aliases multiply are bounded.
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace symcached::config {

inline constexpr std::size_t kMaxYaml = 256 << 10;    ///< bytes of a file
inline constexpr std::size_t kMaxNodes = 20'000;      ///< values, those that aliases repeat included
inline constexpr std::size_t kMaxYamlText = 4 << 20;  ///< bytes of all keys and values, repeated ones included
inline constexpr std::size_t kMaxYamlDepth = 16;      ///< maps and lists inside of each other

struct Node {
  enum class Kind : unsigned char { null, scalar, sequence, map } kind = Kind::null;
  int line = 0;           ///< 1-based, of its key if it has one; 0: from no file
  std::string key = {};   ///< of a value in a map
  std::string text = {};  ///< of a scalar
  std::vector<Node> items = {};

  static Node scalar(std::string text) { return {Kind::scalar, 0, {}, std::move(text), {}}; }
  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_map() const { return kind == Kind::map; }
};

/// "nothing", "text", "a list" or "a map": for messages.
std::string_view kind_name(const Node& node);

struct Problem {
  int line = 0;  ///< 0: of no line
  std::string text;
};

/// One document. Nothing in it: a null. Two values under one key are an error.
std::expected<Node, Problem> parse_yaml(std::string_view text);

/// Block style, ends with a line feed; what parse_yaml() reads back. `indent` blanks begin each line.
/// An empty list or map, a null and a scalar are one line, to be put after "key: ".
std::string yaml_text(const Node& node, std::size_t indent);

/// As a scalar of YAML: in double quotes where it must be.
std::string yaml_scalar(std::string_view text);

}  // namespace symcached::config
