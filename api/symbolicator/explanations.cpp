#include "api/symbolicator/explanations.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "base/json_text.hpp"

namespace symcached::api {
namespace {

using stacks::CandidateInfo;
using stacks::Explanation;

void put(std::string& out, std::string_view key, std::string_view text) {
  out += key;
  append_json_text(text, out);
}

/// Each behind a comma, in brackets.
template <class All, class Put>
void put_list(std::string& out, std::string_view key, const All& all, const Put& put_one) {
  out += key;
  out += '[';
  bool is_first = true;
  for (const auto& one : all) {
    if (!std::exchange(is_first, false)) out += ',';
    put_one(one);
  }
  out += ']';
}

void put_asked(std::string& out, const CandidateInfo& place, stacks::WallTime now) {
  put(out, R"({"source":)", place.source);
  put(out, R"(,"location":)", place.location);
  put(out, R"(,"status":)", name_of(place.download));
  if (!place.heard().empty()) put(out, R"(,"details":)", place.heard());
  if (place.retry_at && *place.retry_at > now)
    fmt::format_to(std::back_inserter(out), R"(,"retry_at":{},"retry_after":{})",
                   std::chrono::ceil<std::chrono::seconds>(place.retry_at->time_since_epoch()).count(),
                   stacks::seconds_until(*place.retry_at, now).count());
  out += '}';
}

void put_explanation(std::string& out, const Explanation& explanation, std::span<const stacks::ModuleState> states,
                     stacks::WallTime now) {
  const stacks::Gap& gap = explanation.gap;
  out += '{';
  if (gap.module) fmt::format_to(std::back_inserter(out), R"("module":{},)", *gap.module);
  put_list(out, R"("frames":)", gap.frames, [&](const stacks::FramePlace& at) {
    fmt::format_to(std::back_inserter(out), R"({{"stack":{},"original_index":{}}})", at.stack, at.original_index);
  });
  fmt::format_to(std::back_inserter(out), R"(,"frame_count":{})", gap.count);
  put(out, R"(,"reason":)", explanation.advice.reason);
  put(out, R"(,"fix":)", explanation.advice.fix);
  if (gap.module && is_about_files(gap.trouble))
    put_list(out, R"(,"asked":)", states[*gap.module].candidates,
             [&](const CandidateInfo& place) { put_asked(out, place, now); });
  out += '}';
}

}  // namespace

std::string explanations_member(std::span<const Explanation> explanations, std::span<const stacks::ModuleState> states,
                                stacks::WallTime now) {
  std::string out;
  put_list(out, R"(,"explanations":)", explanations,
           [&](const Explanation& one) { put_explanation(out, one, states, now); });
  return out;
}

}  // namespace symcached::api
