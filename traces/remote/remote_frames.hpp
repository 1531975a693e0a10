#pragma once
/// Answers the frames of a trace from a server with Symbolicator's API.
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "traces/frame_source.hpp"
#include "traces/remote/stack_answer.hpp"

namespace symcached::traces {

class RemoteFrames final : public FrameSource {
 public:
  /// Sends the JSON of a request with so many frames. @return the answer, or what went wrong
  using Ask = std::function<std::expected<StackCompleted, std::string>(std::string body, std::size_t frames)>;

  /// @param explains  the server is asked for what explanations() needs
  RemoteFrames(Ask ask, bool explains) : ask_(std::move(ask)), explains_(explains) {}

  /// Cost: a request for each kBatchFrames. After the first one that fails nothing is asked any more.
  void resolve(std::span<const FrameQuestion> questions, std::span<Resolved> answers) override;

  /// Why the server was asked no more; empty: it answered.
  const std::string& error() const { return error_; }
  /// Of modules whose frames have no names, by name.
  std::vector<stacks::ModuleExplanation> explanations() const;

 private:
  void ask_batches(std::span<const FrameQuestion> questions, std::span<const std::size_t> asked,
                   std::span<Resolved> answers);
  void explain_module(const FrameQuestion& question, std::uint64_t frames, stacks::Advice advice,
                      std::vector<stacks::CandidateInfo> asked);
  void explain(std::span<const FrameQuestion> questions, const std::vector<std::size_t>& modules,
               StackCompleted& answer);

  const Ask ask_;
  const bool explains_;
  std::string error_;
  std::map<std::pair<std::string, std::string>, stacks::ModuleExplanation> explanations_;  ///< by name and reason
};

}  // namespace symcached::traces
