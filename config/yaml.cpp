#include "config/yaml.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>

#include "base/utf8.hpp"

namespace symcached::config {
namespace {

/// Thrown through yaml-cpp, which is written for that.
[[noreturn]] void refuse(int line, std::string why) { throw Problem{line, std::move(why)}; }

/// Builds the tree. Values under way lie on a stack, the innermost on top.
class TreeBuilder final : public YAML::EventHandler {
 public:
  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(Node{Node::Kind::null, mark.line + 1}, anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    Node node = Node::scalar(value);
    node.line = mark.line + 1;
    add(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) refuse(mark.line + 1, "an alias to a value that contains it");
    count(found->second, mark.line + 1);
    place(found->second, mark.line + 1);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::sequence, mark.line + 1, anchor);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark.line + 1, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Node node;
    YAML::anchor_t anchor;
    int key_line = 0;
    std::optional<std::string> key = {};              ///< of a map: read, its value comes next
    std::unordered_map<std::string, int> lines = {};  ///< of a map: where each key stands
  };

  void open(Node::Kind kind, int line, YAML::anchor_t anchor) {
    if (stack_.size() == kMaxYamlDepth) refuse(line, fmt::format("more than {} levels", kMaxYamlDepth));
    if (!stack_.empty() && stack_.back().node.is_map() && !stack_.back().key)
      refuse(line, "a key must be text, not a list or a map");
    stack_.push_back({Node{kind, line}, anchor});
  }

  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    add(std::move(done.node), done.anchor);
  }

  void add(Node node, YAML::anchor_t anchor) {
    const int line = node.line;
    if (++nodes_ > kMaxNodes || (text_ += node.text.size()) > kMaxYamlText) refuse(line, "too many values");
    if (anchor != 0) {
      count(node, line);
      anchors_[anchor] = node;
    }
    place(std::move(node), line);
  }

  /// What a copy of `node` adds.
  void count(const Node& node, int line) {
    if (++nodes_ > kMaxNodes || (text_ += node.text.size() + node.key.size()) > kMaxYamlText)
      refuse(line, "too many values; aliases count as often as they are used");
    for (const Node& item : node.items) count(item, line);
  }

  void place(Node node, int line) {
    if (stack_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = stack_.back();
    if (parent.node.is_map() && !parent.key) {
      begin_key(parent, std::move(node), line);
      return;
    }
    if (parent.node.is_map()) {
      node.key = *std::exchange(parent.key, std::nullopt);
      node.line = parent.key_line;
    }
    parent.node.items.push_back(std::move(node));
  }

  void begin_key(Open& map, Node key, int line) {
    if (!key.is_scalar()) refuse(line, "a key must be text");
    const auto [found, is_new] = map.lines.emplace(key.text, line);
    if (!is_new) refuse(line, fmt::format("\"{}\" is given twice, first in line {}", key.text, found->second));
    map.key = std::move(key.text);
    map.key_line = line;
  }

  Node root_;
  std::vector<Open> stack_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t nodes_ = 0, text_ = 0;
};

bool is_plain(std::string_view text) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' || c == '_';
  };
  if (text.empty() || !is_word(text.front()) || text.back() == ':') return false;
  if (text == "null" || text == "Null" || text == "NULL") return false;
  return std::ranges::all_of(text,
                             [&](char c) { return is_word(c) || std::string_view(".:-+%").find(c) != text.npos; });
}

}  // namespace

std::string_view kind_name(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::scalar: return "text";
    case Node::Kind::sequence: return "a list";
    case Node::Kind::map: return "a map";
  }
  return "";
}

std::expected<Node, Problem> parse_yaml(std::string_view text) {
  if (text.size() > kMaxYaml)
    return std::unexpected(Problem{0, fmt::format("{} bytes; at most {} are read", text.size(), kMaxYaml)});
  if (!is_utf8(text)) return std::unexpected(Problem{0, "not UTF-8"});
  std::istringstream in{std::string(text)};
  TreeBuilder builder;
  try {
    YAML::Parser parser(in);
    if (!parser.HandleNextDocument(builder)) return Node{};
    TreeBuilder rest;
    if (parser.HandleNextDocument(rest))
      return std::unexpected(Problem{0, "more than one document; remove the \"---\""});
    return builder.take();
  } catch (Problem& problem) {
    return std::unexpected(std::move(problem));
  } catch (const YAML::Exception& error) {
    return std::unexpected(Problem{error.mark.line + 1, fmt::format("not YAML: {}", error.msg)});
  }
}

std::string yaml_scalar(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += {'\\', c};
    else if (c == '\n') out += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) out += fmt::format("\\x{:02x}", c);
    else out += c;
  }
  return out + '"';
}

std::string yaml_text(const Node& node, std::size_t indent) {
  if (node.is_null()) return "null\n";
  if (node.is_scalar()) return yaml_scalar(node.text) + "\n";
  if (node.items.empty()) return node.is_map() ? "{}\n" : "[]\n";
  std::string out;
  const std::string blanks(indent, ' ');
  for (const Node& item : node.items) {
    const bool is_block = !item.items.empty();
    out += blanks + (node.is_map() ? yaml_scalar(item.key) + ":" : "-");
    if (!is_block) {
      out += " " + yaml_text(item, 0);
    } else if (node.is_map()) {
      out += "\n" + yaml_text(item, indent + 2);
    } else {  // the first line of a map in a list stands beside the dash
      out += " " + yaml_text(item, indent + 2).substr(indent + 2);
    }
  }
  return out;
}

}  // namespace symcached::config
