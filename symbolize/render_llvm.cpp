#include "symbolize/render_llvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json_text.hpp"
#include "base/path_text.hpp"
#include "model/managed_module.hpp"
#include "symbolize/source_context.hpp"

namespace symcached::symbolize {
namespace {

/// As often as there are frames: fmt's formatting would take longer than all else here.
void append_number(std::uint32_t number, std::string& out) {
  const fmt::format_int digits(number);
  out.append(digits.data(), digits.size());
}

std::string_view shown(std::string_view file, bool basename) { return basename ? last_path_part(file) : file; }

void append_json_if_any(std::string_view key, std::string_view value, std::string& out) {
  if (value.empty()) return;
  fmt::format_to(std::back_inserter(out), R"(,"{}":)", key);
  append_json_text(value, out);
}

void append_json_address(const Answered& answered, std::string& out) {
  if (const auto* const method = std::get_if<MethodPlace>(&answered.place))
    fmt::format_to(std::back_inserter(out), "\"{:#x}:{:#x}\"", model::method_token(method->row), method->il_offset);
  else
    fmt::format_to(std::back_inserter(out), "\"{:#x}\"",
                   std::get<model::Rva>(answered.place).value + answered.image_base);
}

void append_json_start(const Answered& answered, std::string& out) {
  if (std::holds_alternative<MethodPlace>(answered.place)) out += "\"\"";
  else fmt::format_to(std::back_inserter(out), "\"{:#x}\"", answered.image_base + answered.answer->start().value);
}

}  // namespace

void render_llvm_text(const Answered& answered, const TextStyle& style, std::string& out) {
  const auto frames = answered.answer->frames();
  if (frames.empty()) {
    out += style.functions ? "??\n??:0:0\n\n" : "??:0:0\n\n";
    return;
  }
  for (const Frame& frame : frames) {
    if (style.functions) (out += frame.function.empty() ? "??" : frame.function) += '\n';
    const std::string_view file = shown(frame.file, style.basenames);
    out += file.empty() ? "??" : file;
    append_number(frame.line, out += ':');
    append_number(frame.column, out += ':');
    out += '\n';
  }
  if (answered.source != nullptr) out += answered.source->lines;
  out += '\n';
}

void render_llvm_json(const Answered& answered, const TextStyle& style, std::string& out) {
  out += R"({"Address":)";
  append_json_address(answered, out);
  out += R"(,"ModuleName":)";
  append_json_text(answered.module, out);
  out += R"(,"Symbol":[)";
  const auto frames = answered.answer->frames();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Frame& frame = frames[i];
    if (i != 0) out += ',';
    append_number(frame.column, out += R"({"Column":)");
    out += R"(,"Discriminator":0,"FileName":)";
    append_json_text(shown(frame.file, style.basenames), out);
    out += R"(,"FunctionName":)";
    append_json_text(frame.function, out);
    append_number(frame.line, out += R"(,"Line":)");
    if (i == 0 && answered.source != nullptr) {
      append_json_if_any("Source", answered.source->lines, out);
      append_json_if_any("SourceUrl", answered.source->url, out);
    }
    out += R"(,"StartAddress":)";
    append_json_start(answered, out);
    out += R"(,"StartFileName":"","StartLine":0})";
  }
  out += "]}";
}

void render_llvm_json_error(std::string_view address, std::string_view module, std::string_view message,
                            std::string& out) {
  out += R"({"Address":)";
  append_json_text(address, out);
  out += R"(,"Error":{"Message":)";
  append_json_text(message, out);
  out += R"(},"ModuleName":)";
  append_json_text(module, out);
  out += '}';
}

std::string numbered_lines(Bytes source, std::uint32_t line, std::uint32_t count) {
  const auto context = source_context(source, line, count);
  if (!context || count == 0) return {};
  const auto before = std::min<std::size_t>(count / 2, context->before.size());
  const auto after = std::min<std::size_t>(count - 1 - before, context->after.size());
  // LLVM takes the logarithm of the last line that it would print: 10 is as wide as 9.
  const std::uint64_t last = std::uint64_t{line} - before + count - 1;
  const auto width = fmt::formatted_size("{}", last < 2 ? last : last - 1);
  std::string out;
  const auto put = [&](std::size_t number, std::string_view text) {
    out += fmt::format("{:>{}} {}: {}\n", number, width, number == line ? '>' : ' ', text);
  };
  for (std::size_t i = before; i > 0; --i) put(line - i, context->before[context->before.size() - i]);
  put(line, context->line);
  for (std::size_t i = 0; i < after; ++i) put(line + 1 + i, context->after[i]);
  return out;
}

}  // namespace symcached::symbolize
