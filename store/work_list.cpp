#include "store/work_list.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "base/descriptor.hpp"
#include "store/files.hpp"

namespace symcached::store {
namespace {

constexpr std::size_t kMaxFile = std::size_t{64} << 20;  ///< bytes
constexpr std::size_t kRewriteAfter = 256;               ///< lines struck off
constexpr int kAttempts = 4;                             ///< against others who replace the file
constexpr mode_t kMode = 0600;

bool is_line(std::string_view line) {
  return !line.empty() && line.size() <= WorkList::kMaxLine &&
         std::ranges::none_of(line, [](char c) { return c == '\n' || c == '\0'; });
}

/// The file that has the name now, locked until it is closed.
Descriptor open_locked(const std::filesystem::path& path) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, kMode));
    struct stat opened{}, named{};
    if (!file || ::fstat(file.get(), &opened) != 0 || !S_ISREG(opened.st_mode)) return {};
    while (::flock(file.get(), LOCK_EX) != 0 && errno == EINTR) {
    }
    if (::lstat(path.c_str(), &named) == 0 && named.st_ino == opened.st_ino && named.st_dev == opened.st_dev)
      return file;
  }
  return {};
}

/// Whole lines only: the last one may have been cut.
std::vector<std::string> read_lines(int file) {
  std::string text;
  std::vector<char> buffer(std::size_t{64} << 10);
  while (text.size() < kMaxFile) {
    const ssize_t n = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(n));
  }
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    if (const auto line = std::string_view(text).substr(at, end - at); is_line(line)) lines.emplace_back(line);
  return lines;
}

}  // namespace

WorkList::WorkList(std::filesystem::path file) : file_(std::move(file)) {
  if (file_.empty()) return;
  const Descriptor opened(::open(file_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened) return;
  for (std::string& line : read_lines(opened.get()))
    if (known_.size() < kMostLines && known_.insert(line).second) waiting_.push_back(std::move(line));
}

bool WorkList::add(std::string_view line) {
  if (!is_line(line)) return false;
  const std::scoped_lock lock(mutex_);
  if (known_.size() >= kMostLines || !known_.emplace(line).second) return false;
  waiting_.emplace_back(line);
  struck_.erase(std::string(line));
  append(line);
  return true;
}

std::optional<std::string> WorkList::next() {
  const std::scoped_lock lock(mutex_);
  if (waiting_.empty()) return std::nullopt;
  std::string line = std::move(waiting_.front());
  waiting_.pop_front();
  return line;
}

void WorkList::done(const std::string& line) {
  const std::scoped_lock lock(mutex_);
  known_.erase(line);
  struck_.insert(line);
  if (known_.empty() || struck_.size() >= kRewriteAfter) rewrite();
}

std::size_t WorkList::waiting() const {
  const std::scoped_lock lock(mutex_);
  return waiting_.size();
}

void WorkList::append(std::string_view line) {
  if (file_.empty()) return;
  const Descriptor file = open_locked(file_);
  const std::string text = std::string(line) + '\n';
  if (file) [[maybe_unused]]
    const ssize_t ignored = ::write(file.get(), text.data(), text.size());
}

/// Without what was struck off; lines that others added meanwhile stay.
void WorkList::rewrite() {
  if (file_.empty()) return struck_.clear();
  const Descriptor before = open_locked(file_);
  if (!before) return;
  std::string text;
  for (const std::string& line : read_lines(before.get()))
    if (!struck_.contains(line)) text += line + '\n';
  const std::filesystem::path next = file_.native() + ".new";
  const Descriptor file(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, kMode));
  if (!file || write_at(file.get(), text.data(), text.size(), 0) != 0) return;
  if (::rename(next.c_str(), file_.c_str()) == 0) struck_.clear();
}

}  // namespace symcached::store
