#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/path_text.hpp"
#include "traces/render.hpp"

namespace symcached::traces {
namespace {

std::string place_of(const ResolvedFrame& frame) {
  if (frame.file.empty()) return {};
  if (frame.line == 0) return frame.file;
  if (frame.column == 0) return fmt::format("{}:{}", frame.file, frame.line);
  return fmt::format("{}:{}:{}", frame.file, frame.line, frame.column);
}

bool is_answered(const AnsweredFrame& frame) { return frame.answer != nullptr && !frame.answer->frames.empty(); }

std::size_t position_in(std::string_view line, std::string_view part) {
  return static_cast<std::size_t>(part.data() - line.data());
}

/// What a line of an inlined call begins with: as wide as what stands before the function in the frame's own line.
std::string margin_of(const AnsweredLine& line, const Frame& frame) {
  constexpr std::size_t kWidest = 48, kIndent = 4;
  const std::size_t end = trim_end(line.line).size();
  std::size_t first = line.start;  // of the frame's own text
  while (first < end && is_blank(line.line[first])) ++first;
  std::size_t column = first + kIndent;
  const std::string_view name = frame.function.empty() ? frame.hole : frame.function;
  if (name.data() != nullptr) {
    const std::size_t at = position_in(line.line, name);
    if (at < end && at >= first && at - first <= kWidest) column = at;
  }
  const std::size_t kept = line.start + frame.mark.size();
  std::string margin(line.line.substr(0, kept));
  for (std::size_t i = kept; i < column; ++i) margin += i < line.line.size() && line.line[i] == '\t' ? '\t' : ' ';
  return margin;
}

void append_inlined(const ResolvedFrame& inlined, std::string_view margin, std::string_view ending, std::string& out) {
  (out += margin) += inlined.function.empty() ? "??" : inlined.function;
  if (const std::string place = place_of(inlined); !place.empty()) (out += " at ") += place;
  (out += " [inlined]") += ending;
}

void append_physical(const AnsweredLine& line, const AnsweredFrame& answered, std::string& out) {
  const Frame& frame = *answered.frame;
  const ResolvedFrame& known = answered.answer->frames.back();
  const std::string_view text = trim_end(line.line);
  std::size_t copied = 0;
  if (frame.hole.data() != nullptr && !known.function.empty()) {
    const std::size_t hole = position_in(line.line, frame.hole);
    (((out += text.substr(0, hole)) += frame.lead) += known.function) += frame.tail;
    copied = hole + frame.hole.size();
  }
  out += text.substr(std::min(copied, text.size()));
  if (const std::string place = place_of(known); !place.empty()) (out += " at ") += place;
  out += line.line.substr(text.size());
}

void append_stack(const AnsweredLine& line, const AnsweredFrame& answered, std::string& out) {
  const auto& frames = answered.answer->frames;
  const auto inlined = std::span(frames).first(frames.size() - 1);
  const std::string margin = margin_of(line, *answered.frame);
  const std::string ending = std::string(line.line.substr(trim_end(line.line).size())) + "\n";
  if (answered.frame->dialect->rewriting != Rewriting::append_after) {
    for (const ResolvedFrame& one : inlined) append_inlined(one, margin, ending, out);
    append_physical(line, answered, out);
    out += line.newline;
    return;
  }
  append_physical(line, answered, out);
  for (std::size_t i = inlined.size(); i-- > 0;)
    append_inlined(inlined[i], "\n" + margin, ending.substr(0, ending.size() - 1), out);
  out += line.newline;
}

/// Functions at the holes, outermost first; everything else stays.
void append_in_line(const AnsweredLine& line, std::string& out) {
  std::size_t copied = 0;
  for (const AnsweredFrame& answered : line.frames) {
    if (!is_answered(answered) || answered.frame->hole.data() == nullptr) continue;
    std::string names;
    const auto& frames = answered.answer->frames;
    for (std::size_t i = frames.size(); i-- > 0;)
      if (!frames[i].function.empty()) (names += names.empty() ? "" : ";") += frames[i].function;
    if (names.empty()) continue;
    const std::size_t hole = position_in(line.line, answered.frame->hole);
    (((out += line.line.substr(copied, hole - copied)) += answered.frame->lead) += names) += answered.frame->tail;
    copied = hole + answered.frame->hole.size();
  }
  (out += line.line.substr(copied)) += line.newline;
}

/// Another text at the hole of the line's only frame.
void append_replaced(const AnsweredLine& line, std::string_view text, std::string& out) {
  const std::string_view hole = line.frames.front().frame->hole;
  const std::size_t at = position_in(line.line, hole);
  (((out += line.line.substr(0, at)) += text) += line.line.substr(at + hole.size())) += line.newline;
}

}  // namespace

void append_text(const AnsweredLine& line, std::string& out) {
  if (std::ranges::none_of(line.frames, is_answered)) {
    (out += line.line) += line.newline;
    return;
  }
  const AnsweredFrame& first = line.frames.front();
  const Rewriting rewriting = first.frame->dialect->rewriting;
  if (line.frames.size() > 1 || rewriting == Rewriting::in_line) return append_in_line(line, out);
  const ResolvedFrame& known = first.answer->frames.back();
  if (rewriting == Rewriting::dotnet) {
    if (known.file.empty()) (out += line.line) += line.newline;
    else append_replaced(line, fmt::format("{}:line {}", known.file, known.line), out);
  } else if (rewriting == Rewriting::columns) {
    const std::string number = known.line == 0 ? std::string() : fmt::format("{}", known.line);
    const std::string_view name = known.function.empty() ? first.frame->function : std::string_view(known.function);
    append_replaced(line, fmt::format("{}|{}|{}", name, known.file, number), out);
  } else {
    append_stack(line, first, out);
  }
}

std::string_view table_head() {
  return "  line frame  module                function                                  place\n";
}

void append_table(const AnsweredLine& line, std::string& out) {
  for (const AnsweredFrame& answered : line.frames) {
    const Frame& frame = *answered.frame;
    const std::string index = frame.index ? fmt::format("#{}", *frame.index) : std::string();
    const auto row = [&](std::string_view function, std::string_view place) {
      fmt::format_to(std::back_inserter(out), "{:6} {:>5}  {:20}  {:40}  {}\n", line.number, index,
                     last_path_part(answered.question != nullptr ? answered.question->module : frame.module),
                     function.empty() ? "??" : function, place);
    };
    if (!is_answered(answered))
      row(frame.function, answered.answer == nullptr ? "" : fmt::format("({})", name_of(answered.answer->status)));
    else
      for (const ResolvedFrame& one : answered.answer->frames)
        row(one.function, place_of(one) + (one.is_inlined ? " [inlined]" : ""));
  }
}

}  // namespace symcached::traces
