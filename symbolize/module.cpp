#include "symbolize/module.hpp"

#include <fmt/format.h>

#include <utility>

namespace symcached::symbolize {
namespace {

using symcache::Found;

/// Frames of the answer that are wanted: all, or the function's own.
std::span<const symcache::Frame> wanted(const Found& found, const AnswerOptions& options) {
  return options.inlines ? found.frames : found.frames.last(1);
}

/// What is wrong with a cache of ours.
std::string problem(const ReadError& error) {
  if (!error.field.ends_with("cache.version")) return to_string(error);
  return fmt::format("{} version {} is not supported (expected {}); convert the original again",
                     error.field.substr(0, error.field.find('.')), error.found, error.wanted);
}

}  // namespace

void Answer::clear() {
  frames_.clear();
  demangled_.trim();
  method_.clear();
  start_ = {};
  size_ = 0;
  kind_ = {};
  language_ = {};
}

/// The name demangled, kept with the name itself where that stays.
std::string_view Answer::shown(const symcache::Frame& frame, demangle::Detail detail) {
  if (frame.derived == nullptr) return demangled_.of(frame.function, detail);
  const auto kind = static_cast<std::uint32_t>(detail) + 1;
  if (frame.derived->kind != kind) {
    std::string_view text = frame.function;
    if (demangle::scheme_of(text) != demangle::Scheme::none) {
      fresh_.clear();
      demangle::demangle_append(fresh_, text, detail);
      text = buffer_.keep(fresh_);
    }
    *frame.derived = {text.data(), static_cast<std::uint32_t>(text.size()), kind};
  }
  return frame.derived->text();
}

std::expected<Module, std::string> Module::view(Bytes cache) {
  if (ppdbcache::is_ppdbcache(cache)) {
    auto opened = ppdbcache::Reader::open(cache);
    if (!opened) return std::unexpected(problem(opened.error()));
    return Module(cache, *std::move(opened));
  }
  auto opened = symcache::Symcache::open(cache);
  if (!opened) return std::unexpected(problem(opened.error()));
  return Module(cache, *std::move(opened));
}

std::expected<Module, std::string> Module::own(std::vector<std::byte> cache) {
  auto module = view(cache);
  if (module) module->owned_ = std::move(cache);
  return module;
}

DebugId Module::debug_id() const { return is_managed() ? ppdbcache()->debug_id() : symcache()->debug_id(); }

void Module::ask(const Place& place, const AnswerOptions& options, Answer& out) const {
  out.clear();
  if (!is_managed()) {
    const auto* const address = std::get_if<model::Rva>(&place);
    if (address == nullptr) return;
    GrowingSymcache* const growing = growing_cache();
    ask(growing == nullptr ? *symcache() : growing->at(*address), *address, options, out);
  } else if (const auto* const method = std::get_if<MethodPlace>(&place)) {
    ask(*ppdbcache(), *method, options, out);
  }
}

void Module::ask(const symcache::Symcache& cache, model::Rva place, const AnswerOptions& options, Answer& out) {
  const auto found = cache.lookup(place, out.buffer_);
  if (!found) return;
  out.start_ = found->start;
  out.size_ = found->size;
  out.kind_ = found->kind;
  out.language_ = found->language;
  for (const symcache::Frame& frame : wanted(*found, options))
    out.frames_.push_back({frame.function, frame.file, frame.line, frame.column, true});
  out.frames_.back().is_inlined = false;
  set_names(cache, *found, options, out);
}

void Module::set_names(const symcache::Symcache& cache, const Found& found, const AnswerOptions& options, Answer& out) {
  if (options.names == FunctionNames::none) {
    for (Frame& frame : out.frames_) frame.function = {};
    return;
  }
  const auto detail = options.names == FunctionNames::brief ? demangle::Detail::no_parameters : options.detail;
  if (options.demangle) {
    const auto known = wanted(found, options);
    for (std::size_t i = 0; i < known.size(); ++i) out.frames_[i].function = out.shown(known[i], detail);
  }
  if (options.names != FunctionNames::linkage) return;
  const std::string_view name = cache.linkage_name(found, out.buffer_);
  if (!name.empty()) out.frames_.back().function = options.demangle ? out.demangled_.of(name, detail) : name;
}

void Module::ask(const ppdbcache::Reader& cache, MethodPlace asked, const AnswerOptions& options, Answer& out) {
  const auto place = cache.lookup(cache.row_in_trace(asked.row), asked.il_offset);
  if (options.names != FunctionNames::none) {
    const ppdbcache::MethodName name = place ? place->method : cache.method(asked.row).name;
    out.method_.append(name.scope).append(name.own);
  }
  if (!place && out.method_.empty()) return;
  Frame frame{.function = out.method_, .file = {}};
  if (place) {
    frame.file = place->document;
    frame.line = place->line;
    frame.column = place->column;
    out.language_ = place->language;
  }
  out.frames_.push_back(frame);
}

}  // namespace symcached::symbolize
