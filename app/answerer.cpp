#include "app/answerer.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace symcached::app {
namespace {

/// @return false: nobody gets the answers any more
bool flush(std::string& out) {
  const bool written = std::fwrite(out.data(), 1, out.size(), stdout) == out.size();
  out.clear();
  return std::fflush(stdout) == 0 && written;
}

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

bool answer_stdin(bool json, Answerer& answerer) {
  std::string in(1u << 16, '\0'), out;
  std::size_t kept = 0;  // of the line that is not whole yet
  bool good = true;
  const auto answer = [&](std::string_view line) {
    good = answerer.answer(line, out) && good;
    if (json) out += '\n';
  };
  for (;;) {
    if (!flush(out)) return good;
    if (kept == in.size()) in.resize(in.size() * 2);
    const ssize_t got = ::read(STDIN_FILENO, in.data() + kept, in.size() - kept);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    std::string_view lines(in.data(), kept + static_cast<std::size_t>(got));
    for (std::size_t end; (end = lines.find('\n')) != lines.npos; lines.remove_prefix(end + 1))
      answer(lines.substr(0, end));
    kept = lines.size();
    std::memmove(in.data(), lines.data(), kept);
  }
  if (kept != 0) answer(std::string_view(in).substr(0, kept));
  flush(out);
  return good;
}

}  // namespace symcached::app
