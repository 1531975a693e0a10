#include "object/pe/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace symcached::object {
namespace {

constexpr std::string_view kImportMark = "__imp_";

/// Data that stands in code: lists of addresses that GNU ld makes, and pointers of imports.
bool is_data(std::string_view name) { return name.ends_with("TOR_LIST__") || name.starts_with(kImportMark); }

/// The extent that holds `rva` or is the last one before it; null if there is none.
const pe::CodeExtent* at_or_before(std::span<const pe::CodeExtent> extents, std::uint64_t rva) {
  const auto after = std::ranges::upper_bound(extents, rva, {}, &pe::CodeExtent::start);
  return after == extents.begin() ? nullptr : &*std::prev(after);
}

/// The names `x` of all `__imp_x`, which are pointers filled by the loader: code of that name jumps through them.
std::vector<std::string_view> imported_names(const pe::CoffSymbols& table) {
  std::vector<std::string_view> names;
  std::uint64_t text_left = table.most_text();
  for (std::uint64_t i = 0; i < table.count();) {
    const auto symbol = table.at(static_cast<std::uint32_t>(i));
    if (!symbol) break;
    i += 1u + symbol->aux_count;
    if (symbol->section <= 0 || symbol->is_function()) continue;
    const std::string_view name = table.name(*symbol);
    if (name.size() > text_left) break;  // no honest table
    text_left -= name.size();
    if (name.starts_with(kImportMark)) names.push_back(name.substr(kImportMark.size()));
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::vector<CodeRange> code_ranges(std::span<const PlacedSection> sections) {
  std::vector<CodeRange> ranges;
  for (const PlacedSection& section : sections)
    if (section.is_code && section.size != 0) ranges.push_back({section.address, section.address + section.size});
  std::ranges::sort(ranges, {}, &CodeRange::start);
  return ranges;
}

/// C names of 32-bit x86 have an underscore in front. GNU as names a weak definition `.weak.name.other`, where the
/// other is a symbol of its object file.
std::string_view PeSymbols::plain(std::string_view name) const {
  constexpr std::string_view kWeak = ".weak.";
  if (name.starts_with(kWeak)) {
    const std::string_view inner = name.substr(kWeak.size());
    if (const std::size_t dot = inner.rfind('.'); dot != 0 && dot != std::string_view::npos)
      name = inner.substr(0, dot);
  }
  return machine_ == pe::Machine::i386 && name.size() > 1 && name.starts_with('_') ? name.substr(1) : name;
}

Read<void> PeSymbols::add_table(const pe::CoffSymbols& table) {
  const std::vector<std::string_view> imported = imported_names(table);
  std::uint64_t text_left = table.most_text();
  for (std::uint64_t i = 0; i < table.count();) {
    SC_TRY(const auto symbol, table.at(static_cast<std::uint32_t>(i)));
    const std::uint64_t index = i;
    i += 1u + symbol.aux_count;
    const bool is_global = symbol.storage_class == pe::StorageClass::external;
    if (!is_global && !(symbol.storage_class == pe::StorageClass::static_symbol && symbol.is_function())) continue;
    if (symbol.section <= 0 || static_cast<std::uint32_t>(symbol.section) > sections_.size()) continue;
    const PlacedSection& section = sections_[static_cast<std::size_t>(symbol.section) - 1];
    if (!section.is_code || symbol.value >= section.size) continue;
    const std::string_view name = table.name(symbol);
    if (name.size() > text_left) return too_large("coff.symbol.names", index, name.size(), text_left);
    text_left -= name.size();
    if (name.empty() || is_data(name)) continue;
    found_.push_back({.address = section.address + symbol.value,
                      .size = symbol.code_size,
                      .name = plain(name),
                      .binding = !is_global             ? CodeSymbol::Binding::local
                                 : symbol.is_function() ? CodeSymbol::Binding::global
                                                        : CodeSymbol::Binding::weak,
                      .is_stub = std::ranges::binary_search(imported, name)});
  }
  return {};
}

void PeSymbols::add_exports(std::span<const pe::Export> exports, std::uint64_t image_base) {
  const std::uint32_t mark = machine_ == pe::Machine::armnt ? 1 : 0;  // of Thumb code
  for (const pe::Export& symbol : exports) {
    std::string_view name = symbol.name;
    if (name.empty()) name = made_names_.emplace_back(fmt::format("Ordinal{}", symbol.ordinal));
    found_.push_back({.address = image_base + (symbol.rva & ~mark), .name = name});
  }
}

void PeSymbols::finish(std::span<const pe::CodeExtent> extents, std::uint64_t image_base) {
  const auto sort = [&] { std::ranges::stable_sort(found_, {}, &CodeSymbol::address); };
  sort();
  if (!extents.empty()) {
    add_far_pieces(extents, image_base);
    sort();
    size_them(extents, image_base);
  }
  for (const CodeSymbol& symbol : found_) symbols_.add(symbol);
  symbols_.finish(code_ranges(sections_));
}

void PeSymbols::add_far_pieces(std::span<const pe::CodeExtent> extents, std::uint64_t image_base) {
  const auto named = [&](std::uint64_t address) -> const CodeSymbol* {
    const auto found = std::ranges::lower_bound(found_, address, {}, &CodeSymbol::address);
    return found != found_.end() && found->address == address ? &*found : nullptr;
  };
  std::vector<CodeSymbol> far;
  for (const pe::CodeExtent& piece : extents) {
    if (piece.function == piece.start || named(image_base + piece.start) != nullptr) continue;
    if (const CodeSymbol* const function = named(image_base + piece.function))
      far.push_back({.address = image_base + piece.start,
                     .size = piece.end - piece.start,
                     .name = function->name,
                     .binding = CodeSymbol::Binding::local});
  }
  found_.insert(found_.end(), far.begin(), far.end());
}

void PeSymbols::size_them(std::span<const pe::CodeExtent> extents, std::uint64_t image_base) {
  const std::vector<CodeRange> ranges = code_ranges(sections_);
  std::uint64_t next = ~std::uint64_t{0};  // address of the next symbol that stands elsewhere
  for (std::size_t i = found_.size(); i-- > 0;) {
    CodeSymbol& symbol = found_[i];
    if (i + 1 < found_.size() && found_[i + 1].address != symbol.address) next = found_[i + 1].address;
    const auto range = std::ranges::upper_bound(ranges, symbol.address, {}, &CodeRange::start);
    if (symbol.size != 0 || range == ranges.begin() || symbol.address < image_base) continue;
    const std::uint64_t rva = symbol.address - image_base;
    const pe::CodeExtent* const piece = at_or_before(extents, rva);
    std::uint64_t end = std::min(next, std::prev(range)->end);
    if (piece != nullptr && rva < piece->end) {
      end = piece->start == rva ? image_base + piece->end : std::min(end, image_base + piece->end);
    } else {
      const pe::CodeExtent* const after = piece == nullptr ? extents.data() : piece + 1;
      if (after != extents.data() + extents.size()) end = std::min(end, image_base + after->start);
    }
    if (end > symbol.address) symbol.size = end - symbol.address;
  }
}

}  // namespace symcached::object
