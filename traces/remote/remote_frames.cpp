#include "traces/remote/remote_frames.hpp"

#include <chrono>

#include "traces/remote/stack_request.hpp"

namespace symcached::traces {
namespace {

using stacks::Trouble;

constexpr std::size_t kMostExplanations = 10'000;

/// What a server that explains nothing says of a module.
std::optional<Trouble> trouble_of(std::string_view status) {
  if (status == "found" || status == "unused") return std::nullopt;
  return status == "other" ? Trouble::own_fault : status == "unsupported" ? Trouble::of_windows : Trouble::no_file;
}

stacks::Advice advice_on(const FrameQuestion& question, Trouble trouble, std::span<const stacks::CandidateInfo> asked) {
  return stacks::advice_on({.trouble = trouble, .ids = remote_ids(question), .asked = asked}, {});
}

Status without_answer(Trouble trouble) { return trouble == Trouble::no_map ? Status::no_map : Status::no_debug_file; }

}  // namespace

void RemoteFrames::resolve(std::span<const FrameQuestion> questions, std::span<Resolved> answers) {
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    answers[i] = {.status = Status::no_debug_file};
    const auto place = remote_place(questions[i]);
    if (place) {
      asked.push_back(i);
      continue;
    }
    const bool is_lost = questions[i].module.empty() && questions[i].kind == NumberKind::runtime;
    const Trouble trouble = is_lost ? Trouble::no_map : place.error();
    answers[i].status = without_answer(trouble);
    explain_module(questions[i], 1, advice_on(questions[i], trouble, {}), {});
  }
  ask_batches(questions, asked, answers);
}

void RemoteFrames::ask_batches(std::span<const FrameQuestion> questions, std::span<const std::size_t> asked,
                               std::span<Resolved> answers) {
  while (!asked.empty() && error_.empty()) {
    StackRequest request = stack_request(questions, asked, explains_);
    auto answer = ask_(std::move(request.body), request.frames.size());
    if (!answer) {
      error_ = std::move(answer.error());
      return;
    }
    for (std::size_t i = 0; i < request.frames.size() && i < answer->frames.size(); ++i) {
      if (answer->frames[i].empty()) continue;
      const FrameQuestion& question = questions[request.frames[i]];
      Resolved& resolved = answers[request.frames[i]];
      resolved = {.status = is_sure(question) ? Status::ok : Status::unverified,
                  .frames = std::move(answer->frames[i])};
      if (question.kind == NumberKind::link) resolved.lookup = question.value - (question.subtract ? 1 : 0);
    }
    if (explains_) explain(questions, request.modules, *answer);
    asked = asked.subspan(request.frames.size());
  }
}

void RemoteFrames::explain(std::span<const FrameQuestion> questions, const std::vector<std::size_t>& modules,
                           StackCompleted& answer) {
  if (answer.explanations) {
    for (auto& one : *answer.explanations)
      if (one.module && *one.module < modules.size())
        explain_module(questions[modules[*one.module]], one.frames, std::move(one.advice), std::move(one.asked));
    return;
  }
  for (std::size_t i = 0; i < modules.size() && i < answer.modules.size(); ++i) {
    const FrameQuestion& question = questions[modules[i]];
    auto& candidates = answer.modules[i].candidates;
    const auto trouble = trouble_of(answer.modules[i].status);
    if (!trouble) continue;
    stacks::Advice advice = advice_on(question, *trouble, candidates);
    explain_module(question, 0, std::move(advice), std::move(candidates));
  }
}

void RemoteFrames::explain_module(const FrameQuestion& question, std::uint64_t frames, stacks::Advice advice,
                                  std::vector<stacks::CandidateInfo> asked) {
  if (!explains_ || explanations_.size() >= kMostExplanations) return;
  const auto [entry, is_new] = explanations_.try_emplace({question.module, advice.reason});
  entry->second.frames += frames;
  if (!is_new) return;
  entry->second.module = question.module;
  entry->second.advice = std::move(advice);
  entry->second.asked = std::move(asked);
}

std::vector<stacks::ModuleExplanation> RemoteFrames::explanations() const {
  std::vector<stacks::ModuleExplanation> all;
  for (const auto& [key, one] : explanations_) all.push_back(one);
  return all;
}

}  // namespace symcached::traces
