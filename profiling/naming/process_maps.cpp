#include "profiling/naming/process_maps.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>

#include "base/descriptor.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMaxText = 64 << 20;

/// Takes fields off the front of a line.
class Fields {
 public:
  explicit Fields(std::string_view line) : rest_(line) {}

  std::string_view next(char end) {
    const std::size_t at = rest_.find(end);
    const std::string_view field = rest_.substr(0, at);
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at + 1);
    return field;
  }
  template <class T>
  bool number(char end, int base, T& out) {
    const std::string_view field = next(end);
    const auto [stopped, error] = std::from_chars(field.data(), field.data() + field.size(), out, base);
    return error == std::errc() && stopped == field.data() + field.size();
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// "7f00-8f00 r-xp 00001000 fe:01 1234      /usr/lib/x.so"
std::optional<MapsLine> parse_line(std::string_view line) {
  MapsLine out;
  Fields fields(line);
  if (!fields.number('-', 16, out.begin) || !fields.number(' ', 16, out.end)) return std::nullopt;
  const std::string_view rights = fields.next(' ');
  if (rights.size() != 4 || !fields.number(' ', 16, out.offset)) return std::nullopt;
  fields.next(' ');  // the device, which some file systems state otherwise elsewhere
  if (!fields.number(' ', 10, out.inode) || out.end <= out.begin) return std::nullopt;
  out.is_executable = rights[2] == 'x';
  const std::size_t path = fields.rest().find_first_not_of(' ');
  if (path != std::string_view::npos) out.path = fields.rest().substr(path);
  return out;
}

}  // namespace

bool MapsLine::is_file() const {
  constexpr std::array<std::string_view, 4> kMemory{"/memfd:", "/dev/zero", "/SYSV", "//"};
  if (!path.starts_with('/')) return false;
  for (const std::string_view prefix : kMemory)
    if (path.starts_with(prefix)) return false;
  return true;
}

std::vector<MapsLine> parse_maps(std::string_view text) {
  std::vector<MapsLine> out;
  for (Fields lines(text); !lines.rest().empty();)
    if (auto line = parse_line(lines.next('\n'))) out.push_back(*std::move(line));
  return out;
}

std::vector<MapsLine> read_maps() {
  const Descriptor file(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 64 << 10> piece;
  while (file && text.size() < kMaxText) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return parse_maps(text);
}

}  // namespace symcached::pprof
