#include "app/frame_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/utf8.hpp"

namespace symcached::app {
namespace {

using symcache::Found;
using symcache::Frame;

/// The frames to show: all, or the function's own.
struct Shown {
  const Frame* first;
  std::size_t count;
};

Shown frames_of(const Found& found, const FrameText& how) {
  if (how.inlines) return {found.frames.data(), found.frames.size()};
  return {&found.frames.back(), 1};
}

std::string_view recorded_name(const Found& found, std::size_t index, const FrameText& how) {
  if (how.names == FunctionNames::none) return {};
  const bool outermost = !how.inlines || index + 1 == found.frames.size();
  if (outermost && how.names == FunctionNames::linkage && !how.linkage_name.empty()) return how.linkage_name;
  return how.inlines ? found.frames[index].function : found.frames.back().function;
}

/// Appends the name to show; nothing where there is none.
void append_name(const Found& found, std::size_t index, const FrameText& how, std::string& out) {
  const std::string_view name = recorded_name(found, index, how);
  if (!how.demangle) out += name;
  else
    demangle::demangle_append(out, name,
                              how.names == FunctionNames::brief ? demangle::Detail::no_parameters : how.detail);
}

std::string_view shown(std::string_view file, bool basename) {
  return basename ? file.substr(file.find_last_of("/\\") + 1) : file;  // npos + 1 is 0: no folder
}

void append_json_text(std::string_view text, std::string& out) {
  if (std::ranges::any_of(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }) && !is_utf8(text))
    return append_json_text(valid_utf8(text), out);
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') (out += '\\') += c;
    else if (byte < 0x20) fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    else out += c;
  }
  out += '"';
}

}  // namespace

void append_text(const std::optional<Found>& found, const FrameText& how, std::string& out) {
  if (!found) {
    out += how.names == FunctionNames::none ? "??:0:0\n\n" : "??\n??:0:0\n\n";
    return;
  }
  const Shown all = frames_of(*found, how);
  for (std::size_t i = 0; i < all.count; ++i) {
    const Frame& frame = all.first[i];
    if (how.names != FunctionNames::none) {
      const std::size_t start = out.size();
      append_name(*found, i, how, out);
      out += out.size() == start ? "??\n" : "\n";
    }
    const std::string_view file = shown(frame.file, how.basenames);
    out += file.empty() ? "??" : file;
    fmt::format_to(std::back_inserter(out), ":{}:{}\n", frame.line, frame.column);
  }
  out += '\n';
}

void append_json(const Question& question, const std::optional<Found>& found, const FrameText& how, std::string& out) {
  fmt::format_to(std::back_inserter(out), R"({{"Address":"{:#x}","ModuleName":)", question.address);
  append_json_text(question.module, out);
  out += R"(,"Symbol":[)";
  const Shown all = found ? frames_of(*found, how) : Shown{nullptr, 0};
  std::string name;
  for (std::size_t i = 0; i < all.count; ++i) {
    const Frame& frame = all.first[i];
    if (i != 0) out += ',';
    fmt::format_to(std::back_inserter(out), R"({{"Column":{},"Discriminator":0,"FileName":)", frame.column);
    append_json_text(shown(frame.file, how.basenames), out);
    out += R"(,"FunctionName":)";
    name.clear();
    append_name(*found, i, how, name);
    append_json_text(name, out);
    fmt::format_to(std::back_inserter(out), R"(,"Line":{},"StartAddress":"{:#x}","StartFileName":"","StartLine":0}})",
                   frame.line, question.image_base + found->start.value);
  }
  out += "]}";
}

void append_text(const ManagedFrame& frame, bool with_name, bool basenames, std::string& out) {
  if (with_name) (out += frame.function.empty() ? "??" : frame.function) += '\n';
  out += frame.file.empty() ? "??" : shown(frame.file, basenames);
  fmt::format_to(std::back_inserter(out), ":{}:{}\n{}\n", frame.line, frame.column, frame.source);
}

void append_json(const ManagedFrame& frame, std::string_view module, bool basenames, std::string& out) {
  fmt::format_to(std::back_inserter(out), R"({{"Address":"{:#x}:{:#x}","ModuleName":)", frame.token, frame.il_offset);
  append_json_text(module, out);
  out += R"(,"Symbol":[)";
  if (frame.is_known) {
    fmt::format_to(std::back_inserter(out), R"({{"Column":{},"Discriminator":0,"FileName":)", frame.column);
    append_json_text(shown(frame.file, basenames), out);
    out += R"(,"FunctionName":)";
    append_json_text(frame.function, out);
    fmt::format_to(std::back_inserter(out), R"(,"Line":{})", frame.line);
    const auto put = [&](std::string_view key, std::string_view value) {
      if (value.empty()) return;
      fmt::format_to(std::back_inserter(out), R"(,"{}":)", key);
      append_json_text(value, out);
    };
    put("Source", frame.source);
    put("SourceUrl", frame.url);
    out += R"(,"StartAddress":"","StartFileName":"","StartLine":0})";
  }
  out += "]}";
}

void append_json_error(std::string_view address, std::string_view module, std::string_view message, std::string& out) {
  out += R"({"Address":)";
  append_json_text(address, out);
  out += R"(,"Error":{"Message":)";
  append_json_text(message, out);
  out += R"(},"ModuleName":)";
  append_json_text(module, out);
  out += '}';
}

}  // namespace symcached::app
