#pragma once
/// Answers of Symbolicator's protocol, written as JSON while they are made. Pure.
/// Spec: docs/protocols/symbolicator.md.
#include <span>
#include <string>
#include <string_view>

#include "stacks/gaps.hpp"
#include "stacks/symbolicate.hpp"

namespace symcached::api {

/// Bytes of frames that an answer may have. Addresses are short, and what is known of them need not be.
inline constexpr std::size_t kMaxAnswer = std::size_t{256} << 20;

/// The answer `completed`: a sink for symbolicate(), then finish().
class ResponseWriter final : public stacks::FrameSink {
 public:
  /// @param before  members that stand in front of all others but the status: `"crashed":true,`; empty for /symbolicate
  /// @param limit   of frames, in bytes
  explicit ResponseWriter(const stacks::Request& request, std::string_view before = {}, std::size_t limit = kMaxAnswer);

  void begin_stack(const stacks::Stack& stack) override;
  void frame(const stacks::OutFrame& frame) override;
  void end_stack() override;
  bool is_full() const override { return out_.size() > limit_; }

  /// @param states  of all modules of the request
  /// @param after   members that stand behind all others: `,"explanations":[]`
  /// @return        the body; that of a failure if the frames passed the limit
  std::string finish(const stacks::ModuleMap& modules, std::span<const stacks::ModuleState> states,
                     std::string_view after = {}) &&;

 private:
  const stacks::Request& request_;
  std::size_t limit_;
  std::string out_;
  bool first_stack_ = true, first_frame_ = true;
};

/// Both in one: frames, modules, explanations if they are wanted, the whole body.
/// @param now  for explanations
std::string completed_body(const stacks::Request& request, const stacks::ModuleMap& modules,
                           std::span<const stacks::ModuleState> states, stacks::Scratch& scratch,
                           stacks::WallTime now = {});

/// Not done yet: to be asked for by its id. @param retry_after  seconds
std::string pending_body(std::string_view request_id, unsigned retry_after);
/// What was asked for cannot be done: a minidump that is none.
std::string failed_body(std::string_view message);
std::string timeout_body();
std::string internal_error_body();

/// Of HTTP errors.
std::string error_body(std::string_view detail, std::span<const std::string> causes = {});

}  // namespace symcached::api
