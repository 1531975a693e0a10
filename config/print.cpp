#include "config/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "config/environment.hpp"
#include "config/schema.hpp"

namespace symcached::config {
namespace {

constexpr std::size_t kWidth = 100;  ///< columns of comments

/// So that parse() finds no variables in it.
Node without_variables(Node node) {
  node.text = unexpanded(node.text);
  for (Node& item : node.items) item = without_variables(std::move(item));
  return node;
}

std::string comment(const Row& row, std::size_t indent) {
  std::string rest = fmt::format("{} [{}]", row.help, row.field.type);
  const std::string start = std::string(indent, ' ') + "# ";
  std::string out;
  while (start.size() + rest.size() > kWidth) {
    const std::size_t blank = std::min(rest.rfind(' ', kWidth - start.size()), rest.find(' ', kWidth - start.size()));
    if (blank == rest.npos) break;
    out += start + rest.substr(0, blank) + "\n";
    rest.erase(0, blank + 1);
  }
  out += start + rest + "\n";
  return out;
}

/// Opens the maps that `key` lies in and the row before did not. @return the depth of the key
std::size_t open_maps(std::string& out, const std::string& key, const std::string& before) {
  std::size_t depth = 0;
  bool differs = false;
  for (std::size_t start = 0, dot; (dot = key.find('.', start)) != key.npos; start = dot + 1, ++depth) {
    differs = differs || before.substr(0, dot + 1) != key.substr(0, dot + 1);
    if (differs) out += std::string(2 * depth, ' ') + key.substr(start, dot - start) + ":\n";
  }
  return depth;
}

std::string one_line(const Node& node) {
  std::string text = yaml_text(node, 0);
  text.pop_back();
  return text;
}

std::string cells_of(const Row& row) {
  const std::string state = row.use == Use::restart ? " (restart)" : "";
  return fmt::format("{} | `{}` | {}{} |\n", row.field.type, one_line(row.field.write(Secrets::shown)), row.help,
                     state);
}

}  // namespace

std::string print(Config config, Secrets secrets) {
  std::string out, before;
  for (const Row& row : rows_of(config)) {
    const std::size_t indent = 2 * open_maps(out, row.key, before);
    before = row.key;
    const Node value = without_variables(row.field.write(secrets));
    out += comment(row, indent) + std::string(indent, ' ') + row.key.substr(row.key.rfind('.') + 1) + ":";
    out += value.items.empty() ? " " + yaml_text(value, 0) : "\n" + yaml_text(value, indent + 2);
  }
  return out;
}

std::string table_of_keys() {
  Config config;
  std::string out = "| key | value | default | meaning |\n| --- | --- | --- | --- |\n";
  for (const Row& row : rows_of(config)) out += fmt::format("| `{}` | {}", row.key, cells_of(row));
  return out;
}

std::string table_of_source_keys() {
  struct Line {
    std::string key, cells;
    std::vector<std::string_view> types;
  };
  std::vector<Line> all;
  for (const SourceType& type : source_types()) {
    sources::SourceConfig source = default_source("", type);
    for (const Row& row : rows_of(source)) {
      auto line = std::ranges::find(all, row.key, &Line::key);
      if (line == all.end()) line = all.insert(line, Line{row.key, cells_of(row), {}});
      line->types.push_back(type.name);
    }
  }
  std::string out = "| key | of | value | default | meaning |\n| --- | --- | --- | --- | --- |\n";
  for (const Line& line : all) {
    const bool of_all = line.types.size() == source_types().size();
    out += fmt::format("| `{}` | {} | {}", line.key, of_all ? "all" : fmt::format("{}", fmt::join(line.types, ", ")),
                       line.cells);
  }
  return out;
}

}  // namespace symcached::config
