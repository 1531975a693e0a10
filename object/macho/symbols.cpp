#include "object/macho/symbols.hpp"

#include <algorithm>

#include "formats/macho/exports.hpp"

namespace symcached::object {
namespace {

/// Rows may share names, so that all together may be longer than the strings; not without end.
constexpr std::uint64_t kMaxNameBytes = 8;  ///< times the size of the strings

CodeSymbol::Binding binding_of(const macho::Symbol& symbol) {
  if (!symbol.is_external()) return CodeSymbol::Binding::local;
  return symbol.is_weak() ? CodeSymbol::Binding::weak : CodeSymbol::Binding::global;
}

class Gatherer {
 public:
  Gatherer(const macho::File& file, const macho::SymbolMap* hidden, CodeSymbols& out, std::deque<std::string>& texts)
      : file_(file), hidden_(hidden), out_(out), texts_(texts) {}

  Read<void> run(const macho::DebugMap& map) {
    SC_TRY(symbols_, file_.symbols());
    if (const auto added = add_table(); !added) return added;
    if (found_.empty())
      if (const auto added = add_exports(); !added) return added;
    if (const auto added = add_stubs(); !added) return added;
    SC_TRY(starts_, file_.function_starts());
    add_functions(map);
    add_sizes();
    for (const CodeSymbol& symbol : found_) out_.add(symbol);
    return {};
  }

 private:
  std::string_view shown(std::string_view name) const {
    return hidden_ != nullptr ? hidden_->symbol_name(name) : macho::without_underscore(name);
  }

  Read<void> take_name(std::string_view name) {
    if (name.size() > name_bytes_left_) return too_large("macho.symtab.names", 0, name.size(), name_bytes_left_);
    name_bytes_left_ -= name.size();
    return {};
  }

  Read<void> add_table() {
    name_bytes_left_ = symbols_.string_bytes() * kMaxNameBytes;
    const auto& sections = file_.sections();
    const std::uint64_t odd = file_.header().cpu == macho::Cpu::arm ? 1 : 0;
    for (std::uint32_t i = 0; i < symbols_.size(); ++i) {
      const macho::Symbol symbol = symbols_.at(i);
      if (auto ok = take_name(symbol.name); !ok) return ok;
      if (!symbol.is_defined() || symbol.name.empty() || is_temporary(symbol.name)) continue;
      if (symbol.section > sections.size() || !sections[symbol.section - 1].has_instructions()) continue;
      found_.push_back({.address = symbol.value & ~odd, .name = shown(symbol.name), .binding = binding_of(symbol)});
    }
    return {};
  }

  /// Of a file without symbols. Variables are exported, too: they are not in code, and finish() leaves them out.
  Read<void> add_exports() {
    SC_TRY(const auto trie, file_.exports_trie());
    SC_TRY(auto exports, macho::read_exports(trie));
    for (macho::Export& symbol : exports) {
      if (symbol.offset > ~file_.image_base()) continue;
      found_.push_back(
          {.address = file_.image_base() + symbol.offset, .name = shown(texts_.emplace_back(std::move(symbol.name)))});
    }
    return {};
  }

  Read<void> add_stubs() {
    SC_TRY(const auto stubs, file_.stubs(symbols_));
    for (const macho::Stub& stub : stubs) {
      const macho::Symbol symbol = symbols_.at(stub.symbol);
      if (auto ok = take_name(symbol.name); !ok) return ok;
      const std::string_view name = shown(symbol.name);
      if (!name.empty()) found_.push_back({.address = stub.address, .size = stub.size, .name = name, .is_stub = true});
    }
    return {};
  }

  /// Stabs of functions that have no other symbol, and the sizes that stabs give to those that have.
  void add_functions(const macho::DebugMap& map) {
    std::vector<macho::MappedFunction> functions(map.functions);
    std::ranges::sort(functions, {}, &macho::MappedFunction::address);
    std::ranges::sort(found_, {}, &CodeSymbol::address);
    std::vector<CodeSymbol> more;
    auto at = found_.begin();
    for (const macho::MappedFunction& function : functions) {
      while (at != found_.end() && at->address < function.address) ++at;
      if (at == found_.end() || at->address != function.address) {
        if (!function.name.empty())
          more.push_back({.address = function.address,
                          .size = function.size,
                          .name = shown(function.name),
                          .binding = CodeSymbol::Binding::local});
        continue;
      }
      for (auto same = at; same != found_.end() && same->address == function.address && same->size == 0; ++same)
        same->size = function.size;
    }
    found_.insert(found_.end(), more.begin(), more.end());
  }

  /// A symbol ends where the next one or the next function starts, so that its name does not cover nameless code.
  void add_sizes() {
    std::ranges::sort(found_, {}, &CodeSymbol::address);
    std::uint64_t next = ~std::uint64_t{0};
    for (std::size_t i = found_.size(); i-- > 0;) {
      CodeSymbol& symbol = found_[i];
      if (i + 1 < found_.size() && found_[i + 1].address != symbol.address) next = found_[i + 1].address;
      if (symbol.size != 0) continue;
      const auto start = std::ranges::upper_bound(starts_, symbol.address);
      const std::uint64_t end = start == starts_.end() ? next : std::min(next, *start);
      if (end != ~std::uint64_t{0}) symbol.size = end - symbol.address;
    }
  }

  const macho::File& file_;
  const macho::SymbolMap* hidden_;
  CodeSymbols& out_;
  std::deque<std::string>& texts_;
  macho::Symbols symbols_;
  std::uint64_t name_bytes_left_ = 0;
  std::vector<std::uint64_t> starts_;
  std::vector<CodeSymbol> found_;
};

}  // namespace

bool is_temporary(std::string_view name) {
  return name.starts_with("ltmp") && name.size() > 4 &&
         name.find_first_not_of("0123456789", 4) == std::string_view::npos;
}

std::vector<CodeRange> code_ranges_of(const macho::File& file) {
  std::vector<CodeRange> ranges;
  for (const macho::SectionInfo& section : file.sections())
    if (section.has_instructions() && section.size <= ~section.address)
      ranges.push_back({section.address, section.address + section.size});
  return ranges;
}

Read<void> add_macho_symbols(const macho::File& file, const macho::DebugMap& map, const macho::SymbolMap* hidden,
                             CodeSymbols& symbols, std::deque<std::string>& texts) {
  return Gatherer(file, hidden, symbols, texts).run(map);
}

}  // namespace symcached::object
