#pragma once
/// Modules that own what they hold, for tests of the symcache: made at random, written, and asked the plain way.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/module.hpp"
#include "symcache/reader.hpp"
#include "symcache/writer.hpp"
#include "testing/number_sources.hpp"

namespace symcached::testkit {

struct OwnCall {
  std::uint32_t caller = model::kNoInlinee;
  std::string name, file;
  std::uint32_t line = 0, column = 0;
  std::string parameters = {};
};

struct OwnLine {
  std::uint32_t offset = 0, line = 0, column = 0;
  std::string file;
  std::uint32_t inlinee = model::kNoInlinee;
};

struct OwnFunction {
  std::uint64_t start = 0;
  std::uint32_t size = 1;
  std::string name, linkage_name;
  model::Language language = model::Language::unknown;
  model::SymbolKind kind = model::SymbolKind::function;
  std::uint32_t rank = 0;
  std::uint64_t parent = 0;
  std::vector<OwnLine> lines;
  std::vector<OwnCall> calls;
  std::string parameters = {};
};

struct OwnFrame {
  std::string function, file;
  std::uint32_t line = 0, column = 0;
  std::string parameters = {};
  bool operator==(const OwnFrame&) const = default;
};

inline void put(const OwnFunction& f, model::ModuleSink& sink) {
  const auto name = [&](const auto& of) {
    return sink.with_parameters(sink.intern(of.name), sink.intern(of.parameters));
  };
  std::vector<model::Line> lines;
  std::vector<model::Inlinee> calls;
  for (const OwnLine& l : f.lines) lines.push_back({l.offset, l.line, l.column, sink.intern(l.file), l.inlinee});
  for (const OwnCall& c : f.calls) calls.push_back({c.caller, name(c), sink.intern(c.file), c.line, c.column});
  sink.function({.start = {f.start},
                 .size = f.size,
                 .name = name(f),
                 .linkage_name = sink.intern(f.linkage_name),
                 .language = f.language,
                 .kind = f.kind,
                 .rank = f.rank,
                 .parent = {f.parent},
                 .lines = lines,
                 .inlinees = calls});
}

/// @param first_texts  interned before all others, so that text ids differ while the content does not
inline std::vector<std::byte> write(const std::vector<OwnFunction>& functions, const model::Module& module = {},
                                    const std::vector<std::string>& first_texts = {}) {
  symcache::Writer writer;
  for (const std::string& text : first_texts) writer.intern(text);
  writer.module(module);
  for (const OwnFunction& f : functions) put(f, writer);
  return std::move(writer).finish();
}

/// The function that gives the name at its start, for the last start at or before `rva` whose function holds `rva`.
inline const OwnFunction* function_at(const std::vector<OwnFunction>& functions, std::uint64_t rva) {
  const OwnFunction* best = nullptr;
  for (const OwnFunction& f : functions) {
    const bool is_name = std::ranges::none_of(
        functions, [&](const OwnFunction& other) { return other.start == f.start && other.rank < f.rank; });
    if (is_name && f.start <= rva && rva - f.start < f.size && (best == nullptr || f.start > best->start)) best = &f;
  }
  return best;
}

inline std::vector<OwnFrame> frames_at(const OwnFunction& f, std::uint64_t rva) {
  const OwnLine* row = nullptr;
  for (const OwnLine& l : f.lines)
    if (l.offset <= rva - f.start) row = &l;
  if (row == nullptr) return {{.function = f.name, .parameters = f.parameters}};
  std::vector<OwnFrame> frames;
  OwnFrame at{.file = row->file, .line = row->line, .column = row->column};
  for (std::uint32_t inlinee = row->inlinee; inlinee != model::kNoInlinee; inlinee = f.calls[inlinee].caller) {
    const OwnCall& call = f.calls[inlinee];
    at.function = call.name;
    at.parameters = call.parameters;
    frames.push_back(at);
    at = {.file = call.file, .line = call.line, .column = call.column};
  }
  at.function = f.name;
  at.parameters = f.parameters;
  frames.push_back(at);
  return frames;
}

inline std::vector<OwnFrame> owned(const symcache::Found& found) {
  std::vector<OwnFrame> frames;
  for (const symcache::Frame& f : found.frames)
    frames.push_back({std::string(f.function), std::string(f.file), f.line, f.column, std::string(f.parameters)});
  return frames;
}

/// Makes functions from any source of numbers with `below(bound)`: random ones in tests, a fuzzer's bytes.
template <class Source>
class ModuleMaker {
 public:
  ModuleMaker(Source& source, bool columns, std::uint32_t unit, bool parameters = false)
      : source_(source), columns_(columns), unit_(unit), parameters_(parameters) {}

  std::vector<OwnFunction> functions(std::uint32_t count) {
    std::vector<OwnFunction> all;
    std::uint64_t at = 0x1000 + below(64);
    for (std::uint32_t i = 0; i < count; ++i) {
      OwnFunction f = function(at);
      f.rank = i;
      all.push_back(f);
      switch (below(8)) {
        case 0: break;                            // an alias follows
        case 1: at += 1 + below(f.size); break;   // starts inside
        case 2: at += f.size + below(50); break;  // after a hole
        default: at += f.size;
      }
    }
    return all;
  }

  OwnFunction function(std::uint64_t start) {
    OwnFunction f{.start = start, .size = unit_ * (1 + below(below(8) == 0 ? 400 : 30)), .name = text("fn", 12)};
    if (below(3) == 0) f.linkage_name = text("?linkage@", 30);
    f.language = static_cast<model::Language>(below(4));
    f.kind = static_cast<model::SymbolKind>(below(4));
    if (f.kind == model::SymbolKind::cold_part) f.parent = start + below(100) - 50;
    for (std::uint32_t n = below(4) == 0 ? below(20) : below(3), i = 0; i < n; ++i)
      f.calls.push_back({.caller = i == 0 || below(3) == 0 ? model::kNoInlinee : below(i),
                         .name = text("in", 9),
                         .file = file(),
                         .line = line(),
                         .column = column()});
    for (std::uint32_t offset = unit_ * below(3); offset < f.size;
         offset += unit_ * (1 + below(below(4) == 0 ? 20 : 3)))
      f.lines.push_back({.offset = offset, .line = line(), .column = column(), .file = file(), .inlinee = frame(f)});
    if (parameters_) add_parameters(f);
    return f;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return source_.below(bound); }
  std::string text(const char* stem, std::uint32_t bound) {
    return stem + std::string("::") + std::to_string(below(bound));
  }
  /// Some functions have none, and some of one name have several.
  static void add_parameters(OwnFunction& f) {
    const auto of = [](std::uint64_t number) {
      return number % 3 == 0 ? "" : "(" + std::string(number % 5, '*') + ")";
    };
    f.parameters = of(f.start);
    for (OwnCall& call : f.calls) call.parameters = of(call.line);
  }
  std::string file() { return below(9) == 0 ? "" : text("dir/file.h", 4); }
  std::uint32_t column() { return columns_ ? below(80) : 0; }
  std::uint32_t line() {
    const std::uint32_t choice = below(24);
    return choice == 0 ? 0 : choice == 1 ? 0xFFFFFFFF - below(3) : choice < 6 ? 1 + below(100000) : 100 + below(20);
  }
  std::uint32_t frame(const OwnFunction& f) {
    return f.calls.empty() || below(3) == 0 ? model::kNoInlinee : below(static_cast<std::uint32_t>(f.calls.size()));
  }

  Source& source_;
  bool columns_;
  std::uint32_t unit_;
  bool parameters_;
};

}  // namespace symcached::testkit
