#include "object/managed/source_link.hpp"

#include <algorithm>
#include <boost/json/parser.hpp>
#include <boost/json/value.hpp>

#include "base/ascii.hpp"

namespace symcached::object {
namespace {

namespace json = boost::json;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view text_of(const json::string& text) { return {text.data(), text.size()}; }
std::string_view text_of(json::string_view text) { return {text.data(), text.size()}; }

Read<json::value> parse_json(std::string_view text) {
  json::parser parser;
  boost::system::error_code error;
  const std::size_t read = parser.write(text.data(), text.size(), error);
  if (error) {
    const auto found = read < text.size() ? static_cast<unsigned char>(text[read]) : 0;
    return bad_value("source_link.json", read, found);
  }
  return parser.release();
}

/// None, or one `*`: in a path at the end, in a URL anywhere, and in both or in neither.
bool keeps_the_rules(std::string_view path, std::string_view url) {
  if (path.empty() || url.empty()) return false;
  const std::size_t in_path = path.find('*'), in_url = url.find('*');
  if (in_path == path.npos) return in_url == url.npos;
  return in_path == path.size() - 1 && in_url != url.npos && url.find('*', in_url + 1) == url.npos;
}

/// What RFC 3986 calls unreserved, and what separates segments.
constexpr bool stays(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~' || c == '/';
}

void append_path(std::string& url, std::string_view path) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  for (const char c : path) {
    if (c == '\\') {
      url += '/';
    } else if (stays(c)) {
      url += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      url += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
}

}  // namespace

Read<SourceLink> SourceLink::parse(std::string_view text) {
  if (text.size() > kMaxSourceLink) return too_large("source_link", 0, text.size(), kMaxSourceLink);
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  SC_TRY(const json::value value, parse_json(text));
  const json::object* const whole = value.if_object();
  const json::value* const listed = whole == nullptr ? nullptr : whole->if_contains("documents");
  const json::object* const documents = listed == nullptr ? nullptr : listed->if_object();
  if (documents == nullptr) return unsupported("the JSON has no object \"documents\" (source_link)", 0);
  SourceLink link;
  for (const auto& entry : *documents) {
    const json::string* const url = entry.value().if_string();
    if (url == nullptr || !keeps_the_rules(text_of(entry.key()), text_of(*url))) ++link.left_out_;
    else link.rules_.push_back({std::string(text_of(entry.key())), std::string(text_of(*url))});
  }
  link.index();
  return link;
}

SourceLink SourceLink::of(std::vector<Rule> rules) {
  SourceLink link;
  link.left_out_ = std::erase_if(rules, [](const Rule& rule) { return !keeps_the_rules(rule.path, rule.url); });
  link.rules_ = std::move(rules);
  link.index();
  return link;
}

std::vector<SourceLink::Key> SourceLink::sorted(std::vector<Key> keys) {
  std::ranges::stable_sort(keys, {}, &Key::path);
  const auto later = std::ranges::unique(keys, {}, &Key::path);
  keys.erase(later.begin(), later.end());
  return keys;
}

void SourceLink::index() {
  for (std::uint32_t i = 0; i < rules_.size(); ++i) {
    std::string path = lower_ascii(rules_[i].path);
    const bool prefix = path.ends_with('*');
    if (prefix) path.pop_back();
    (prefix ? prefixes_ : exact_).push_back({std::move(path), i});
  }
  exact_ = sorted(std::move(exact_));
  prefixes_ = sorted(std::move(prefixes_));
  for (std::uint32_t i = 1; i < prefixes_.size(); ++i) {
    std::uint32_t shorter = i - 1;
    while (shorter != kNone && !prefixes_[i].path.starts_with(prefixes_[shorter].path))
      shorter = prefixes_[shorter].shorter;
    prefixes_[i].shorter = shorter;
  }
}

std::optional<std::string> SourceLink::url_of(std::string_view document) const {
  if (document.empty()) return std::nullopt;
  const std::string path = lower_ascii(document);
  const auto exact = std::ranges::lower_bound(exact_, path, {}, &Key::path);
  if (exact != exact_.end() && exact->path == path) return rules_[exact->rule].url;

  // Whatever lies between a prefix of the path and the path starts with that prefix: it is reached from there.
  const auto behind = std::ranges::upper_bound(prefixes_, path, {}, &Key::path);
  if (behind == prefixes_.begin()) return std::nullopt;
  auto at = static_cast<std::uint32_t>(behind - prefixes_.begin() - 1);
  while (at != kNone && !path.starts_with(prefixes_[at].path)) at = prefixes_[at].shorter;
  if (at == kNone) return std::nullopt;
  const std::string_view url = rules_[prefixes_[at].rule].url;
  const std::size_t star = url.find('*');
  std::string filled(url.substr(0, star));
  append_path(filled, document.substr(prefixes_[at].path.size()));
  return filled.append(url.substr(star + 1));
}

}  // namespace symcached::object
