#include "stacks/source_context.hpp"

#include <algorithm>

namespace symcached::stacks {
namespace {

constexpr std::string_view kSnip = " {snip}";

constexpr bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

}  // namespace

std::string_view cut_line(std::string_view line, std::string& buffer) {
  if (line.size() <= kLongestLine) return line;
  std::size_t characters = 0, end = line.size();
  for (std::size_t at = 0; at < line.size() && characters <= kLongestLine; ++at)
    if (starts_character(line[at]) && characters++ == kCutLine) end = at;
  if (characters <= kLongestLine) return line;
  return buffer.assign(line.substr(0, end)).append(kSnip);
}

bool has_source(const OutFrame& frame) {
  return frame.status == FrameStatus::symbolicated && frame.module && frame.frame.lineno.value_or(0) != 0;
}

void ContextSink::frame(const OutFrame& frame) {
  if (!has_source(frame)) return next_.frame(frame);
  const std::uint32_t number = *frame.frame.lineno;
  const SourceText source = texts_.find(*frame.module, frame.path);
  if (source.lines == nullptr && source.link.empty()) return next_.frame(frame);
  OutFrame out = frame;
  if (!source.link.empty()) out.frame.source_link = source.link;
  if (source.lines != nullptr && number <= source.lines->count()) set_lines(*source.lines, number, out.frame);
  next_.frame(out);
}

void ContextSink::set_lines(const symbolize::SourceLines& lines, std::uint32_t number, Frame& out) {
  std::size_t used = 0;
  const auto shown = [&](std::uint32_t line) { return cut_line(lines.line(line), cut_[used++]); };
  before_.clear();
  after_.clear();
  for (std::uint32_t line = number - std::min(number - 1, kContextLines); line < number; ++line)
    before_.push_back(shown(line));
  out.context_line = shown(number);
  const std::uint32_t last = number + std::min(lines.count() - number, kContextLines);
  for (std::uint32_t line = number + 1; line <= last; ++line) after_.push_back(shown(line));
  out.pre_context = &before_;
  out.post_context = &after_;
}

}  // namespace symcached::stacks
