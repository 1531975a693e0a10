#pragma once
/// A source that knows the same of every place, and writes down what it was asked.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "traces/frame_source.hpp"

namespace symcached::testkit {

/// "B 0x13c8 /opt/a/srv raw 4f2c", "N foo+0x12/0x80 vmlinux exact"
inline std::string text_of(const traces::FrameQuestion& q) {
  std::string text(traces::letter_of(q.kind));
  text += q.kind == traces::NumberKind::named ? fmt::format(" {}+{:#x}", q.function, q.value)
                                              : fmt::format(" {:#x}", q.value);
  if (q.size) text += fmt::format("/{:#x}", *q.size);
  if (q.other_offset) text += fmt::format(" or {:#x}", *q.other_offset);
  if (q.usual_base) text += fmt::format(" from {:#x}", *q.usual_base);
  text += fmt::format(" {} {}", q.module.empty() ? "-" : q.module, q.subtract ? "before" : "at");
  if (!q.build_id.empty()) text += " " + q.build_id;
  if (q.debug_id) text += " " + q.debug_id->breakpad();
  return text;
}

class StubFrames final : public traces::FrameSource {
 public:
  void resolve(std::span<const traces::FrameQuestion> questions, std::span<traces::Resolved> answers) override {
    for (std::size_t i = 0; i < questions.size(); ++i) {
      asked.push_back(text_of(questions[i]));
      answers[i] = answer;
    }
    ++calls;
  }

  traces::Resolved answer{.status = traces::Status::ok,
                          .frames = {{"poke", "a.c", 8, 3, true}, {"outer", "b.c", 9, 1, false}},
                          .lookup = 0x1234};
  std::vector<std::string> asked;
  int calls = 0;
};

}  // namespace symcached::testkit
