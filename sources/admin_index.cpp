#include "sources/admin_index.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
namespace symcached::sources {
namespace {

constexpr std::size_t kMaxKey = 512;  ///< bytes

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// FNV-1a, 64 bits. A store that chooses its names to collide only has itself asked for nothing.
std::uint64_t hash(std::string_view key) {
  std::uint64_t value = 0xcbf29ce484222325;
  for (const char c : key) {
    value ^= static_cast<std::uint8_t>(c == '\\' ? '/' : c);
    value *= 0x100000001b3;
  }
  return value;
}

/// What stands in the quotes that a line begins with, if it is a name and an id.
std::string_view key_of(std::string_view line) {
  if (!line.starts_with('"')) return {};
  const std::size_t end = line.find('"', 1);
  if (end == std::string_view::npos || end > kMaxKey) return {};
  const std::string_view key = line.substr(1, end - 1);
  const std::size_t cut = key.find_first_of("\\/");
  const bool is_pair = cut != std::string_view::npos && cut != 0 && cut + 1 != key.size() &&
                       key.find_first_of("\\/", cut + 1) == std::string_view::npos;
  return is_pair ? key : std::string_view();
}

}  // namespace

std::optional<std::uint32_t> parse_last_id(std::string_view text) {
  const std::string_view digits = trimmed(text);
  std::uint32_t id = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
  return error == std::errc() && end == digits.data() + digits.size() ? std::optional(id) : std::nullopt;
}

std::string transaction_path(std::uint32_t id) { return fmt::format("000Admin/{:010}", id); }

std::size_t AdminIndex::add_transaction(std::string_view text) {
  const std::size_t before = keys_.size();
  while (!text.empty() && keys_.size() < kMaxKeys) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const std::string_view key = key_of(trimmed(text.substr(0, end))); !key.empty()) keys_.push_back(hash(key));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return keys_.size() - before;
}

void AdminIndex::finish() {
  std::ranges::sort(keys_);
  keys_.erase(std::ranges::unique(keys_).begin(), keys_.end());
}

bool AdminIndex::has(std::string_view path) const {
  const std::size_t file = path.rfind('/');
  if (file == std::string_view::npos || file == 0) return false;
  const std::size_t id = path.rfind('/', file - 1);
  if (id == std::string_view::npos || id == 0) return false;
  const std::size_t tier = path.rfind('/', id - 1);
  const std::size_t name = tier == std::string_view::npos ? 0 : tier + 1;
  return std::ranges::binary_search(keys_, hash(path.substr(name, file - name)));
}

}  // namespace symcached::sources
