#include "config/load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "config/compatible.hpp"
#include "config/schema.hpp"

namespace symcached::config {
namespace {

/// At most a byte more than is parsed, so that what is too long is seen to be.
std::expected<std::string, std::string> contents_of(const std::filesystem::path& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxYaml + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad() || (file.gcount() == 0 && errno != 0))
    return std::unexpected(fmt::format("cannot be read: {}", std::strerror(errno == 0 ? EIO : errno)));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

void read_into(Loaded& loaded, std::string_view yaml, const Environment& environment) {
  auto root = parse_yaml(yaml);
  if (!root) return loaded.report.error(root.error().line, root.error().text);
  const OtherKeys others = symbolicator_keys();
  expand(*root, environment, others.ignored, loaded.report);
  read_rows(*root, rows_of(loaded.config), "", others, loaded.report);
}

std::vector<std::string> lines(const std::vector<Problem>& problems, std::string_view kind,
                               const std::filesystem::path& path) {
  std::vector<std::string> all;
  for (const Problem& problem : problems) {
    std::string place = path.string();
    if (problem.line != 0) place += fmt::format(":{}", problem.line);
    if (!place.empty()) place += ": ";
    all.push_back(fmt::format("{}{}: {}", place, kind, problem.text));
  }
  return all;
}

}  // namespace

Loaded parse(std::string_view yaml, const Environment& environment) {
  Loaded loaded;
  use_microsofts(loaded.config, environment, loaded.report);
  read_into(loaded, yaml, environment);
  return loaded;
}

Loaded load(const std::filesystem::path& path, const Environment& environment) {
  if (path.empty()) return parse("", environment);
  const auto text = contents_of(path);
  if (text) return parse(*text, environment);
  Loaded loaded;
  loaded.report.error(0, text.error());
  return loaded;
}

std::string assign(Config& config, std::string_view key, const std::string& text) {
  const Rows rows = rows_of(config);
  Report report;
  std::ranges::find(rows, key, &Row::key)->field.read(Node::scalar(text), "", report);
  return report.errors().empty() ? "" : report.errors().front().text.substr(2);  // behind ": ", after no key
}

std::vector<std::string> texts_of(Config config, std::span<const std::string_view> keys) {
  const Rows rows = rows_of(config);
  std::vector<std::string> texts;
  for (const std::string_view key : keys)
    texts.push_back(std::ranges::find(rows, key, &Row::key)->field.write(Secrets::hidden).text);
  return texts;
}

std::vector<std::string> error_lines(const Report& report, const std::filesystem::path& path) {
  return lines(report.errors(), "error", path);
}

std::vector<std::string> warning_lines(const Report& report, const std::filesystem::path& path) {
  return lines(report.warnings(), "warning", path);
}

}  // namespace symcached::config
