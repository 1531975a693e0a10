#include "symbolize/llvm_printer.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/json_text.hpp"
#include "base/mapped_file.hpp"
#include "base/path_text.hpp"
#include "symbolize/render_llvm.hpp"

namespace symcached::symbolize {
namespace {

using Format = LlvmStyle::Format;

constexpr Frame kNoFrame;

void put_hex(std::uint64_t number, std::string& out) { fmt::format_to(std::back_inserter(out), "{:#x}", number); }

/// LLVM has short forms for the ends of lines and for tabs, and this text has many of them.
void put_json_text(std::string_view text, std::string& out) {
  constexpr std::string_view kSpecial = "\n\r\t";
  out += '"';
  while (!text.empty()) {
    const std::string_view plain = text.substr(0, text.find_first_of(kSpecial));
    std::string quoted;
    append_json_text(plain, quoted);
    out.append(quoted, 1, quoted.size() - 2);
    text.remove_prefix(plain.size());
    if (text.empty()) break;
    out += text[0] == '\n' ? "\\n" : text[0] == '\r' ? "\\r" : "\\t";
    text.remove_prefix(1);
  }
  out += '"';
}

void put_member(std::string_view key, std::string_view value, std::string& out) {
  fmt::format_to(std::back_inserter(out), R"("{}":)", key);
  put_json_text(value, out);
}

/// The members that all objects have: what they are about. The object stays open.
void put_json_address(const LlvmRequest& request, std::string& out) {
  out += '{';
  if (!request.address) return;
  out += R"("Address":")";
  put_hex(*request.address, out);
  out += R"(",)";
}

}  // namespace

std::string_view LlvmPrinter::shown(std::string_view file, const LlvmFrames& found) const {
  return style_.basenames && !found.whole_paths ? last_path_part(file) : file;
}

std::string LlvmPrinter::source_of(const Frame& frame) const {
  if (style_.source_lines == 0 || frame.file.empty() || frame.line == 0) return {};
  const auto file = MappedFile::open(std::string(frame.file));
  return file ? numbered_lines(file->bytes(), frame.line, style_.source_lines) : std::string();
}

void LlvmPrinter::header(const LlvmRequest& request, std::string& out) const {
  if (!style_.addresses || !request.address) return;
  put_hex(*request.address, out);
  out += style_.pretty ? ": " : "\n";
}

void LlvmPrinter::footer(std::string& out) const {
  if (style_.format == Format::llvm) out += '\n';
}

void LlvmPrinter::verbose(const Frame& frame, std::string_view file, const LlvmFrames& found, std::string& out) const {
  fmt::format_to(std::back_inserter(out), "  Filename: {}\n", file);
  if (found.start && style_.format == Format::llvm)
    fmt::format_to(std::back_inserter(out), "  Function start address: {:#x}\n", *found.start);
  fmt::format_to(std::back_inserter(out), "  Line: {}\n  Column: {}\n", frame.line, frame.column);
}

void LlvmPrinter::frame(const Frame& frame, bool is_caller, const LlvmFrames& found, std::string& out) const {
  if (style_.functions) {
    if (style_.pretty && is_caller) out += " (inlined by) ";
    out += frame.function.empty() ? found.unknown_function : frame.function;
    out += style_.pretty ? " at " : "\n";
  }
  const std::string_view file = frame.file.empty() ? "??" : shown(frame.file, found);
  if (style_.verbose) verbose(frame, file, found, out);
  else if (style_.format == Format::gnu) fmt::format_to(std::back_inserter(out), "{}:{}\n", file, frame.line);
  else fmt::format_to(std::back_inserter(out), "{}:{}:{}\n", file, frame.line, frame.column);
  out += source_of(frame);
}

void LlvmPrinter::text(const LlvmRequest& request, const LlvmFrames& found, std::string& out) const {
  header(request, out);
  if (found.frames.empty()) frame(kNoFrame, false, found, out);
  for (std::size_t i = 0; i < found.frames.size(); ++i) frame(found.frames[i], i != 0, found, out);
  footer(out);
}

void LlvmPrinter::json_frame(const Frame& frame, const LlvmFrames& found, std::string& out) const {
  fmt::format_to(std::back_inserter(out), R"({{"Column":{},"Discriminator":0,)", frame.column);
  put_member("FileName", shown(frame.file, found), out);
  out += ',';
  put_member("FunctionName", frame.function, out);
  fmt::format_to(std::back_inserter(out), R"(,"Line":{},)", frame.line);
  if (const std::string source = source_of(frame); !source.empty()) {
    put_member("Source", source, out);
    out += ',';
  }
  put_member("StartAddress", found.start ? fmt::format("{:#x}", *found.start) : "", out);
  out += R"(,"StartFileName":"","StartLine":0})";
}

void LlvmPrinter::json_frames(std::string_view key, std::span<const LlvmFrames> found, std::string& out) const {
  fmt::format_to(std::back_inserter(out), R"("{}":[)", key);
  std::string_view comma;
  for (const LlvmFrames& one : found)
    for (const Frame& frame : one.frames) {
      out += comma;
      json_frame(frame, one, out);
      comma = ",";
    }
  out += ']';
}

void LlvmPrinter::frames(const LlvmRequest& request, const LlvmFrames& found, std::string& out) const {
  if (!is_json()) return text(request, found, out);
  put_json_address(request, out);
  put_member("ModuleName", request.module, out);
  out += ',';
  LlvmFrames shown = found;
  if (shown.frames.empty() && !shown.without_file) shown = {.frames = {&kNoFrame, 1}, .start = {}};
  json_frames("Symbol", {&shown, 1}, out);
  out += '}';
}

void LlvmPrinter::places(const LlvmRequest& request, std::span<const LlvmFrames> found, std::string& out) const {
  if (!is_json()) {
    if (found.empty()) text(request, {}, out);
    for (const LlvmFrames& one : found) text(request, one, out);
    return;
  }
  out += '{';
  json_frames("Loc", found, out);
  out += ',';
  put_member("ModuleName", request.module, out);
  out += ',';
  put_member("SymName", request.symbol, out);
  out += '}';
}

void LlvmPrinter::data(const LlvmRequest& request, const LlvmData& found, std::string& out) const {
  if (is_json()) {
    put_json_address(request, out);
    out += R"("Data":{)";
    put_member("Name", found.name, out);
    fmt::format_to(std::back_inserter(out), R"(,"Size":"{:#x}","Start":"{:#x}"}},)", found.size, found.start);
    put_member("ModuleName", request.module, out);
    out += '}';
    return;
  }
  header(request, out);
  fmt::format_to(std::back_inserter(out), "{}\n{} {}\n", found.name.empty() ? "??" : found.name, found.start,
                 found.size);
  if (found.file.empty()) out += "??:?\n";
  else fmt::format_to(std::back_inserter(out), "{}:{}\n", found.file, found.line);
  footer(out);
}

void LlvmPrinter::no_locals(const LlvmRequest& request, std::string& out) const {
  if (is_json()) {
    put_json_address(request, out);
    out += R"("Frame":[],)";
    put_member("ModuleName", request.module, out);
    out += '}';
    return;
  }
  header(request, out);
  out += "??\n";
  footer(out);
}

void LlvmPrinter::error(const LlvmRequest& request, std::string_view why, std::string& out) const {
  if (!is_json()) return;
  put_json_address(request, out);
  out += R"("Error":{)";
  put_member("Message", why, out);
  out += "},";
  put_member("ModuleName", request.module, out);
  out += '}';
}

}  // namespace symcached::symbolize
