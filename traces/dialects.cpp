#include "traces/dialects.hpp"

#include <algorithm>
#include <array>

#include "traces/words.hpp"

namespace symcached::traces {
namespace {

/// Frames that the kernel or the runtime puts between a signal and the function it interrupted.
bool is_signal_frame(std::string_view function) {
  constexpr std::array<std::string_view, 5> kNames{"__restore_rt", "__kernel_rt_sigreturn", "_sigtramp",
                                                   "KiUserExceptionDispatcher", "<signal handler called>"};
  return std::ranges::find(kNames, function) != kNames.end();
}

/// How far a line of a tree is indented.
std::size_t depth_of(std::string_view text) { return std::min(text.find_first_of("0123456789"), text.size()); }

std::vector<const Dialect*> collect() {
  std::vector<const Dialect*> all;
  for (const auto table : {markup_dialects(), managed_dialects(), minidump_dialects(), android_dialects(),
                           sanitizer_dialects(), linux_user_dialects(), runtime_dialects(), kernel_dialects(),
                           windows_dialects(), apple_dialects(), profiler_dialects(), address_dialects()})
    for (const Dialect& dialect : table) all.push_back(&dialect);
  return all;
}

}  // namespace

std::string_view name_of(Adjust adjust) {
  constexpr std::array<std::string_view, 3> kNames{"raw", "done", "exact"};
  return kNames.at(static_cast<std::size_t>(adjust));
}

std::span<const Dialect* const> all_dialects() {
  static const std::vector<const Dialect*> kAll = collect();
  return kAll;
}

bool DialectChooser::matches(const Dialect& dialect, std::string_view text, Frames& out) {
  const std::size_t before = out.size();
  if (!dialect.match(text, state_, out)) return false;
  for (Frame& frame : std::span(out).subspan(before)) {
    frame.dialect = &dialect;
    if (!frame.adjust) frame.adjust = state_.adjust_next(dialect.adjusting, frame.index);
    if (is_signal_frame(frame.function)) state_.expect_interrupted();
  }
  last_ = &dialect;
  return true;
}

/// Where callers come first, a frame that the next line is no call of is where the program was.
/// @param count  of frames before the next line
/// @param depth  of the next line; 0: it is none of the tree
void DialectChooser::end_branch(std::size_t count, std::size_t depth, Frames& out) {
  if (count != 0 && out[count - 1].dialect->rewriting == Rewriting::append_after && depth <= depth_)
    out[count - 1].adjust = Adjust::exact;
  depth_ = depth;
}

std::optional<std::size_t> DialectChooser::read(std::string_view line, Frames& out) {
  const std::size_t before = out.size();
  const auto start = choose(trim_end(line), out);
  const bool is_tree = out.size() > before && out.back().dialect->rewriting == Rewriting::append_after;
  end_branch(before, is_tree ? depth_of(line) : 0, out);
  return start;
}

std::optional<std::size_t> DialectChooser::choose(std::string_view text, Frames& out) {
  const Beginnings beginnings = beginnings_of(text);
  for (std::size_t i = beginnings.count; i-- > 0;)
    if (last_ != nullptr && matches(*last_, text.substr(beginnings.at[i]), out)) return beginnings.at[i];
  for (std::size_t i = beginnings.count; i-- > 0;)
    for (const Dialect* const dialect : all_dialects())
      if (matches(*dialect, text.substr(beginnings.at[i]), out)) return beginnings.at[i];
  for (std::size_t i = beginnings.count; i-- > 0;)
    if (read_context(text.substr(beginnings.at[i]), state_, out)) break;
  return std::nullopt;
}

}  // namespace symcached::traces
