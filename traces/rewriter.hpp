#pragma once
/// A text with stack traces in it, written again with what is known of their frames.
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "traces/dialects.hpp"
#include "traces/render.hpp"

namespace symcached::traces {

enum class Output : std::uint8_t {
  text,   ///< the same text, with functions, files, lines and inlined calls in it
  json,   ///< an array with an object for each frame
  table,  ///< a row for each frame
};

inline constexpr std::size_t kMaxLine = std::size_t{64} << 10;    ///< bytes; longer lines hold no frames
inline constexpr std::size_t kBlockBytes = std::size_t{4} << 20;  ///< of text, held back at most

/// How much of what was found, for those who print it.
struct Tally {
  std::map<std::string_view, std::uint64_t> frames;  ///< by dialect
  std::map<Status, std::uint64_t> answers;           ///< of those that were asked about
};

/// Takes bytes as they come and holds them back until kBlockBytes are there or flush() is called: a memory map may
/// follow the frames that need it, and many questions are asked at once. What is no frame comes out byte for byte.
class Rewriter {
 public:
  using Write = std::function<void(std::string_view)>;
  /// @param source  must outlive it
  /// @param write   takes what is to be printed, in order
  Rewriter(FrameSource& source, Output output, Write write);

  /// @param bytes  any part of the text; lines need not be whole
  /// Cost: about a microsecond a line, and what new questions cost the source.
  void feed(std::string_view bytes);
  /// Writes all whole lines that were held back: for when the text pauses.
  void flush();
  /// The text ends here. @param last  one more object for the array of JSON; called when all questions were asked
  void finish(const std::function<std::string()>& last = {});

  const Tally& tally() const { return tally_; }

 private:
  struct Line {
    std::size_t begin = 0, end = 0, next = 0;  ///< in block_; end without the newline, next behind it
    std::size_t start = 0;                     ///< of the trace's own text, from begin
    std::uint64_t number = 0;
    std::size_t thread = 0;                        ///< in threads_
    std::size_t first_frame = 0, frame_count = 0;  ///< in frames_
  };
  using Answers = std::unordered_map<std::string, std::pair<FrameQuestion, Resolved>>;

  void take_part(std::string_view part);
  void read_line(std::size_t end, std::size_t next);
  void drop_doubtful_lines();
  bool is_unmapped(const Line& line) const;
  std::vector<AnsweredFrame> ask();
  void ask_round(std::vector<AnsweredFrame>& answered);
  bool learn_from(const std::vector<AnsweredFrame>& answered);
  void write_lines(const std::vector<AnsweredFrame>& answered);
  void write_block();

  FrameSource& source_;
  const Output output_;
  const Write write_;
  TraceState state_;
  DialectChooser chooser_{state_};
  Tally tally_;
  Answers answers_;

  std::string block_;              // never grows beyond what is reserved: lines and frames are views of it
  std::size_t line_begin_ = 0;     // in block_, of the line that is not whole yet
  bool is_too_long_ = false;       // the line that is not whole yet
  std::uint64_t line_number_ = 0;  // of the last whole line
  Frames frames_;
  std::vector<Line> lines_;  // those with frames
  std::vector<std::string> threads_;
  bool is_first_object_ = true;
};

}  // namespace symcached::traces
