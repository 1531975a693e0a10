#include "symbolize/source_context.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/utf8.hpp"
#include "symbolize/source_encoding.hpp"

namespace symcached::symbolize {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

/// Of one line's text, in the file without its byte order mark.
struct LineRange {
  std::uint64_t number;
  std::size_t begin, end;
};

template <class Encoding>
std::string line_text(Bytes line) {
  std::string out;
  while (!line.empty()) {
    const Character c = Encoding::decode(line);
    const std::size_t before = out.size();
    append_utf8(out, c.code);
    if (out.size() > kMaxContextLine) return out.substr(0, before).append(kEllipsis);
    line = line.subspan(c.size);
  }
  return out;
}

/// Lines not further than `around` from a wanted one.
/// @param wanted  sorted
template <class Encoding>
std::vector<LineRange> find_lines(Bytes text, std::span<const std::uint64_t> wanted, std::uint64_t around) {
  std::vector<LineRange> found;
  std::uint64_t number = 1;
  for (std::size_t at = 0; at < text.size(); ++number) {
    while (!wanted.empty() && wanted.front() + around < number) wanted = wanted.subspan(1);
    if (wanted.empty()) break;
    const LineEnd end = Encoding::line_end(text, at);
    if (number + around >= wanted.front()) found.push_back({number, at, end.end});
    at = end.next;
  }
  return found;
}

template <class Encoding>
std::vector<std::optional<SourceContext>> contexts(Bytes text, std::span<const std::uint32_t> lines,
                                                   std::uint64_t around) {
  std::vector<std::uint64_t> wanted(lines.begin(), lines.end());
  std::ranges::sort(wanted);
  const std::vector<LineRange> found = find_lines<Encoding>(text, wanted, around);
  std::vector<std::optional<SourceContext>> all;
  all.reserve(lines.size());
  for (const std::uint64_t line : lines) {
    auto& context = all.emplace_back();
    const auto middle = std::ranges::lower_bound(found, line, {}, &LineRange::number);
    if (middle == found.end() || middle->number != line) continue;
    const auto shown = [&](const LineRange& range) {
      return line_text<Encoding>(text.subspan(range.begin, range.end - range.begin));
    };
    context.emplace().line = shown(*middle);
    // Around a line that was found there are no gaps.
    const auto first = middle - static_cast<std::ptrdiff_t>(std::min(around, line - 1));
    const auto rest = static_cast<std::uint64_t>(found.end() - middle) - 1;
    const auto last = middle + 1 + static_cast<std::ptrdiff_t>(std::min(around, rest));
    for (auto at = first; at != middle; ++at) context->before.push_back(shown(*at));
    for (auto at = middle + 1; at != last && at->number <= line + around; ++at) context->after.push_back(shown(*at));
  }
  return all;
}

}  // namespace

std::vector<std::optional<SourceContext>> source_contexts(Bytes source, std::span<const std::uint32_t> lines,
                                                          std::uint32_t around) {
  around = std::min(around, kMaxContextLines);
  return with_encoding(source,
                       [&]<class Encoding>(Bytes text, Encoding) { return contexts<Encoding>(text, lines, around); });
}

std::optional<SourceContext> source_context(Bytes source, std::uint32_t line, std::uint32_t around) {
  return std::move(source_contexts(source, {&line, 1}, around).front());
}

}  // namespace symcached::symbolize
