#include "traces/rewriter.hpp"

#include <algorithm>
#include <utility>

#include "traces/question.hpp"

namespace symcached::traces {
namespace {

constexpr std::size_t kMaxAnswers = 200'000;  ///< kept from one block to the next

}  // namespace

Rewriter::Rewriter(FrameSource& source, Output output, Write write)
    : source_(source), output_(output), write_(std::move(write)) {
  block_.reserve(kBlockBytes + kMaxLine);
  if (output_ == Output::json) write_("[");
  if (output_ == Output::table) write_(table_head());
}

void Rewriter::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), kMaxLine);
    if (block_.size() + part > kBlockBytes + kMaxLine) {
      write_block();
      continue;
    }
    take_part(bytes.substr(0, part));
    bytes.remove_prefix(part);
    if (block_.size() > kBlockBytes) write_block();
  }
}

void Rewriter::take_part(std::string_view part) {
  std::size_t at = block_.size();
  block_ += part;
  for (std::size_t newline; (newline = block_.find('\n', at)) != block_.npos; at = line_begin_)
    read_line(newline, newline + 1);
  if (block_.size() - line_begin_ <= kMaxLine) return;
  is_too_long_ = true;  // what there is of it may go
  line_begin_ = block_.size();
}

/// The line from line_begin_ to `end`; the next one begins at `next`.
void Rewriter::read_line(std::size_t end, std::size_t next) {
  ++line_number_;
  const std::size_t begin = std::exchange(line_begin_, next);
  if (std::exchange(is_too_long_, false) || end - begin > kMaxLine) return;
  const std::size_t before = frames_.size();
  const auto start = chooser_.read(std::string_view(block_).substr(begin, end - begin), frames_);
  if (!start) return;
  if (threads_.empty() || threads_.back() != state_.thread()) threads_.push_back(state_.thread());
  lines_.push_back({begin, end, next, *start, line_number_, threads_.size() - 1, before, frames_.size() - before});
}

bool Rewriter::is_unmapped(const Line& line) const {
  return std::ranges::any_of(std::span(frames_).subspan(line.first_frame, line.frame_count), [&](const Frame& frame) {
    return frame.must_be_mapped && state_.map.find(frame.value) == nullptr;
  });
}

/// A line of a weak dialect counts with another one nearby, an address alone with a memory map.
void Rewriter::drop_doubtful_lines() {
  constexpr std::uint64_t kNear = 3;  // lines
  const auto dialect_of = [&](const Line& line) { return frames_[line.first_frame].dialect; };
  const auto supports = [&](const Line& line, const Line& other) {
    const std::uint64_t apart = std::max(line.number, other.number) - std::min(line.number, other.number);
    return dialect_of(line) == dialect_of(other) && apart <= kNear;
  };
  std::vector<Line> kept;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const bool lonely = !(i > 0 && supports(lines_[i], lines_[i - 1])) &&
                        !(i + 1 < lines_.size() && supports(lines_[i], lines_[i + 1]));
    if ((!dialect_of(lines_[i])->weak || !lonely) && !is_unmapped(lines_[i])) kept.push_back(lines_[i]);
  }
  lines_ = std::move(kept);
}

/// @return what is known of frames_, in their order; views of answers_
std::vector<AnsweredFrame> Rewriter::ask() {
  if (answers_.size() > kMaxAnswers) answers_.clear();
  std::vector<AnsweredFrame> answered(frames_.size());
  for (std::size_t i = 0; i < frames_.size(); ++i) answered[i].frame = &frames_[i];
  ask_round(answered);
  if (learn_from(answered)) ask_round(answered);
  for (const Line& line : lines_)
    for (const AnsweredFrame& one : std::span(answered).subspan(line.first_frame, line.frame_count)) {
      ++tally_.frames[one.frame->dialect->name];
      if (one.answer != nullptr) ++tally_.answers[one.answer->status];
    }
  return answered;
}

/// Asks about all frames that are not answered yet, or were not for want of a memory map.
void Rewriter::ask_round(std::vector<AnsweredFrame>& answered) {
  std::vector<FrameQuestion> questions;
  std::vector<Resolved*> places;
  for (const Line& line : lines_) {
    for (AnsweredFrame& one : std::span(answered).subspan(line.first_frame, line.frame_count)) {
      if (one.frame->is_resolved || (one.answer != nullptr && one.answer->status != Status::no_map)) continue;
      FrameQuestion question = question_of(*one.frame, state_);
      const auto [entry, is_new] = answers_.try_emplace(key_of(question));
      auto& [asked, answer] = entry->second;
      if (is_new) {
        asked = std::move(question);
        questions.push_back(asked);
        places.push_back(&answer);
      }
      one.question = &asked;
      one.answer = &answer;
    }
  }
  std::vector<Resolved> answers(questions.size());
  if (!questions.empty()) source_.resolve(questions, answers);
  for (std::size_t i = 0; i < answers.size(); ++i) *places[i] = std::move(answers[i]);
}

/// A frame that was found by name, and has its address, tells where its module lies.
/// @return whether that may help another frame
bool Rewriter::learn_from(const std::vector<AnsweredFrame>& answered) {
  bool has_learnt = false, lacks_map = false;
  for (const AnsweredFrame& one : answered) {
    if (one.answer == nullptr) continue;
    lacks_map = lacks_map || one.answer->status == Status::no_map;
    const bool is_named = one.question->kind == NumberKind::named && one.frame->address;
    if (!is_named || !is_found(one.answer->status) || !one.answer->lookup) continue;
    const std::uint64_t place = *one.answer->lookup + (one.question->subtract ? 1 : 0);
    state_.map.learn_bias(one.frame->module, *one.frame->address - place);
    has_learnt = true;
  }
  return has_learnt && lacks_map;
}

void Rewriter::write_lines(const std::vector<AnsweredFrame>& answered) {
  std::string out;
  std::size_t copied = 0;
  for (const Line& line : lines_) {
    const std::string_view text = block_;
    const AnsweredLine one{.line = text.substr(line.begin, line.end - line.begin),
                           .newline = text.substr(line.end, line.next - line.end),
                           .start = line.start,
                           .number = line.number,
                           .thread = threads_[line.thread],
                           .frames = std::span(answered).subspan(line.first_frame, line.frame_count)};
    if (output_ == Output::json) {
      append_json(one, out, is_first_object_);
    } else if (output_ == Output::table) {
      append_table(one, out);
    } else {
      out += text.substr(copied, line.begin - copied);
      append_text(one, out);
    }
    copied = line.next;
  }
  if (output_ == Output::text) out += std::string_view(block_).substr(copied, line_begin_ - copied);
  write_(out);
}

void Rewriter::write_block() {
  drop_doubtful_lines();
  write_lines(ask());
  block_.erase(0, line_begin_);
  line_begin_ = 0;
  frames_.clear();
  lines_.clear();
  threads_.clear();
}

void Rewriter::flush() {
  if (line_begin_ != 0) write_block();
}

void Rewriter::finish(const std::function<std::string()>& last) {
  if (line_begin_ != block_.size()) read_line(block_.size(), block_.size());
  write_block();
  if (output_ != Output::json) return;
  if (last) {
    write_(is_first_object_ ? "\n" : ",\n");
    is_first_object_ = false;
    write_(last());
  }
  write_(is_first_object_ ? "]\n" : "\n]\n");
}

}  // namespace symcached::traces
