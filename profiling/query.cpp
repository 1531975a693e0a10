#include "profiling/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMostParameters = 32;
constexpr std::size_t kLongestText = 256;  ///< bytes of a value that is a name
constexpr std::size_t kLongestShown = 40;  ///< bytes of a value in a message

std::unexpected<Refusal> bad(std::string why) { return std::unexpected(Refusal{400, std::move(why)}); }

/// Forms encode blanks as '+'.
std::optional<std::string> decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
    if (!high || !low) return std::nullopt;
    out += static_cast<char>(*high << 4 | *low);
    i += 2;
  }
  return out;
}

/// What a client sent, fit for a message.
std::string shown(std::string_view text) {
  std::string out(text.substr(0, kLongestShown));
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out.size() < text.size() ? out + "..." : out;
}

std::optional<std::uint64_t> whole_number(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [at, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc() || at != end) return std::nullopt;
  return value;
}

std::string wanted(std::string_view name, std::uint64_t least, std::uint64_t most, std::string_view found) {
  return fmt::format("{}: \"{}\" is not a whole number of {} to {}", name, shown(found), least, most);
}

}  // namespace

Target split_target(std::string_view target) {
  target = target.substr(0, target.find('#'));
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::size_t slash = target.find('/', scheme.size());
    target = slash == std::string_view::npos ? "/" : target.substr(slash);
  }
  const std::size_t mark = target.find('?');
  return {target.substr(0, mark), mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1)};
}

Answer<Query> Query::parse(std::string_view query) {
  Query parsed;
  while (!query.empty()) {
    const std::string_view one = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(one.size() + 1, query.size()));
    if (one.empty()) continue;
    if (parsed.all_.size() == kMostParameters) return bad("more parameters than any page has");
    const std::size_t equals = std::min(one.find('='), one.size());
    auto name = decoded(one.substr(0, equals));
    auto value = decoded(one.substr(std::min(equals + 1, one.size())));
    if (!name || !value) return bad("a '%' in the query is not followed by two hexadecimal digits");
    parsed.all_.push_back({*std::move(name), *std::move(value)});
  }
  return parsed;
}

std::vector<std::string*> Query::values(std::string_view name) {
  known_.append(known_.empty() ? "" : ", ").append(name);
  std::vector<std::string*> found;
  for (Parameter& p : all_) {
    if (p.name != name) continue;
    p.was_read = true;
    found.push_back(&p.value);
  }
  return found;
}

Answer<std::optional<std::uint64_t>> Query::smallest(std::string_view name, std::uint64_t most) {
  std::optional<std::uint64_t> least;
  const auto all = values(name);
  for (const std::string* text : all) {
    const auto value = whole_number(*text);
    if (!value || *value > most) return bad(wanted(name, 1, most, *text));
    if (*value != 0) least = std::min(*value, least.value_or(*value));
  }
  if (!all.empty() && !least) return bad(wanted(name, 1, most, *all.front()));
  return least;
}

Answer<std::uint64_t> Query::number(std::string_view name, std::uint64_t otherwise, std::uint64_t most) {
  const auto all = values(name);
  if (all.empty()) return otherwise;
  if (all.size() > 1) return bad(fmt::format("{}: given more than once", name));
  const auto value = whole_number(*all.front());
  if (!value || *value > most) return bad(wanted(name, 0, most, *all.front()));
  return *value;
}

Answer<std::string> Query::text(std::string_view name) {
  const auto all = values(name);
  if (all.empty()) return std::string();
  if (all.size() > 1) return bad(fmt::format("{}: given more than once", name));
  const bool is_plain = std::ranges::all_of(*all.front(), [](char c) { return c >= ' ' && c <= '~'; });
  if (!is_plain || all.front()->size() > kLongestText)
    return bad(fmt::format("{}: \"{}\" is no name: too long, or not printable", name, shown(*all.front())));
  return *all.front();
}

bool Query::has(std::string_view name) const {
  return std::ranges::any_of(all_, [&](const Parameter& p) { return p.name == name; });
}

std::optional<Refusal> Query::unknown() const {
  const auto found = std::ranges::find(all_, false, &Parameter::was_read);
  if (found == all_.end()) return std::nullopt;
  const std::string what = known_.empty() ? "this page has no parameters" : "this page has: " + known_;
  return Refusal{400, fmt::format("\"{}\" is no parameter here; {}", shown(found->name), what)};
}

}  // namespace symcached::pprof
