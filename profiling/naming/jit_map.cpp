#include "profiling/naming/jit_map.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <charconv>
#include <iterator>
#include <utility>
#include <vector>

#include "base/descriptor.hpp"

namespace symcached::pprof {
namespace {

constexpr std::uint64_t kMaxRead = 512u << 20;
constexpr std::size_t kPiece = 1 << 20;
constexpr std::size_t kMaxName = 4096;

bool take_hex(std::string_view& line, std::uint64_t& out) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), out, 16);
  if (error != std::errc() || end == line.data() + line.size() || *end != ' ') return false;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
  return true;
}

std::string usual_path() { return "/tmp/perf-" + std::to_string(::getpid()) + ".map"; }

}  // namespace

void JitNames::add_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  std::uint64_t begin = 0, size = 0;
  if (!take_hex(line, begin) || !take_hex(line, size) || line.empty() || size == 0 || size > ~begin) return;
  const std::uint64_t end = begin + size;
  auto at = functions_.upper_bound(begin);
  if (at != functions_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != functions_.end() && at->first < end) at = functions_.erase(at);
  if (functions_.size() < kMaxFunctions)
    functions_.emplace_hint(at, begin, Function{end, std::string(line.substr(0, kMaxName))});
}

std::string_view JitNames::find(std::uintptr_t address) const {
  const auto next = functions_.upper_bound(address);
  if (next == functions_.begin() || std::prev(next)->second.end <= address) return {};
  return std::prev(next)->second.name;
}

JitMap::JitMap(std::function<std::string()> path) : path_(path ? std::move(path) : usual_path) {}

std::string JitMap::name(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  return std::string(names_.find(address));
}

void JitMap::refresh() {
  const std::string path = path_();
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid()) return;
  const std::lock_guard lock(mutex_);
  const bool is_same = status.st_dev == status_.st_dev && status.st_ino == status_.st_ino;
  if (!is_same || static_cast<std::uint64_t>(status.st_size) < read_) {
    names_ = {};
    read_ = 0;
  }
  status_ = status;
  if (static_cast<std::uint64_t>(status.st_size) != read_) read_more(file.get(), status);
}

void JitMap::read_more(int file, const struct stat& status) {
  std::vector<char> piece(kPiece);
  std::string rest;  // of a line whose end has not been read
  std::uint64_t at = read_;
  while (at < static_cast<std::uint64_t>(status.st_size) && at < kMaxRead) {
    const ssize_t got = ::pread(file, piece.data(), piece.size(), static_cast<off_t>(at));
    if (got <= 0) break;
    at += static_cast<std::uint64_t>(got);
    rest.append(piece.data(), static_cast<std::size_t>(got));
    std::size_t begin = 0;
    for (std::size_t feed; (feed = rest.find('\n', begin)) != rest.npos; begin = feed + 1)
      names_.add_line(std::string_view(rest).substr(begin, feed - begin));
    rest.erase(0, begin);
    read_ = at - rest.size();
    if (rest.size() > kPiece) return;  // no line is that long
  }
}

}  // namespace symcached::pprof
