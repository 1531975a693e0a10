#include "app/frame_text.hpp"

#include <fmt/format.h>

#include <iterator>

namespace symcached::app {
namespace {

using symcache::Found;
using symcache::Frame;

/// The frames to show: all, or one with the function's name at the innermost line.
struct Shown {
  const Frame* first;
  std::size_t count;
};

Shown frames_of(const Found& found, const FrameText& how) {
  return {found.frames.data(), how.inlines ? found.frames.size() : 1};
}

std::string_view name_of(const Found& found, std::size_t index, const FrameText& how) {
  if (how.names == FunctionNames::none) return {};
  const bool outermost = !how.inlines || index + 1 == found.frames.size();
  if (outermost && how.names == FunctionNames::linkage && !how.linkage_name.empty()) return how.linkage_name;
  return (outermost ? found.frames.back() : found.frames[index]).function;
}

void append_json_text(std::string_view text, std::string& out) {
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
  const Shown shown = frames_of(*found, how);
  for (std::size_t i = 0; i < shown.count; ++i) {
    const Frame& frame = shown.first[i];
    if (how.names != FunctionNames::none) {
      const std::string_view name = name_of(*found, i, how);
      (out += name.empty() ? "??" : name) += '\n';
    }
    out += frame.file.empty() ? "??" : frame.file;
    fmt::format_to(std::back_inserter(out), ":{}:{}\n", frame.line, frame.column);
  }
  out += '\n';
}

void append_json(std::uint64_t address, std::string_view module, const std::optional<Found>& found,
                 const FrameText& how, std::string& out) {
  fmt::format_to(std::back_inserter(out), R"({{"Address":"{:#x}","ModuleName":)", address);
  append_json_text(module, out);
  out += R"(,"Symbol":[)";
  const Shown shown = found ? frames_of(*found, how) : Shown{nullptr, 0};
  for (std::size_t i = 0; i < shown.count; ++i) {
    const Frame& frame = shown.first[i];
    if (i != 0) out += ',';
    fmt::format_to(std::back_inserter(out), R"({{"Column":{},"Discriminator":0,"FileName":)", frame.column);
    append_json_text(frame.file, out);
    out += R"(,"FunctionName":)";
    append_json_text(name_of(*found, i, how), out);
    fmt::format_to(std::back_inserter(out), R"(,"Line":{},"StartAddress":"{:#x}","StartFileName":"","StartLine":0}})",
                   frame.line, found->start.value);
  }
  out += "]}";
}

}  // namespace symcached::app
