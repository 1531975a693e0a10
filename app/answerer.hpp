#pragma once
/// Questions on the command line or on stdin, and one answer to each.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace symcached::app {

/// Answers lines, one answer each whatever the line holds, so that answers can be counted off against questions.
class Answerer {
 public:
  virtual ~Answerer() = default;
  /// @return false after a complaint on stderr. An empty line is answered as unknown without one.
  virtual bool answer(std::string_view line, std::string& out) = 0;
  /// One that answers as this one does, for another thread, while this one lives. Null: none can, as where an answer
  /// depends on the questions before.
  virtual std::unique_ptr<Answerer> another() const { return nullptr; }
};

/// Without blanks around it.
std::string_view trimmed(std::string_view text);

/// Answers go to stdout: in JSON as one array.
/// @return false if a question was none
bool answer_arguments(const std::vector<std::string>& questions, bool json, Answerer& answerer);

/// Answers go to stdout, in JSON one a line. A program that asks one address at a time waits for each answer, so what
/// is answered goes out before every read; one that sends many at once gets them in large pieces, made by several
/// threads where the answerer has another. Answers are in the order of the questions, complaints need not be.
/// @param threads  at most so many, at least 1
/// @return false if a question was none
bool answer_stdin(bool json, Answerer& answerer, unsigned threads = 1);

}  // namespace symcached::app
