#include "config/environment.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/utf8.hpp"
#include "wpt/version.hpp"

namespace symcached::config {
namespace {

bool is_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  return !name.empty() && is_letter(name.front()) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

class Expander {
 public:
  Expander(const Environment& environment, std::span<const Ignored> ignored, Report& report)
      : environment_(environment), ignored_(ignored), report_(report) {}

  void expand(Node& node, const std::string& key) {
    if (is_ignored(key, ignored_)) return;
    if (node.is_scalar() && node.text.find('$') != node.text.npos) {
      if (auto text = expanded(node.text)) {
        node.text = std::move(*text);
      } else {
        report_.error(node.line, fmt::format("{}: {}", key, text.error()));
        node = {Node::Kind::null, node.line, std::move(node.key), {}, {}};
      }
    }
    for (Node& item : node.items) expand(item, item.key.empty() ? key : key.empty() ? item.key : key + '.' + item.key);
  }

 private:
  std::expected<std::string, std::string> expanded(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      const std::size_t dollar = std::min(text.find('$'), text.size());
      out += text.substr(0, dollar);
      text.remove_prefix(dollar);
      if (text.starts_with("$$")) {
        out += '$';
        text.remove_prefix(2);
      } else if (text.starts_with("${")) {
        const std::size_t end = text.find('}');
        const std::string name(text.substr(2, end == text.npos ? 0 : end - 2));
        if (!is_name(name)) return std::unexpected("write ${NAME} for a variable, or $$ for a dollar sign");
        if (auto why = append(out, name); !why.empty()) return std::unexpected(std::move(why));
        text.remove_prefix(end + 1);
      } else if (!text.empty()) {
        out += '$';
        text.remove_prefix(1);
      }
    }
    return out;
  }

  std::string append(std::string& out, const std::string& name) {
    const auto value = environment_(name);
    if (!value) return fmt::format("the environment variable {} is not set", name);
    if (!is_utf8(*value)) return fmt::format("the environment variable {} is not UTF-8", name);
    if ((added_ += value->size()) > kMaxYamlText) return "the values of environment variables are too long";
    out += *value;
    return {};
  }

  const Environment& environment_;
  const std::span<const Ignored> ignored_;
  Report& report_;
  std::size_t added_ = 0;
};

void use_symbol_server(Config& config, const std::string& url, Report& report) {
  if (!url.starts_with("http://") && !url.starts_with("https://"))
    return report.error(0, "the environment variable SymbolServer: write a URL that begins with http:// or https://");
  config.sources.push_back({.id = "SymbolServer", .location = sources::HttpPlace{.url = url}});
}

void use_transcoder(Config& config, const std::string& path, std::string version, Report& report) {
  if (version.starts_with('v')) version.erase(0, 1);
  const auto parsed = wpt::Version::parse(version);
  if (!parsed)
    return report.error(0,
                        "the environment variable TranscoderVersion: write the version of the transcoder's format, "
                        "such as 3.1.0");
  config.symcache.transcoders[parsed->major_part] = {.version = parsed->to_string(), .program = {.command = {path}}};
}

}  // namespace

std::optional<std::string> of_process(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

void expand(Node& root, const Environment& environment, std::span<const Ignored> ignored, Report& report) {
  Expander(environment, ignored, report).expand(root, "");
}

std::string unexpanded(std::string_view text) {
  std::string out;
  for (const char c : text) out.append(c == '$' ? 2 : 1, c);
  return out;
}

void use_microsofts(Config& config, const Environment& environment, Report& report) {
  const auto given = [&](const char* name) { return environment(name).value_or(""); };
  if (const std::string directory = given("SymCacheDirectory"); !directory.empty())
    config.symcache.directory = directory;
  if (const std::string url = given("SymbolServer"); !url.empty()) use_symbol_server(config, url, report);
  if (const std::string path = given("TranscoderPath"); !path.empty())
    use_transcoder(config, path, given("TranscoderVersion"), report);
}

}  // namespace symcached::config
