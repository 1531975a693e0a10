#include "symbolize/render_gnu.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <memory>

#include "base/path_text.hpp"
#include "demangle/demangle.hpp"

namespace symcached::symbolize {
namespace {

std::string_view basename_of(std::string_view file) { return file.substr(file.rfind('/') + 1); }

void put_gnu_frame(const Frame& frame, const GnuStyle& style, std::string& out) {
  if (style.functions) {
    out += frame.function.empty() ? "??" : frame.function;
    out += style.pretty ? " at " : "\n";
  }
  if (frame.file.empty()) out += style.nameless_file ? "" : "??";
  else out += style.basenames ? basename_of(frame.file) : frame.file;
  if (frame.line == 0) out += ":?\n";
  else fmt::format_to(std::back_inserter(out), ":{}\n", frame.line);
}

}  // namespace

void render_gnu(std::uint64_t address, std::span<const Frame> frames, const GnuStyle& style, std::string& out) {
  if (style.addresses)
    fmt::format_to(std::back_inserter(out), "0x{:0{}x}{}", address, style.narrow ? 8 : 16, style.pretty ? ": " : "\n");
  if (frames.empty()) {
    if (style.functions) out += style.pretty ? "?? " : "??\n";
    out += "??:0\n";
    return;
  }
  for (std::size_t i = 0; i < (style.inlines ? frames.size() : 1); ++i) {
    if (i != 0 && style.pretty) out += " (inlined by) ";
    put_gnu_frame(frames[i], style, out);
  }
}

std::string demangled_by_gnu(std::string_view name) {
  std::string ours = demangle::demangle(name);  // bounded: what it refuses is not for a demangler without bounds
  if (ours == name || demangle::scheme_of(name) != demangle::Scheme::itanium) return ours;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> theirs(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && theirs != nullptr ? std::string(theirs.get()) : ours;
}

}  // namespace symcached::symbolize
