#include "object/dwarf/functions.hpp"

#include <algorithm>

namespace symcached::object {
namespace {

using dwarf::Slot;
using dwarf::Tag;
using model::Language;

constexpr std::uint32_t kNone = 0xFFFFFFFF;
constexpr std::size_t kMaxDepth = 1u << 16;  ///< of entries inside entries
constexpr std::uint64_t kLargestFunction = 0xFFFFFFFF;
constexpr std::uint64_t kFunctionCost = 256, kRowCost = 16;  ///< budget for what a sink keeps of them
constexpr std::size_t kMaxAliases = 256;                     ///< symbols of one address that are asked for a name

/// DW_LANG_ values. DWARF 5, section 7.12, and the list of later ones at dwarfstd.org.
Language language_of(std::uint64_t value) {
  switch (value) {
    case 0x01:
    case 0x02:
    case 0x0c:
    case 0x1d:
    case 0x2c: return Language::c;
    case 0x04:
    case 0x19:
    case 0x1a:
    case 0x21:
    case 0x2a:
    case 0x2b: return Language::cpp;
    case 0x07:
    case 0x08:
    case 0x0e:
    case 0x22:
    case 0x23:
    case 0x2d: return Language::fortran;
    case 0x09: return Language::pascal;
    case 0x10: return Language::objc;
    case 0x11: return Language::objcpp;
    case 0x13: return Language::d;
    case 0x16: return Language::go;
    case 0x1c: return Language::rust;
    case 0x1e: return Language::swift;
    case 0x31:
    case 0x8001: return Language::assembly;
    default: return Language::unknown;
  }
}

/// A line or a column; more than fits is none.
std::uint32_t place_of(std::uint64_t value) { return value > 0xFFFFFFFF ? 0 : static_cast<std::uint32_t>(value); }

}  // namespace

Read<void> DwarfFunctions::unit(const dwarf::Sections& sections, const dwarf::UnitHeader& header, std::size_t rank) {
  SC_TRY(const dwarf::Unit unit, opener_.open(sections, header));
  if (unit.tag != Tag::compile_unit && unit.tag != Tag::skeleton_unit) return {};  // types, parts shared by others
  names_.start_unit();
  rank_ = static_cast<std::uint32_t>(rank);
  covered_before_ = covered_.size();
  const dwarf::Value* const directory = unit.root.find(Slot::comp_dir);
  const auto comp_dir = directory != nullptr ? names_.view(unit, kMainFile, *directory) : std::nullopt;
  if (auto ok = lines_.start_unit(unit, comp_dir.value_or(std::string_view())); !ok) return ok;
  SC_TRY(const bool has_split, split_unit(unit));
  if (!has_split)
    if (auto ok = entries(unit, kMainFile); !ok) return ok;
  return rows_without_function();
}

Read<bool> DwarfFunctions::split_unit(const dwarf::Unit& skeleton) {
  const std::uint64_t dwo_id = dwo_id_of(skeleton);
  const SplitUnit split = files_.split_unit(dwo_id);
  if (split.file == kNoFileIndex) return false;
  SC_TRY(const dwarf::Unit unit, opener_.open(split.file, split.unit, &skeleton));
  if (dwo_id_of(unit) != dwo_id) return false;
  // Many skeletons may name one unit.
  const std::uint64_t size = unit.header.end - unit.header.offset;
  if (!budget_.spend(size)) return too_large("dwarf.split_unit", unit.header.offset, size, 0);
  if (auto ok = entries(unit, split.file); !ok) return std::unexpected(ok.error());
  return true;
}

Read<void> DwarfFunctions::entries(const dwarf::Unit& unit, std::uint32_t file) {
  language_ = language_of(unit.root.number(Slot::language));
  return unit.sections->big_endian ? walk<true>(unit, file) : walk<false>(unit, file);
}

template <bool Big>
Read<void> DwarfFunctions::walk(const dwarf::Unit& unit, std::uint32_t file) {
  if (!unit.has_children) return {};
  const dwarf::AbbrevTable& abbrevs = *unit.abbrevs;
  const std::uint64_t start = unit.sections->info_start;
  dwarf::Cursor<Big> in(unit.sections->info.first(unit.header.end), unit.children);
  open_ = 0;
  scopes_.assign(1, {kNone, model::kNoInlinee, false});
  while (!in.at_end()) {
    const std::uint64_t code = in.uleb();
    if (code == 0) {
      const bool closes = scopes_.back().opened_function;
      scopes_.pop_back();
      if (closes)
        if (auto ok = close_function(); !ok) return ok;
      if (scopes_.empty()) break;
      continue;
    }
    const dwarf::Abbrev* const abbrev = abbrevs.find(code);
    if (abbrev == nullptr) return bad_value("dwarf.die.abbrev", start + in.position(), code);
    const Scope& around = scopes_.back();
    // Local classes and lambdas hold their code; other types declare functions only.
    if (!around.in_subprogram && dwarf::skip_tree(in, *abbrev, unit.header.offset)) continue;
    Scope scope{around.function, around.inlinee, around.in_subprogram};
    if (!abbrev->is_code || (abbrev->tag == Tag::inlined_subroutine && around.function == kNone)) {
      dwarf::skip_values(in, abbrevs, *abbrev, unit.header.encoding);
      if (abbrev->tag == Tag::subprogram) scope = {kNone, model::kNoInlinee, true};
    } else {
      dwarf::read_values(in, abbrevs, *abbrev, unit.header.encoding, values_);
      SC_TRY(scope, abbrev->tag == Tag::subprogram ? open_function(unit, file) : open_inlined(unit, file, around));
      if (budget_.overdrawn()) return budget_.refusal("dwarf.work", start + in.position());
    }
    if (abbrev->has_children) {
      if (scopes_.size() == kMaxDepth) return too_large("dwarf.die.depth", start + in.position(), kMaxDepth, kMaxDepth);
      scopes_.push_back(scope);
    } else if (scope.opened_function) {
      if (auto ok = close_function(); !ok) return ok;
    }
  }
  if (in.failed()) return truncated("dwarf.die", start + unit.header.end, 1, 0);
  while (open_ > 0)  // the unit ends inside a function
    if (auto ok = close_function(); !ok) return ok;
  return {};
}

/// Ranges of the entry at hand. Of a list that breaks off those before the fault are taken.
/// @return false: all ranges together are too much work
bool DwarfFunctions::find_ranges(const dwarf::Unit& unit) {
  found_.clear();
  const dwarf::RangesRead read = dwarf::append_ranges(unit, values_, found_);
  return budget_.spend(read.bytes + found_.size() * sizeof(dwarf::Range));
}

Read<DwarfFunctions::Scope> DwarfFunctions::open_function(const dwarf::Unit& unit, std::uint32_t file) {
  if (!find_ranges(unit)) return budget_.refusal("dwarf.ranges", unit.sections->info_start + unit.header.offset);
  std::erase_if(found_, [&](const dwarf::Range& r) {
    return !is_code(input_.code, r.low) || r.high - r.low > kLargestFunction || r.low < input_.image_base;
  });
  if (found_.empty()) return Scope{kNone, model::kNoInlinee, true};
  if (open_ == functions_.size()) functions_.emplace_back();
  OpenFunction& function = functions_[open_];
  function.name = names_.of(unit, file, values_).id;
  const dwarf::Value* const entry = values_.find(Slot::entry_pc);
  const auto address = entry != nullptr ? unit.address(*entry) : std::nullopt;
  function.has_entry = address.has_value();
  function.entry = address.value_or(0);
  function.code = found_;
  function.scopes.clear();
  function.ranges.clear();
  return Scope{static_cast<std::uint32_t>(open_++), model::kNoInlinee, true, true};
}

Read<DwarfFunctions::Scope> DwarfFunctions::open_inlined(const dwarf::Unit& unit, std::uint32_t file,
                                                         const Scope& around) {
  if (!find_ranges(unit)) return budget_.refusal("dwarf.ranges", unit.sections->info_start + unit.header.offset);
  if (found_.empty()) return Scope{around.function, around.inlinee, around.in_subprogram};
  OpenFunction& function = functions_[around.function];
  const auto scope = static_cast<std::uint32_t>(function.scopes.size());
  function.scopes.push_back({.caller = around.inlinee,
                             .name = names_.of(unit, file, values_).id,
                             .call_file = lines_.file(values_.number(Slot::call_file)),
                             .call_line = place_of(values_.number(Slot::call_line)),
                             .call_column = place_of(values_.number(Slot::call_column))});
  for (const dwarf::Range& r : found_) function.ranges.push_back({r.low, r.high, scope});
  return Scope{around.function, scope, around.in_subprogram};
}

Read<void> DwarfFunctions::close_function() {
  OpenFunction& function = functions_[--open_];
  std::ranges::sort(function.ranges, {}, [](const ScopeRange& r) { return std::pair(r.start, r.scope); });
  auto& code = function.code;
  std::size_t entry = 0;
  if (function.has_entry)
    for (std::size_t i = 0; i < code.size(); ++i)
      if (function.entry >= code[i].low && function.entry < code[i].high) entry = i;
  for (std::size_t i = 0; i < code.size(); ++i)
    if (auto ok = emit(function, i, entry); !ok) return ok;
  return {};
}

Read<void> DwarfFunctions::emit(OpenFunction& function, std::size_t piece, std::size_t entry) {
  const auto [low, high] = function.code[piece];
  const auto rows = lines_.rows(low, high);
  const auto first = std::ranges::lower_bound(function.ranges, low, {}, &ScopeRange::start);
  const auto last = std::ranges::lower_bound(first, function.ranges.end(), high, {}, &ScopeRange::start);
  // Scopes that begin before this piece lie in another one, unless the file is odd; then all are looked at.
  const std::span<const ScopeRange> ranges(function.code.size() == 1 ? function.ranges.begin() : first, last);
  if (!budget_.spend(kFunctionCost + (rows.size() + ranges.size()) * kRowCost + function.scopes.size()))
    return budget_.refusal("dwarf.functions", low);
  rows_.build(low, high, rows, function.scopes, ranges);
  covered_.push_back({low, high});
  const bool is_entry = piece == entry;
  sink_.function({.start = {low - input_.image_base},
                  .size = static_cast<std::uint32_t>(high - low),
                  .name = name_at(low, function.name),
                  .language = language_,
                  .kind = is_entry ? model::SymbolKind::function : model::SymbolKind::cold_part,
                  .rank = rank_,
                  .parent = {is_entry ? 0 : function.code[entry].low - input_.image_base},
                  .lines = rows_.lines(),
                  .inlinees = rows_.inlinees()});
  return {};
}

/// The symbol table knows which copy of a function this is (`f.cold`, `f.constprop.0`, the C1 of a constructor), and
/// names that DWARF leaves out. Of several symbols the one that DWARF names too is taken.
model::StringId DwarfFunctions::name_at(std::uint64_t address, model::StringId name) {
  if (input_.symbols == nullptr) return name;
  const auto symbols = input_.symbols->at(address);
  for (const CodeSymbol& symbol : symbols.first(std::min(symbols.size(), kMaxAliases)))
    if (budget_.spend(symbol.name.size()) && sink_.intern(symbol.name) == name) return name;
  return symbols.empty() ? name : sink_.intern(symbols.front().name);
}

/// Assembly has lines, but often no entries for its functions: there the symbol table names the code.
Read<void> DwarfFunctions::rows_without_function() {
  const auto mine = std::span(covered_).subspan(covered_before_);
  const auto by_start = [](const CodeRange& r) { return r.start; };
  if (!std::ranges::is_sorted(mine, {}, by_start)) std::ranges::sort(mine, {}, by_start);
  const std::vector<CodeRange> functions(mine.begin(), mine.end());
  auto next = functions.begin();
  std::uint64_t done = 0;  // end of the functions passed
  for (const LineSequence& sequence : lines_.sequences())
    for (std::uint64_t at = sequence.start; at < sequence.end;) {
      for (; next != functions.end() && next->start <= at; ++next) done = std::max(done, next->end);
      at = std::max(at, done);
      const std::uint64_t gap_end = std::min(next == functions.end() ? sequence.end : next->start, sequence.end);
      if (at >= gap_end) continue;
      if (auto ok = symbols_of_gap(at, gap_end); !ok) return ok;
      at = gap_end;
    }
  return {};
}

Read<void> DwarfFunctions::symbols_of_gap(std::uint64_t low, std::uint64_t high) {
  if (low < input_.image_base || high - low > kLargestFunction) return {};
  std::uint64_t at = low;
  if (input_.symbols != nullptr)
    for (const CodeSymbol& symbol : input_.symbols->from(low)) {
      if (symbol.address >= high) break;
      if (!budget_.spend(1 + symbol.name.size())) return budget_.refusal("dwarf.work", low);
      const std::uint64_t end = std::min(high, symbol.address + symbol.size);
      if (end <= at) continue;
      const std::uint64_t start = std::max(at, symbol.address);
      if (auto ok = emit_rows(start, end, symbol.name, symbol.is_stub); !ok) return ok;
      at = end;
    }
  const auto rows = lines_.rows(at, high);
  const bool begins_here =
      at < high &&
      std::ranges::any_of(rows, [&](const dwarf::LineRow& r) { return r.address >= at && !r.end_sequence; });
  return begins_here ? emit_rows(at, high, {}, false) : Read<void>{};
}

Read<void> DwarfFunctions::emit_rows(std::uint64_t low, std::uint64_t high, std::string_view name, bool is_stub) {
  const auto rows = lines_.rows(low, high);
  if (!budget_.spend(kFunctionCost + rows.size() * kRowCost)) return budget_.refusal("dwarf.functions", low);
  rows_.build(low, high, rows, {}, {});
  covered_.push_back({low, high});
  sink_.function({.start = {low - input_.image_base},
                  .size = static_cast<std::uint32_t>(high - low),
                  .name = sink_.intern(name),
                  .language = language_,
                  .kind = is_stub ? model::SymbolKind::thunk : model::SymbolKind::function,
                  .rank = rank_,
                  .lines = rows_.lines(),
                  .inlinees = {}});
  return {};
}

}  // namespace symcached::object
