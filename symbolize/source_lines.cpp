#include "symbolize/source_lines.hpp"

#include <type_traits>

#include "base/utf8.hpp"
#include "symbolize/source_encoding.hpp"

namespace symcached::symbolize {
namespace {

template <class Encoding>
void append_line(Bytes line, std::string& out) {
  if (std::is_same_v<Encoding, Utf8> && is_utf8(as_text(line))) return void(out += as_text(line));
  while (!line.empty()) {
    const Character c = Encoding::decode(line);
    append_utf8(out, c.code);
    line = line.subspan(c.size);
  }
}

}  // namespace

SourceLines::SourceLines(Bytes source) {
  text_.reserve(source.size());
  with_encoding(source, [this]<class Encoding>(Bytes text, Encoding) {
    for (std::size_t at = 0; at < text.size();) {
      const LineEnd end = Encoding::line_end(text, at);
      const auto begin = static_cast<std::uint32_t>(text_.size());
      append_line<Encoding>(text.subspan(at, end.end - at), text_);
      lines_.push_back({begin, static_cast<std::uint32_t>(text_.size())});
      at = end.next;
    }
  });
  lines_.shrink_to_fit();
}

std::string_view SourceLines::line(std::uint32_t number) const {
  const Line& line = lines_[number - 1];
  return std::string_view(text_).substr(line.begin, line.end - line.begin);
}

}  // namespace symcached::symbolize
