#pragma once
/// Lines of source around frames, for those whose modules' sources are at hand. docs/source-context.md
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "stacks/symbolicate.hpp"
#include "symbolize/source_lines.hpp"

namespace symcached::stacks {

inline constexpr std::uint32_t kContextLines = 5;  ///< before and after
/// Characters of a line: one that has more than kLongestLine is cut to kCutLine, and " {snip}" says so.
inline constexpr std::size_t kLongestLine = 150, kCutLine = 140;

/// What is known of a source file.
struct SourceText {
  const symbolize::SourceLines* lines = nullptr;  ///< null: its text is not at hand
  std::string_view link;                          ///< URL where it can be read; empty: none
};

/// Of all modules of a request.
class SourceTexts {
 public:
  virtual ~SourceTexts() = default;
  /// @param path  as OutFrame::path. What is returned lives as long as this.
  virtual SourceText find(std::uint32_t module, std::string_view path) = 0;
};

/// Whether lines of source belong to a frame.
bool has_source(const OutFrame& frame);

/// `line` as the protocol shows it; a view of `line` or of `buffer`.
std::string_view cut_line(std::string_view line, std::string& buffer);

/// Adds the lines to symbolicated frames that have a line number, and hands all on.
class ContextSink final : public FrameSink {
 public:
  /// Both outlive it.
  ContextSink(SourceTexts& texts, FrameSink& next) : texts_(texts), next_(next) {}

  void begin_stack(const Stack& stack) override { next_.begin_stack(stack); }
  void frame(const OutFrame& frame) override;
  void end_stack() override { next_.end_stack(); }
  bool is_full() const override { return next_.is_full(); }

 private:
  void set_lines(const symbolize::SourceLines& lines, std::uint32_t number, Frame& out);

  SourceTexts& texts_;
  FrameSink& next_;
  std::vector<std::string_view> before_, after_;
  std::array<std::string, 2 * kContextLines + 1> cut_;
};

}  // namespace symcached::stacks
