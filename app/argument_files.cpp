#include "app/argument_files.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace symcached::app {
namespace {

constexpr std::size_t kMaxArgumentFiles = 2000;
constexpr std::uintmax_t kMaxArgumentBytes = 64u << 20;

std::optional<std::string> argument_text(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > kMaxArgumentBytes)
    return std::nullopt;
  std::ifstream in(path, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), {});
}

}  // namespace

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::optional<std::string> word;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool is_blank = c == ' ' || (c >= '\t' && c <= '\r');
    if (is_blank && quote == '\0') {
      if (word) words.push_back(*std::exchange(word, std::nullopt));
      continue;
    }
    if (!word) word.emplace();
    if (c == '\\' && i + 1 < text.size()) *word += text[++i];
    else if (quote == '\0' && (c == '\'' || c == '"')) quote = c;
    else if (quote != '\0' && c == quote) quote = '\0';
    else *word += c;
  }
  if (word) words.push_back(*word);
  return words;
}

std::vector<std::string> with_argument_files(std::vector<std::string> arguments) {
  std::size_t files = 0;
  for (std::size_t i = 0; i < arguments.size();) {
    auto text = arguments[i].starts_with('@') ? argument_text(arguments[i].substr(1)) : std::nullopt;
    if (!text || ++files > kMaxArgumentFiles) {
      ++i;
      continue;
    }
    const std::vector<std::string> words = words_of(*text);
    const auto at = arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i));
    arguments.insert(at, words.begin(), words.end());
  }
  return arguments;
}

}  // namespace symcached::app
