#pragma once
/// Answers of Symbolicator's protocol, written as JSON while they are made. Pure.
/// Spec: docs/protocols/symbolicator.md.
#include <span>
#include <string>
#include <string_view>

#include "stacks/gaps.hpp"
#include "stacks/source_context.hpp"
#include "stacks/symbolicate.hpp"

namespace symcached::api {

/// Bytes of frames that an answer may have. Addresses are short, and what is known of them need not be.
inline constexpr std::size_t kMaxAnswer = std::size_t{256} << 20;

struct ResponseShape {
  std::string_view status = R"("status":"completed")";  ///< the first members
  /// Members behind them, in front of all others: `"crashed":true,`; empty for /symbolicate
  std::string_view before = {};
  std::size_t limit = kMaxAnswer;  ///< of frames, in bytes
};

/// An answer with frames: a sink for symbolicate(), then finish().
class ResponseWriter final : public stacks::FrameSink {
 public:
  /// @param shape  its texts are copied
  explicit ResponseWriter(const stacks::Request& request, const ResponseShape& shape = {});

  void begin_stack(const stacks::Stack& stack) override;
  void frame(const stacks::OutFrame& frame) override;
  void end_stack() override;
  bool is_full() const override { return out_.size() > limit_; }
  const stacks::FrameCounts& counts() const { return counts_; }

  /// @param states  of all modules of the request
  /// @param after   members that stand behind all others: `,"explanations":[]`
  /// @return        the body; that of a failure if the frames passed the limit
  std::string finish(const stacks::ModuleMap& modules, std::span<const stacks::ModuleState> states,
                     std::string_view after = {}) &&;

 private:
  const stacks::Request& request_;
  std::size_t limit_;
  std::string out_;
  stacks::FrameCounts counts_{};
  bool first_stack_ = true, first_frame_ = true;
};

struct CompletedBody {
  std::string text;
  bool is_failure = false;  ///< the frames passed the limit
  stacks::FrameCounts frames = {};
};
/// Both in one: frames, modules, explanations if they are wanted, the whole body.
/// @param texts  sources of the modules; null: frames get no lines of them
/// @param now    for explanations
CompletedBody completed_body(const stacks::Request& request, const stacks::ModuleMap& modules,
                             std::span<const stacks::ModuleState> states, stacks::Scratch& scratch,
                             stacks::SourceTexts* texts = nullptr, stacks::WallTime now = {});

/// Not done yet: to be asked for by its id. @param retry_after  seconds
std::string pending_body(std::string_view request_id, unsigned retry_after);
/// The same without braces, for answers that have more.
std::string pending_members(std::string_view request_id, unsigned retry_after);
/// What was asked for cannot be done: a minidump that is none.
std::string failed_body(std::string_view message);
std::string timeout_body();
std::string internal_error_body();

/// Of HTTP errors.
std::string error_body(std::string_view detail, std::span<const std::string> causes = {});

}  // namespace symcached::api
