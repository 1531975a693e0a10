#include "app/answerer.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/threads.hpp"

namespace symcached::app {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{128} << 10;
constexpr std::size_t kWrittenAtOnce = std::size_t{256} << 10;  ///< what the processor's caches still hold
constexpr std::size_t kQuestionsAtOnce = std::size_t{4} << 10;  ///< bytes of them that a thread takes

/// @return false: nobody gets the answers any more
bool flush(std::string& out) {
  const bool written = std::fwrite(out.data(), 1, out.size(), stdout) == out.size();
  out.clear();
  return std::fflush(stdout) == 0 && written && std::ferror(stdout) == 0;
}

/// Answers blocks of whole lines.
class LineAnswerer {
 public:
  LineAnswerer(bool json, Answerer& first, unsigned threads) : json_(json), answerers_{&first} {
    for (unsigned i = 1; i < threads; ++i) {
      others_.push_back(first.another());
      if (others_.back() == nullptr) break;
      answerers_.push_back(others_.back().get());
    }
  }

  bool all_good() const { return good_; }

  /// @param lines  each with its line end; the last may be without
  /// @return false: nobody gets the answers any more
  bool answer(std::string_view lines) {
    if (answerers_.size() == 1 || lines.size() <= kQuestionsAtOnce) {
      const bool good = answer(lines, *answerers_.front(), out_, true);
      good_ = good && good_;
      return flush(out_);
    }
    cut(lines);
    run_on_threads(std::min(answerers_.size(), pieces_.size()), [&](std::size_t i) { work(*answerers_[i]); });
    return !broken_;
  }

 private:
  struct Piece {
    std::string_view questions;
    std::string answers = {};
    bool done = false;
  };

  void cut(std::string_view lines) {
    pieces_.clear();
    taken_ = written_ = 0;
    while (!lines.empty()) {
      const std::size_t end = lines.find('\n', std::min(kQuestionsAtOnce, lines.size() - 1));
      pieces_.push_back({lines.substr(0, end == lines.npos ? end : end + 1)});
      lines.remove_prefix(pieces_.back().questions.size());
    }
  }

  /// Takes pieces until none is left.
  void work(Answerer& answerer) {
    for (std::unique_lock lock(mutex_); taken_ != pieces_.size() && !broken_;) {
      Piece& piece = pieces_[taken_++];
      lock.unlock();
      const bool good = answer(piece.questions, answerer, piece.answers, false);
      lock.lock();
      good_ = good && good_;
      piece.done = true;
      write_done(lock);
    }
  }

  /// One thread writes at a time: what is done when it comes back is its, too.
  void write_done(std::unique_lock<std::mutex>& lock) {
    if (is_writing_) return;
    is_writing_ = true;
    while (written_ != pieces_.size() && pieces_[written_].done && !broken_) {
      std::string answers = std::move(pieces_[written_++].answers);
      lock.unlock();
      const bool written = flush(answers);
      lock.lock();
      broken_ = !written;
    }
    is_writing_ = false;
  }

  /// @param early  answers may go out before the last one is made
  bool answer(std::string_view lines, Answerer& answerer, std::string& out, bool early) const {
    bool good = true;
    while (!lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      good = answerer.answer(lines.substr(0, end), out) && good;
      if (json_) out += '\n';
      lines.remove_prefix(std::min(end + 1, lines.size()));
      if (early && out.size() >= kWrittenAtOnce && !flush(out)) break;
    }
    return good;
  }

  const bool json_;
  std::vector<std::unique_ptr<Answerer>> others_;
  std::vector<Answerer*> answerers_;
  std::string out_;
  std::vector<Piece> pieces_;
  std::mutex mutex_;  // of all below, and of Piece::done
  std::size_t taken_ = 0, written_ = 0;
  bool is_writing_ = false, broken_ = false, good_ = true;
};

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

bool answer_arguments(const std::vector<std::string>& questions, bool json, Answerer& answerer) {
  std::string out;
  bool good = true;
  if (json) out += '[';
  for (std::size_t i = 0; i < questions.size(); ++i) {
    if (json && i != 0) out += ',';
    good = answerer.answer(questions[i], out) && good;
  }
  if (json) out += "]\n";
  flush(out);
  return good;
}

bool answer_stdin(bool json, Answerer& answerer, unsigned threads) {
  std::string in(kReadAtOnce, '\0');
  std::size_t kept = 0;  // of the line that is not whole yet
  LineAnswerer answers(json, answerer, threads);
  for (;;) {
    if (kept == in.size()) in.resize(in.size() * 2);
    const ssize_t got = ::read(STDIN_FILENO, in.data() + kept, in.size() - kept);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    const std::string_view read(in.data(), kept + static_cast<std::size_t>(got));
    const std::size_t whole = read.rfind('\n') + 1;  // npos + 1 is 0
    if (whole != 0 && !answers.answer(read.substr(0, whole))) return answers.all_good();
    kept = read.size() - whole;
    std::memmove(in.data(), read.data() + whole, kept);
  }
  if (kept != 0) answers.answer(std::string_view(in).substr(0, kept));
  return answers.all_good();
}

}  // namespace symcached::app
