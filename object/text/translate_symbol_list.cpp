#include "object/text/translate_symbol_list.hpp"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "formats/breakpad/fields.hpp"
#include "object/text/lines.hpp"

namespace symcached::object {
namespace {

constexpr std::size_t kLookedAtOfList = 4096;  ///< bytes that must be lines of a list
constexpr std::uint64_t kPageSize = 4096;
constexpr std::string_view kTypes = "AaBbCcDdGgIiNnPpRrSsTtUuVvWw-?";

struct ListedSymbol {
  std::uint64_t address = 0, size = 0;  ///< size 0 = not stated
  char type = '?';
  std::string_view name;    ///< with the module behind it: "f [m]"
  std::string_view module;  ///< "[m]"; empty = the kernel's own, or no kernel

  bool is_code() const { return std::string_view("TtWwi").contains(type); }
  auto order() const { return std::tuple(address, type == 'W' || type == 'w', type == 't', name); }
};

/// Addresses are written in full: 8 or 16 digits.
std::optional<std::uint64_t> full_number(breakpad::Fields& fields) {
  const std::string_view rest = fields.rest();
  const std::size_t width = rest.find_first_of(" \t");
  return width == 8 || width == 16 ? fields.hex() : std::nullopt;
}

/// `nm -S` states sizes, too. Lines of undefined symbols have blanks for an address, and give nothing.
std::optional<ListedSymbol> read_symbol(std::string_view line) {
  breakpad::Fields fields(breakpad::without_blanks_behind(line));
  ListedSymbol symbol;
  const auto address = full_number(fields);
  if (!address) return std::nullopt;
  symbol.address = *address;
  if (const auto size = full_number(fields)) symbol.size = *size;
  const std::string_view type = fields.word();
  if (type.size() != 1 || !kTypes.contains(type.front())) return std::nullopt;
  symbol.type = type.front();
  symbol.name = fields.rest();
  if (symbol.name.empty()) return std::nullopt;
  const std::size_t open = symbol.name.rfind('[');
  if (open != symbol.name.npos && open > 1 && symbol.name.ends_with(']') && symbol.name[open - 1] == '\t')
    symbol.module = symbol.name.substr(open);
  return symbol;
}

bool is_undefined(std::string_view line) {
  breakpad::Fields fields(breakpad::without_blanks_behind(line));
  const std::string_view type = line.starts_with("        ") ? fields.word() : std::string_view();
  return type.size() == 1 && std::string_view("Uwv").contains(type.front()) && !fields.at_end();
}

std::vector<ListedSymbol> read_list(std::string_view text) {
  std::vector<ListedSymbol> symbols;
  for (TextLines lines(text); !lines.at_end();)
    if (const auto symbol = read_symbol(lines.next())) symbols.push_back(*symbol);
  return symbols;
}

bool is_restricted(std::span<const ListedSymbol> symbols) {
  return !symbols.empty() &&
         std::ranges::all_of(symbols, [](const ListedSymbol& symbol) { return symbol.address == 0; });
}

/// Bytes from a symbol to what comes next. Between modules, and behind the last one, nobody knows what there is: such
/// code ends with its page.
std::uint64_t room_of(const ListedSymbol& symbol, const ListedSymbol* next) {
  const std::uint64_t to_page_end = kPageSize - symbol.address % kPageSize;
  if (next != nullptr && next->module == symbol.module) return next->address - symbol.address;
  return next == nullptr ? to_page_end : std::min(to_page_end, next->address - symbol.address);
}

void emit_list(std::span<const ListedSymbol> sorted, model::ModuleSink& sink) {
  std::string name;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t next = i + 1;
    while (next < sorted.size() && sorted[next].address == sorted[i].address) ++next;
    for (std::uint32_t rank = 0; i < next; ++i) {
      const ListedSymbol& symbol = sorted[i];
      const std::uint64_t room = room_of(symbol, next == sorted.size() ? nullptr : &sorted[next]);
      const std::uint64_t size = std::min<std::uint64_t>(symbol.size == 0 ? room : symbol.size, 0xFFFFFFFF);
      if (!symbol.is_code() || size == 0) continue;
      name = symbol.name;
      std::ranges::replace(name, '\t', ' ');
      sink.function({.start = {symbol.address},
                     .size = static_cast<std::uint32_t>(size),
                     .name = sink.intern(name),
                     .kind = model::SymbolKind::public_symbol,
                     .rank = rank++,
                     .lines = {},
                     .inlinees = {}});
    }
  }
}

}  // namespace

bool is_symbol_list(Bytes file) {
  const bool whole = file.size() <= kLookedAtOfList;
  const std::string_view text = as_text(file.first(std::min(file.size(), kLookedAtOfList)));
  const std::size_t last_feed = text.rfind('\n');
  std::size_t count = 0, undefined = 0;
  for (TextLines lines(whole ? text : text.substr(0, last_feed == text.npos ? 0 : last_feed)); !lines.at_end();) {
    const std::string_view line = lines.next();
    const bool has_control = std::ranges::any_of(line, [](char c) { return c != '\t' && c >= 0 && c < 0x20; });
    if (!has_control && is_undefined(line)) ++undefined;
    else if (!has_control && read_symbol(line)) ++count;
    else if (!whole || !lines.at_end() || count == 0) return false;  // the last line may be cut
  }
  return count != 0 || (undefined != 0 && !whole);
}

void describe_symbol_list(FileInfo& info, Bytes file) {
  const std::vector<ListedSymbol> symbols = read_list(as_text(file));
  if (is_restricted(symbols)) return info.add_feature("hidden-addresses");
  info.add_feature("symbols");
  if (std::ranges::any_of(symbols, [](const ListedSymbol& symbol) { return !symbol.module.empty(); }))
    info.add_feature("modules");
}

Read<void> translate_symbol_list(const Original& original, model::ModuleSink& sink) {
  std::vector<ListedSymbol> symbols = read_list(as_text(original.file));
  if (is_restricted(symbols))
    return unsupported(
        "every address is zero: the kernel hides them from this user (symbol_list.address); read the list as root", 0);
  sink.module({.producer_kind = "symbol_list"});
  std::ranges::stable_sort(symbols, {}, &ListedSymbol::order);
  emit_list(symbols, sink);
  return {};
}

}  // namespace symcached::object
