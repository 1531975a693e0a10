#include "traces/remote/stack_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json/parse.hpp>

#include "base/json.hpp"

namespace symcached::traces {
namespace {

namespace json = boost::json;
using stacks::CandidateInfo;
using stacks::DownloadStatus;

constexpr std::size_t kMostText = 4096;      ///< bytes of a name or a message
constexpr std::size_t kMostInlined = 256;    ///< frames for one of the request
constexpr std::size_t kMostListed = 10'000;  ///< explanations, and places of one
constexpr std::int64_t kMostWait = 300;      ///< seconds

std::string text(const json::object& object, std::string_view key) {
  return std::string(json_text(object, key).substr(0, kMostText));
}

std::optional<std::uint64_t> number(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains({key.data(), key.size()});
  if (value == nullptr) return std::nullopt;
  if (value->is_uint64()) return value->get_uint64();
  if (value->is_int64() && value->get_int64() >= 0) return static_cast<std::uint64_t>(value->get_int64());
  return std::nullopt;
}

std::uint32_t small_number(const json::object& object, std::string_view key) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number(object, key).value_or(0), 0xffffffff));
}

/// Calls `read` with each object of the array; what is none is left out.
template <class Read>
void each(const json::object& object, std::string_view key, const Read& read) {
  const json::value* const value = object.if_contains({key.data(), key.size()});
  const json::array* const all = value == nullptr ? nullptr : value->if_array();
  if (all == nullptr) return;
  for (const json::value& one : *all)
    if (const json::object* const member = one.if_object()) read(*member);
}

DownloadStatus status_of(std::string_view name) {
  for (const auto status :
       {DownloadStatus::ok, DownloadStatus::malformed, DownloadStatus::no_permission, DownloadStatus::not_found})
    if (stacks::name_of(status) == name) return status;
  return DownloadStatus::error;
}

/// Of `asked`, and of `candidates`, which have the last two in an object.
CandidateInfo candidate_of(const json::object& from) {
  const json::value* const download = from.if_contains("download");
  const json::object* const inside = download == nullptr ? nullptr : download->if_object();
  const json::object& result = inside == nullptr ? from : *inside;
  return {.source = text(from, "source"),
          .location = text(from, "location"),
          .download = status_of(json_text(result, "status")),
          .details = text(result, "details")};
}

std::vector<CandidateInfo> candidates_of(const json::object& from, std::string_view key) {
  std::vector<CandidateInfo> all;
  each(from, key, [&](const json::object& one) {
    if (all.size() < kMostListed) all.push_back(candidate_of(one));
  });
  return all;
}

ResolvedFrame frame_of(const json::object& from) {
  ResolvedFrame frame{.function = text(from, "function"), .file = text(from, "abs_path")};
  if (frame.function.empty()) frame.function = text(from, "symbol");
  if (frame.file.empty()) frame.file = text(from, "filename");
  frame.line = small_number(from, "lineno");
  frame.column = small_number(from, "colno");
  return frame;
}

void read_frames(const json::object& stack, StackCompleted& out) {
  each(stack, "frames", [&](const json::object& from) {
    const auto index = number(from, "original_index");
    if (json_text(from, "status") != "symbolicated" || !index || *index >= out.frames.size()) return;
    std::vector<ResolvedFrame>& frames = out.frames[*index];
    if (frames.size() == kMostInlined) return;
    if (!frames.empty()) frames.back().is_inlined = true;
    frames.push_back(frame_of(from));
  });
}

StackCompleted completed_of(const json::object& from, std::size_t frames) {
  StackCompleted answer;
  answer.frames.resize(frames);
  each(from, "stacktraces", [&](const json::object& stack) { read_frames(stack, answer); });
  each(from, "modules", [&](const json::object& module) {
    if (answer.modules.size() < kMostListed)
      answer.modules.push_back({text(module, "debug_status"), candidates_of(module, "candidates")});
  });
  if (!from.contains("explanations")) return answer;
  auto& explanations = answer.explanations.emplace();
  each(from, "explanations", [&](const json::object& one) {
    if (explanations.size() == kMostListed) return;
    const auto module = number(one, "module");
    explanations.push_back({module ? std::optional<std::size_t>(*module) : std::nullopt,
                            number(one, "frame_count").value_or(0),
                            {text(one, "reason"), text(one, "fix")},
                            candidates_of(one, "asked")});
  });
  return answer;
}

bool is_id(std::string_view id) {
  return !id.empty() && id.size() <= 64 && std::ranges::all_of(id, [](char c) {
    return c == '-' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
}

}  // namespace

std::expected<StackAnswer, std::string> parse_stack_answer(std::string_view body, std::size_t frames) {
  const auto wrong = [](std::string_view why) { return std::unexpected(std::string(why)); };
  boost::system::error_code error;
  const json::value value = json::parse({body.data(), body.size()}, error);
  const json::object* const from = error ? nullptr : value.if_object();
  if (from == nullptr) return wrong("the answer is no JSON object; this is no server with Symbolicator's API");
  const std::string_view status = json_text(*from, "status");
  if (status.empty()) return wrong("the answer has no status; this is no server with Symbolicator's API");
  if (status == "completed") return completed_of(*from, frames);
  if (status == "pending") {
    StackPending pending{text(*from, "request_id")};
    if (!is_id(pending.request_id)) return wrong("the answer is pending and has no request_id to ask by");
    const json::value* const wait = from->if_contains("retry_after");
    const std::int64_t seconds = wait != nullptr && wait->is_number() ? wait->to_number<std::int64_t>(error) : 1;
    pending.retry_after = std::chrono::seconds(std::clamp<std::int64_t>(error ? 1 : seconds, 1, kMostWait));
    return pending;
  }
  const std::string message = text(*from, "message");
  return std::unexpected(fmt::format("the server ended the request as {}{}{}", status.substr(0, 32),
                                     message.empty() ? "" : ": ", message));
}

std::string error_detail(std::string_view body) {
  boost::system::error_code error;
  const json::value value = json::parse({body.data(), body.size()}, error);
  return error || !value.is_object() ? std::string() : text(value.get_object(), "detail");
}

}  // namespace symcached::traces
