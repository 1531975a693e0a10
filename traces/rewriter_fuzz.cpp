/// Any text, in any pieces. With nothing found it comes out as it went in; with everything found nothing breaks.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "traces/rewriter.hpp"

namespace {

using namespace symcached::traces;

class Source final : public FrameSource {
 public:
  explicit Source(Resolved answer) : answer_(std::move(answer)) {}
  void resolve(std::span<const FrameQuestion> questions, std::span<Resolved> answers) override {
    if (questions.size() != answers.size()) std::abort();
    for (const FrameQuestion& question : questions)
      if (question.module.size() > kMaxModuleName) std::abort();
    std::ranges::fill(answers, answer_);
  }

 private:
  Resolved answer_;
};

std::string rewritten(std::string_view text, Output output, Resolved answer, std::size_t piece) {
  Source source(std::move(answer));
  std::string out;
  Rewriter rewriter(source, output, [&](std::string_view part) { out += part; });
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) rewriter.feed(text.substr(0, piece));
  rewriter.finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Resolved known{.status = Status::ok, .frames = {{"f", "a.c", 1, 2, true}, {"g", "b.c", 3, 4, false}}};
  if (rewritten(text, Output::text, {}, 1 << 20) != text) std::abort();
  const std::string whole = rewritten(text, Output::text, known, 1 << 20);
  if (whole != rewritten(text, Output::text, known, 7)) std::abort();
  rewritten(text, Output::json, known, 1 << 20);
  rewritten(text, Output::table, known, 1 << 20);
  return 0;
}
