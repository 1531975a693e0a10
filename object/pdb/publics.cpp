#include "object/pdb/publics.hpp"

#include <algorithm>
#include <string>

#include "formats/pdb/symbols.hpp"

namespace symcached::object {
namespace {

constexpr std::size_t kMaxPublics = 1u << 26;

bool in_code(const pdb::File& file, pdb::SectionOffset at) {
  return at.segment != 0 && at.segment <= file.sections().size() && file.sections()[at.segment - 1u].is_code();
}

/// The part of a qualified name after its last `::` outside of template arguments.
std::string_view last_component(std::string_view name) {
  int depth = 0;
  for (std::size_t i = name.size(); i-- > 1;) {
    if (name[i] == '>') ++depth;
    else if (name[i] == '<') --depth;
    else if (depth <= 0 && name[i] == ':' && name[i - 1] == ':') return name.substr(i + 1);
  }
  return name;
}

}  // namespace

bool may_decorate(std::string_view decorated, std::string_view name) {
  if (decorated == name) return true;
  if (decorated.starts_with('?')) {
    std::string_view last = last_component(name);
    last = last.substr(0, last.find('<'));
    decorated.remove_prefix(1);
    if (decorated.starts_with("?$")) decorated.remove_prefix(2);
    return decorated.size() > last.size() && decorated.starts_with(last) && decorated[last.size()] == '@';
  }
  if (decorated.starts_with('_') || decorated.starts_with('@')) decorated.remove_prefix(1);
  return decorated == name ||
         (decorated.starts_with(name) && decorated.size() > name.size() && decorated[name.size()] == '@');
}

Read<PdbPublics> PdbPublics::open(const pdb::File& file) {
  PdbPublics publics;
  if (!file.msf().has_stream(file.symbol_records())) return publics;
  SC_TRY(const Bytes data, file.msf().stream(file.symbol_records(), publics.owned_, "pdb.symbol_records"));
  pdb::SymbolReader records(data, 0);
  for (;;) {
    SC_TRY(const auto record, records.next());
    if (!record) break;
    if (record->kind != pdb::SymKind::pub32) continue;
    SC_TRY(const auto symbol, pdb::read_named<pdb::PublicSym>(*record, "pdb.public"));
    const pdb::SectionOffset at{symbol.record.segment, symbol.record.offset};
    if (!in_code(file, at)) continue;
    if (publics.publics_.size() == kMaxPublics)
      return too_large("pdb.symbol_records.publics", record->offset, kMaxPublics + 1, kMaxPublics);
    publics.publics_.push_back({.at = at, .module = kNoModule, .name = symbol.name});
  }
  std::ranges::sort(publics.publics_, [](const PdbPublic& a, const PdbPublic& b) {
    return a.at != b.at ? a.at < b.at : a.name < b.name;
  });
  publics.skip_.assign(publics.publics_.size(), 0);
  publics.size_them(file);
  publics.group_by_module(file.modules().size());
  return publics;
}

void PdbPublics::size_them(const pdb::File& file) {
  std::uint32_t next = 0;  // offset of the next place with publics in the same section; 0 = none
  for (std::size_t i = publics_.size(); i-- > 0;) {
    PdbPublic& symbol = publics_[i];
    const bool last_of_place = i + 1 == publics_.size() || publics_[i + 1].at != symbol.at;
    if (last_of_place)
      next = i + 1 < publics_.size() && publics_[i + 1].at.segment == symbol.at.segment ? publics_[i + 1].at.offset : 0;
    std::uint64_t end = symbol.at.offset;
    if (const pdb::Contribution* owner = file.contribution_at(symbol.at)) {
      symbol.module = owner->module;
      end = std::uint64_t{owner->start.offset} + owner->size;
    } else {
      end = file.sections()[symbol.at.segment - 1u].virtual_size;
    }
    if (next != 0) end = std::min<std::uint64_t>(end, next);
    symbol.size = end > symbol.at.offset ? static_cast<std::uint32_t>(end - symbol.at.offset) : 0;
  }
}

void PdbPublics::group_by_module(std::size_t module_count) {
  group_starts_.assign(module_count + 1, 0);
  for (const PdbPublic& p : publics_)
    if (p.module < module_count) ++group_starts_[p.module + 1];
  for (std::size_t i = 1; i < group_starts_.size(); ++i) group_starts_[i] += group_starts_[i - 1];
  by_module_.resize(group_starts_.back());
  std::vector<std::uint32_t> next(group_starts_);
  for (std::uint32_t i = 0; i < publics_.size(); ++i)
    if (publics_[i].module < module_count) by_module_[next[publics_[i].module]++] = i;
}

std::span<const std::uint32_t> PdbPublics::of_module(std::uint32_t module) const {
  if (module + 1 >= group_starts_.size()) return {};
  return std::span(by_module_).subspan(group_starts_[module], group_starts_[module + 1] - group_starts_[module]);
}

std::span<PdbPublic> PdbPublics::at(pdb::SectionOffset place) {
  const auto found = std::ranges::equal_range(publics_, place, {}, &PdbPublic::at);
  return {found.begin(), found.end()};
}

/// The first public from `index` on that is not taken; the number of publics if there is none.
std::size_t PdbPublics::first_free(std::size_t index) {
  std::size_t found = index;
  while (found < publics_.size() && publics_[found].taken) found += std::max<std::uint32_t>(skip_[found], 1);
  while (index < found) {  // shorten the way for the next who asks
    const std::size_t next = index + std::max<std::uint32_t>(skip_[index], 1);
    skip_[index] = static_cast<std::uint32_t>(found - index);
    index = next;
  }
  return found;
}

std::string_view PdbPublics::take(std::size_t index) {
  publics_[index].taken = true;
  return publics_[index].name;
}

std::string_view PdbPublics::take_linkage_name(pdb::SectionOffset place, std::string_view function) {
  const auto here = at(place);
  const std::size_t begin = static_cast<std::size_t>(here.data() - publics_.data()), end = begin + here.size();
  if (here.size() <= 1) return first_free(begin) < end ? take(begin) : std::string_view{};
  std::string_view last = last_component(function);
  last = last.substr(0, last.find('<'));
  const struct {
    std::string_view mark, text, next;
  } forms[] = {{"?", last, "@"},     {"??$", last, "@"}, {"@", function, "@"}, {"_", function, ""},
               {"_", function, "@"}, {"", function, ""}, {"", function, "@"}};
  std::string wanted;
  for (const auto& form : forms) {  // names at one place are sorted, so all with one beginning stand together
    wanted.assign(form.mark).append(form.text).append(form.next);
    const auto found = std::ranges::lower_bound(here, std::string_view(wanted), {}, &PdbPublic::name);
    const std::size_t free = first_free(begin + static_cast<std::size_t>(found - here.begin()));
    if (free < end && may_decorate(publics_[free].name, function)) return take(free);
  }
  const std::size_t free = first_free(begin);
  return free < end ? take(free) : std::string_view{};
}

}  // namespace symcached::object
