#include "object/common/code_symbols.hpp"

#include <algorithm>
#include <tuple>

namespace symcached::object {
namespace {

constexpr std::uint64_t kLargestSymbol = 0xFFFFFFFF;
constexpr std::uint32_t kRank = 0x80000000;  ///< behind every function of the debug information

auto order_of(const CodeSymbol& s) {
  return std::tuple(s.address, s.is_stub, s.binding, s.name.starts_with('_'), s.name, ~s.size);
}

/// Most addresses have one symbol: names, which lie anywhere, are read for the others alone.
bool comes_before(const CodeSymbol& a, const CodeSymbol& b) {
  return a.address != b.address ? a.address < b.address : order_of(a) < order_of(b);
}

/// Where a symbol at `address` ends for the functions' sake.
std::uint64_t end_in(std::span<const CodeRange> functions, std::uint64_t address) {
  const auto after = std::ranges::upper_bound(functions, address, {}, &CodeRange::start);
  if (after != functions.begin() && std::prev(after)->contains(address)) return std::prev(after)->end;
  return after == functions.end() ? ~std::uint64_t{0} : after->start;
}

}  // namespace

bool CodeSymbols::any_without_size() const { return std::ranges::find(all_, 0u, &CodeSymbol::size) != all_.end(); }

void CodeSymbols::finish(std::span<const CodeRange> code, std::span<const CodeRange> functions) {
  std::vector<CodeRange> ranges(code.begin(), code.end());
  std::ranges::sort(ranges, {}, &CodeRange::start);
  const auto range_of = [&](std::uint64_t address) -> const CodeRange* {
    const auto after = std::ranges::upper_bound(ranges, address, {}, &CodeRange::start);
    return after != ranges.begin() && std::prev(after)->contains(address) ? &*std::prev(after) : nullptr;
  };
  std::erase_if(all_, [&](const CodeSymbol& s) { return range_of(s.address) == nullptr; });
  std::ranges::sort(all_, comes_before);
  const auto twice = std::ranges::unique(
      all_, [](const CodeSymbol& a, const CodeSymbol& b) { return a.address == b.address && a.name == b.name; });
  all_.erase(twice.begin(), twice.end());
  std::uint64_t next = ~std::uint64_t{0};  // start of the symbol behind those at the address at hand
  for (std::size_t i = all_.size(); i-- > 0;) {
    CodeSymbol& symbol = all_[i];
    if (i + 1 < all_.size() && all_[i + 1].address != symbol.address) next = all_[i + 1].address;
    const std::uint64_t end = range_of(symbol.address)->end;
    if (symbol.size == 0) symbol.size = std::min({next, end, end_in(functions, symbol.address)}) - symbol.address;
    symbol.size = std::min({symbol.size, end - symbol.address, kLargestSymbol});
  }
}

std::span<const CodeSymbol> CodeSymbols::at(std::uint64_t address) const {
  const auto [first, last] = std::ranges::equal_range(all_, address, {}, &CodeSymbol::address);
  return {first, last};
}

std::span<const CodeSymbol> CodeSymbols::from(std::uint64_t address) const {
  auto first = std::ranges::lower_bound(all_, address, {}, &CodeSymbol::address);
  if (first != all_.begin() && (first == all_.end() || first->address != address)) {
    const std::uint64_t before = std::prev(first)->address;
    while (first != all_.begin() && std::prev(first)->address == before) --first;
  }
  return {first, all_.end()};
}

void CodeSymbols::emit(model::ModuleSink& sink, std::uint64_t image_base, std::span<const CodeRange> covered) const {
  auto function = covered.begin();
  std::uint64_t done = 0;  // no code before this address is without a name
  for (const CodeSymbol& symbol : all_) {
    const std::uint64_t symbol_end = symbol.address + symbol.size;
    std::uint64_t at = std::max(symbol.address, done);
    const bool starts_function = std::ranges::binary_search(covered, symbol.address, {}, &CodeRange::start);
    if (starts_function && symbol.address >= image_base) {
      sink.function({.start = {symbol.address - image_base},
                     .size = static_cast<std::uint32_t>(symbol.size),
                     .name = sink.intern(symbol.name),
                     .kind = model::SymbolKind::public_symbol,
                     .rank = kRank,
                     .lines = {},
                     .inlinees = {}});
    }
    while (at < symbol_end) {
      for (; function != covered.end() && function->start <= at; ++function) done = std::max(done, function->end);
      at = std::max(at, done);
      const std::uint64_t end = std::min(symbol_end, function == covered.end() ? symbol_end : function->start);
      if (at < end && at >= image_base)
        sink.function({.start = {at - image_base},
                       .size = static_cast<std::uint32_t>(end - at),
                       .name = sink.intern(symbol.name),
                       .kind = symbol.is_stub ? model::SymbolKind::thunk : model::SymbolKind::public_symbol,
                       .rank = kRank,
                       .lines = {},
                       .inlinees = {}});
      at = std::max(at, end);
    }
  }
}

}  // namespace symcached::object
