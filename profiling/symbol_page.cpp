#include "profiling/symbol_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ranges>

#include "base/ascii.hpp"
#include "profiling/demangle.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMostAddresses = 4 << 20;
constexpr std::size_t kMostText = 256 << 20;  ///< bytes of an answer
constexpr std::size_t kBatch = 16 << 10;      ///< addresses named between two looks at the stop token
constexpr std::size_t kLongestName = 4096;    ///< bytes

bool is_word(char c) { return hex_digit(c) || (lower_ascii(c) >= 'g' && lower_ascii(c) <= 'z'); }

/// Nothing for 0, too, which no client means.
std::uintptr_t address_of(std::string_view word) {
  if (word.starts_with("0x") || word.starts_with("0X")) word.remove_prefix(2);
  std::uintptr_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [at, error] = std::from_chars(word.data(), end, value, 16);
  return error == std::errc() && at == end ? value : 0;
}

void append_clean(std::string& out, std::string_view name) {
  const std::size_t start = out.size();
  out += name.substr(0, kLongestName);
  for (char& c : std::span(out).subspan(start))
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
}

/// Only the function whose code it is, or all of them, the outermost first.
void append_names(std::string& out, const std::vector<NamedFrame>& frames, SymbolOptions options) {
  bool is_first = true;
  for (const NamedFrame& frame : std::views::reverse(frames)) {
    if (!is_first) out += "--";
    is_first = false;
    append_clean(out, options.demangle ? readable_name(frame.function) : frame.function);
    if (!options.inlines) return;
  }
}

}  // namespace

std::vector<std::uintptr_t> parse_addresses(std::string_view text) {
  std::vector<std::uintptr_t> found;
  for (std::size_t at = 0; at < text.size() && found.size() <= kMostAddresses;) {
    if (text[at] == '%') at += std::min<std::size_t>(3, text.size() - at);  // an encoded separator
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    if (const std::uintptr_t address = address_of(text.substr(at, end - at)); address != 0) found.push_back(address);
    at = end < text.size() && text[end] == '%' ? end : end + 1;
  }
  return found;
}

Answer<std::string> symbol_lines(std::string_view addresses, Naming& naming, SymbolOptions options,
                                 const std::stop_token& stop) {
  const std::vector<std::uintptr_t> all = parse_addresses(addresses);
  if (all.size() > kMostAddresses)
    return std::unexpected(
        Refusal{413, fmt::format("more than {} addresses; ask for fewer at a time", kMostAddresses)});
  std::string out;
  for (std::size_t at = 0; at < all.size(); at += kBatch) {
    if (stop.stop_requested()) return std::unexpected(Refusal{503, "stopped before all addresses were looked up"});
    const std::span batch = std::span(all).subspan(at, std::min(kBatch, all.size() - at));
    const auto named = naming.name(batch, {.inlines = options.inlines});
    for (std::size_t i = 0; i < std::min(batch.size(), named.size()); ++i) {
      if (named[i].empty()) continue;
      fmt::format_to(std::back_inserter(out), "{:#x}\t", batch[i]);
      append_names(out, named[i], options);
      out += '\n';
    }
    if (out.size() > kMostText)
      return std::unexpected(Refusal{413, "the names are larger than 256 MB; ask for fewer addresses at a time"});
  }
  return out;
}

}  // namespace symcached::pprof
