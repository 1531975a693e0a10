#include "formats/macho/bcsymbolmap.hpp"

#include <algorithm>
#include <charconv>

namespace symcached::macho {
namespace {

constexpr std::string_view kHidden = "__hidden#";

/// The number in `text`, which starts behind a "__hidden#", and how much of the text it takes with its underscore.
struct Hidden {
  std::uint32_t line = 0;
  std::size_t size = 0;  ///< 0 = not of this form
};
Hidden number_of(std::string_view text) {
  Hidden found;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, found.line);
  if (error == std::errc() && rest != end && *rest == '_')
    found.size = static_cast<std::size_t>(rest - text.data()) + 1;
  return found;
}

/// Lines of names that the linker must leave as they are, such as Objective-C's, begin with \1.
std::string_view without_mark(std::string_view line) { return line.starts_with('\1') ? line.substr(1) : line; }

}  // namespace

bool is_hidden(std::string_view text) { return text.find(kHidden) != std::string_view::npos; }

Read<SymbolMap> SymbolMap::open(Bytes file) {
  std::string_view text = as_text(file);
  if (!text.starts_with(kSymbolMapMagic)) return bad_value("bcsymbolmap.heading", 0, 0);
  const auto next_line = [&] {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
  };
  const std::string_view version = next_line().substr(kSymbolMapMagic.size());
  if (version != " 1.0" && version != " 2.0") return bad_value("bcsymbolmap.version", kSymbolMapMagic.size(), 0);
  const auto count = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (count > kMaxMapLines) return too_large("bcsymbolmap.lines", kSymbolMapMagic.size(), count, kMaxMapLines);
  SymbolMap map;
  map.lines_.reserve(count + 1);
  while (!text.empty()) map.lines_.push_back(next_line());
  return map;
}

std::string SymbolMap::revealed(std::string_view text) const {
  std::string out;
  for (;;) {
    const std::size_t at = text.find(kHidden);
    out += text.substr(0, at);
    if (at == std::string_view::npos || out.size() > kMaxRevealed) return out += text.substr(std::min(at, text.size()));
    text.remove_prefix(at);
    const Hidden hidden = number_of(text.substr(kHidden.size()));
    if (hidden.size == 0 || hidden.line >= lines_.size() || lines_[hidden.line].size() > kMaxRevealed - out.size()) {
      out += kHidden;
      text.remove_prefix(kHidden.size());
      continue;
    }
    const std::string_view line = without_mark(lines_[hidden.line]);
    if (line.starts_with('/')) out.clear();
    out += line;
    text.remove_prefix(kHidden.size() + hidden.size);
  }
}

std::string_view SymbolMap::symbol_name(std::string_view name) const {
  const bool underscored = name.starts_with("___hidden#");
  const std::string_view rest = underscored ? name.substr(1) : name;
  if (!rest.starts_with(kHidden)) return without_underscore(name);
  const Hidden hidden = number_of(rest.substr(kHidden.size()));
  if (hidden.size == 0 || hidden.size != rest.size() - kHidden.size() || hidden.line >= lines_.size())
    return without_underscore(name);
  const std::string_view line = lines_[hidden.line];
  if (line.size() > kMaxRevealed) return without_underscore(name);
  if (line.starts_with('\1')) return line.substr(1);
  return underscored ? line : without_underscore(line);
}

}  // namespace symcached::macho
