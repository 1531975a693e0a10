#include "api/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cerrno>
#include <cstring>

#include "base/ascii.hpp"
#include "base/hex.hpp"

namespace symcached::api {
namespace {

namespace json = boost::json;

/// Lower case. Their values say something of the client program, and nothing of whom it runs for.
constexpr auto kShown = std::to_array<std::string_view>({
    "accept",
    "accept-encoding",
    "accept-retry-after",
    "allow-retry-after",
    "cache-control",
    "connection",
    "content-length",
    "content-type",
    "expect",
    "if-version-exceeds",
    "keep-alive",
    "pragma",
    "range",
    "te",
    "transfer-encoding",
    "upgrade",
    "user-agent",
});

bool is_letter(char c) { return lower_ascii(c) >= 'a' && lower_ascii(c) <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

char shape_of(char c, bool is_hex) {
  if (is_digit(c)) return '0';
  if (!is_letter(c)) return c;
  const char lower = is_hex ? 'a' : 'x';
  return c == lower_ascii(c) ? lower : static_cast<char>(lower - 'a' + 'A');
}

/// Of "%41", so that a name which is escaped letter by letter does not show either.
std::string shape_of_escape(char c, bool is_hex) {
  return fmt::format("%{:02X}", static_cast<unsigned char>(shape_of(c, is_hex)));
}

bool is_hex_or_dash(char c) { return hex_digit(c).has_value() || c == '-'; }

std::string shape_of_segment(std::string_view segment) {
  const bool is_hex = segment.size() >= 32 && std::ranges::count_if(segment, is_hex_or_dash) >= 32;
  std::string shape;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    const auto escaped = segment[i] == '%' ? parse_hex(segment.substr(i + 1, 2)) : std::nullopt;
    if (escaped && escaped->size() == 1) shape += shape_of_escape(static_cast<char>(escaped->front()), is_hex), i += 2;
    else shape += shape_of(segment[i], is_hex);
  }
  return shape;
}

/// "v3.1.0", "open", "symbolicate": words of ours, not of the client's programs.
bool is_word_of_protocol(std::string_view segment) {
  constexpr std::array<std::string_view, 5> kWords{"open", "symbolicate", "proxy", "healthcheck", "readyz"};
  const std::string lower = lower_ascii(segment);
  if (std::ranges::find(kWords, lower) != kWords.end()) return true;
  return lower.size() > 1 && lower.size() <= 32 && lower[0] == 'v' && is_digit(lower[1]) &&
         std::ranges::all_of(lower.substr(1), [](char c) { return is_digit(c) || c == '.'; });
}

/// Base64 of what begins so: GSSAPI's frame around SPNEGO or Kerberos, or NTLM by itself.
std::string_view protocol_of(std::string_view token) {
  if (token.starts_with("TlRM")) return "NTLM";
  if (token.starts_with("YI") || token.starts_with("oY") || token.starts_with("oU")) return "SPNEGO";
  return "token";
}

}  // namespace

std::string shape_of_target(std::string_view target) {
  target = target.substr(0, target.find_first_of("?#"));
  std::string shape;
  while (!target.empty()) {
    const std::size_t end = std::min(target.find('/', 1), target.size());
    const std::string_view segment = target.substr(1, end - 1);
    if (target.front() != '/') return shape_of_segment(target);
    shape += '/';
    shape += is_word_of_protocol(segment) ? std::string(segment) : shape_of_segment(segment);
    target.remove_prefix(end);
  }
  return shape;
}

std::string shown_header(std::string_view name, std::string_view value) {
  const std::string lower = lower_ascii(name);
  if (std::ranges::find(kShown, lower) != kShown.end()) return std::string(value);
  if (lower == "authorization") {
    const std::size_t blank = std::min(value.find(' '), value.size());
    const std::string_view token = value.substr(std::min(blank + 1, value.size()));
    return fmt::format("{} ({}, {} bytes)", value.substr(0, std::min<std::size_t>(blank, 16)), protocol_of(token),
                       token.size());
  }
  return fmt::format("({} bytes)", value.size());
}

std::expected<std::unique_ptr<Recorder>, std::string> Recorder::open(const std::string& path, Log log,
                                                                     std::uint64_t max_size) {
  File file(std::fopen(path.c_str(), "ae"));
  if (!file) return std::unexpected(fmt::format("{}: {}", path, std::strerror(errno)));
  return std::unique_ptr<Recorder>(new Recorder(std::move(file), std::move(log), max_size));
}

std::size_t Recorder::number_of(std::string_view target) {
  const std::scoped_lock lock(mutex_);
  if (numbers_.size() >= kMostTargets) numbers_.clear();
  return numbers_.try_emplace(std::hash<std::string_view>()(target), numbers_.size() + 1).first->second;
}

std::string Recorder::line_of(const http::Request& request) {
  const std::chrono::duration<double> since = std::chrono::steady_clock::now() - start_;
  json::array headers;
  for (const auto& [name, value] : request.headers) headers.push_back(json::array{name, shown_header(name, value)});
  const json::object line{{"method", request.method},
                          {"target", shape_of_target(request.target)},
                          {"same", number_of(lower_ascii(request.target))},
                          {"headers", std::move(headers)}};
  std::string text = json::serialize(line);
  return fmt::format("{{\"at\":{:.3f},{}", since.count(), std::string_view(text).substr(1));
}

void Recorder::answered(const std::string& line, const http::Response& response) {
  std::string text = line.substr(0, line.size() - 1);
  text += fmt::format(",\"status\":{},\"size\":{},\"retry_after\":\"{}\"}}\n", response.status, response.body_size(),
                      response.header("Retry-After").value_or(""));
  const std::scoped_lock lock(mutex_);
  if (left_ == 0) return;
  if (left_ < text.size()) {
    left_ = 0;
    return log_(Severity::warning, "the recording is full; no more requests are recorded");
  }
  left_ -= text.size();
  if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size() || std::fflush(file_.get()) != 0) {
    left_ = 0;
    log_(Severity::error, fmt::format("the recording cannot be written: {}", std::strerror(errno)));
  }
}

}  // namespace symcached::api
