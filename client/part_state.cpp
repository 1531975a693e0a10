#include "client/part_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace symcached::client {
namespace {

constexpr std::string_view kFirstLine = "symcached part 1";

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return size;
}

bool is_strong(std::string_view etag) {
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; };
  return etag.size() >= 2 && etag.starts_with('"') && etag.ends_with('"') && std::ranges::none_of(etag, is_control);
}

}  // namespace

bool Announced::can_be_resumed() const { return is_strong(etag) && size > 1 && !is_encoded; }

std::string to_text(const PartState& state) {
  const Announced& announced = state.announced;
  std::string text = fmt::format("{}\n{}\n{}\n{}\n{}\n", kFirstLine, state.boot, announced.version.to_string(),
                                 announced.size, announced.etag);
  return text.size() <= kMaxPartState ? text : std::string();
}

std::optional<PartState> parse_part_state(std::string_view text) {
  if (text.size() > kMaxPartState) return std::nullopt;
  std::array<std::string_view, 5> lines;
  for (std::string_view& line : lines) {
    const std::size_t end = text.find('\n');
    if (end == text.npos) return std::nullopt;
    line = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  const auto version = wpt::Version::parse(lines[2]);
  const auto size = parse_size(lines[3]);
  if (lines[0] != kFirstLine || lines[1].empty() || !version || !size || !text.empty()) return std::nullopt;
  PartState state{std::string(lines[1]), {*version, *size, std::string(lines[4])}};
  if (!state.announced.can_be_resumed()) return std::nullopt;
  return state;
}

}  // namespace symcached::client
