/// Input: JSON up to the first NUL, then paths, a line each. Every URL is compared with what all rules, tried one after
/// the other, come to.
#include "object/managed/source_link.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/ascii.hpp"

namespace {

using symcached::lower_ascii;
using symcached::object::SourceLink;

constexpr std::size_t kMaxPaths = 64;

const SourceLink::Rule* best_rule(const SourceLink& link, std::string_view document) {
  const std::string path = lower_ascii(document);
  const SourceLink::Rule* best = nullptr;
  std::size_t best_size = 0;
  for (const SourceLink::Rule& rule : link.rules()) {
    const std::string pattern = lower_ascii(rule.path);
    const bool prefix = pattern.ends_with('*');
    if (!prefix && pattern == path) return &rule;
    if (!prefix || !path.starts_with(pattern.substr(0, pattern.size() - 1))) continue;
    if (pattern.size() > best_size) best = &rule, best_size = pattern.size();
  }
  return best;
}

void check(const SourceLink& link, std::string_view document) {
  const auto url = link.url_of(document);
  const SourceLink::Rule* const rule = document.empty() ? nullptr : best_rule(link, document);
  if (url.has_value() != (rule != nullptr)) std::abort();
  if (rule == nullptr) return;
  const std::size_t star = rule->url.find('*');
  const std::string_view front = std::string_view(rule->url).substr(0, star);
  const std::string_view back = star == rule->url.npos ? "" : std::string_view(rule->url).substr(star + 1);
  if (!url->starts_with(front) || !url->ends_with(back) || url->size() < front.size() + back.size()) std::abort();
  if (star == rule->url.npos && *url != rule->url) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::size_t end = input.find('\0');
  const auto link = SourceLink::parse(input.substr(0, end));
  if (!link) return 0;
  std::string_view paths = end == input.npos ? std::string_view() : input.substr(end + 1);
  for (std::size_t i = 0; i < kMaxPaths && !paths.empty(); ++i) {
    const std::size_t line = std::min(paths.find('\n'), paths.size());
    check(*link, paths.substr(0, line));
    paths.remove_prefix(std::min(line + 1, paths.size()));
  }
  for (std::size_t i = 0; i < std::min(link->rules().size(), kMaxPaths); ++i) {
    const std::string& path = link->rules()[i].path;
    check(*link, path);
    check(*link, path.substr(0, path.size() - 1));
    check(*link, path.substr(0, path.size() - 1) + "x\\y z");
  }
  return 0;
}
