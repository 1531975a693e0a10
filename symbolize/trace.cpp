#include "symbolize/trace.hpp"

#include <utility>

#include "symbolize/token_trace.hpp"

namespace symcached::symbolize {
namespace {

constexpr TraceDialect kDialects[] = {
    {".NET, with tokens and IL offsets", parse_token_frame, append_token_text, append_token_json},
};

struct Parsed {
  const TraceDialect* dialect;
  TraceFrame frame;
};

std::optional<Parsed> parse(std::string_view line) {
  for (const TraceDialect& dialect : kDialects)
    if (auto frame = dialect.parse(line)) return Parsed{&dialect, *frame};
  return std::nullopt;
}

}  // namespace

std::span<const TraceDialect> trace_dialects() { return kDialects; }

/// Null if the line of the source is not known.
const Frame* TraceResolver::ask(const TraceFrame& frame) {
  const Module* const module = frame.is_known ? find_module_(frame.module) : nullptr;
  if (module == nullptr) return nullptr;
  module->ask(frame.place, {}, answer_);
  if (answer_.frames().empty() || answer_.frames().front().file.empty()) return nullptr;
  return &answer_.frames().front();
}

void TraceResolver::append_text(std::string_view line, std::string& out) {
  const auto parsed = parse(line);
  if (const Frame* const known = parsed ? ask(parsed->frame) : nullptr)
    parsed->dialect->append_text(parsed->frame, *known, out);
  else out += line;
}

bool TraceResolver::append_json(std::string_view line, std::string& out) {
  const auto parsed = parse(line);
  if (parsed) parsed->dialect->append_json(parsed->frame, ask(parsed->frame), out);
  return parsed.has_value();
}

}  // namespace symcached::symbolize
