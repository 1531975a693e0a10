#include "app/request_line.hpp"

#include <fmt/format.h>

#include <numeric>

namespace symcached::app {
namespace {

using service::RequestResult;

/// A fault is ours; what a client does wrong is its own business.
Severity severity_of(RequestResult result) {
  switch (result) {
    case RequestResult::internal_error: return Severity::error;
    case RequestResult::failed: return Severity::warning;
    case RequestResult::invalid:
    case RequestResult::completed: return Severity::info;
  }
  return Severity::error;
}

std::string text_of(const service::RequestEnd& end) {
  switch (end.answer.result) {
    case RequestResult::internal_error: return fmt::format("stack traces were not answered: {}", end.fault);
    case RequestResult::failed: return "stack traces have too long an answer";
    case RequestResult::invalid: return "stack traces are not what the protocol says";
    case RequestResult::completed: return "stack traces were answered";
  }
  return {};
}

template <class Counts>
std::uint64_t sum_of(const Counts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

}  // namespace

std::optional<RequestLine> line_of(const service::RequestEnd& end, std::chrono::milliseconds slow) {
  const service::RequestAnswer& answer = end.answer;
  if (answer.result == RequestResult::completed && end.took <= slow) return std::nullopt;
  const service::AnswerNumbers& numbers = answer.numbers;
  const auto of = [](const auto& counts, auto status) { return counts[static_cast<std::size_t>(status)]; };
  RequestLine line{severity_of(answer.result), text_of(end), {{"request", end.id}}};
  if (!numbers.scope.empty()) line.fields.push_back({"scope", numbers.scope});
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(end.took).count();
  line.fields.insert(line.fields.end(), {{"status", service::kRequestResults[static_cast<std::size_t>(answer.result)]},
                                         {"ms", static_cast<std::uint64_t>(ms)},
                                         {"modules", sum_of(numbers.modules)},
                                         {"modules_found", of(numbers.modules, stacks::ModuleStatus::found)},
                                         {"modules_unused", of(numbers.modules, stacks::ModuleStatus::unused)},
                                         {"frames", sum_of(numbers.frames)},
                                         {"frames_symbolicated", of(numbers.frames, stacks::FrameStatus::symbolicated)},
                                         {"bytes", answer.body.size()}});
  return line;
}

}  // namespace symcached::app
