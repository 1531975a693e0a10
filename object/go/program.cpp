#include "object/go/program.hpp"

#include <algorithm>

#include "formats/go/build_info.hpp"

namespace symcached::object {
namespace {

constexpr unsigned kVoters = 4096;  ///< functions that are asked how inline trees are kept
constexpr unsigned kEnoughVotes = 64;

/// `_rt0_amd64_linux`, but not `_rt0_amd64`, `_rt0_amd64_lib` and `_rt0_amd64_linux_lib`.
bool is_start(std::string_view name) {
  constexpr std::string_view kPrefix = "_rt0_";
  if (!name.starts_with(kPrefix)) return false;
  name.remove_prefix(kPrefix.size());
  const std::size_t system = name.find('_');
  return system != std::string_view::npos && name.find('_', system + 1) == std::string_view::npos &&
         name.substr(system + 1) != "lib";
}

/// The value at `offset` bytes from the entry; nothing if it is far from there.
std::optional<std::int32_t> value_held_at(go::PcValues values, std::int32_t offset) {
  for (unsigned steps = 0; offset >= 0 && steps < kVoters && values.next(); ++steps)
    if (values.end() > static_cast<std::uint64_t>(offset)) return values.value();
  return std::nullopt;
}

}  // namespace

std::optional<GoTable> find_go_table(const GoRegion& region, go::Container container, bool any_magic) {
  const auto table = go::find_table(region.bytes, container, any_magic);
  if (!table) return std::nullopt;
  return GoTable{*table, region.address + static_cast<std::uint64_t>(table->bytes().data() - region.bytes.data())};
}

std::optional<GoProgram> GoProgram::open(GoImage image, const GoTable& table) {
  if (!table.table.check_order()) return std::nullopt;
  GoProgram program(std::move(image), table);
  const auto data = find_module_data(program.image_, program.table_, program.table_address_);
  if (!program.find_text(data)) return std::nullopt;
  if (program.table_.has_offsets()) {
    if (data) program.funcdata_ = data->funcdata;
    if (data) program.text_sections_ = data->text_sections;
    if (!program.funcdata_ && program.table_.form() == go::Form::go1_20 && program.table_.text_start() == 0)
      program.funcdata_ = (program.table_address_ + program.table_.records_end() + 7) & ~std::uint64_t{7};
  }
  program.choose_inline_spec();
  return program;
}

/// The table's code would be in code.
bool GoProgram::is_text(std::uint64_t address) const {
  return image_.is_code(address + table_.entry(0).pc) && image_.is_code(address + table_.entry(table_.size() - 1).pc);
}

bool GoProgram::find_text(const std::optional<GoModuleData>& data) {
  if (!table_.has_offsets()) return is_text(0);
  if (data && (!data->text_sections.empty() || is_text(data->text))) {
    text_ = data->text;
    return true;
  }
  const auto take = [&](std::optional<std::uint64_t> address) {
    if (!address || *address == 0 || !is_text(*address)) return false;
    text_ = *address;
    return true;
  };
  if (take(image_.as_pointer(table_.text_start()))) return true;
  const auto start = image_.entry_point == 0 ? std::nullopt : pc_of_start();
  return (start && take(image_.entry_point - *start)) || take(marked_text());
}

/// Of the function that a program enters which Go's own linker made.
std::optional<std::uint64_t> GoProgram::pc_of_start() const {
  for (std::uint32_t i = 0; i < table_.size(); ++i)
    if (const auto function = table_.function(table_.entry(i)); function && is_start(table_.name(function->name)))
      return table_.entry(i).pc;
  return std::nullopt;
}

/// But for ELF files, code starts with the build ID, which is a function to the table: its first.
std::optional<std::uint64_t> GoProgram::marked_text() const {
  const auto first = table_.function(table_.entry(0));
  if (!first) return std::nullopt;
  const std::string_view name = table_.name(first->name);
  if (name != "go:buildid" && name != "go.buildid") return std::nullopt;
  for (const GoRegion& region : image_.regions()) {
    if (!region.is_code) continue;
    if (const std::size_t at = go::build_id_at(region.bytes); at != go::kNoBuildId)
      return region.address + at - table_.entry(0).pc;
  }
  return std::nullopt;
}

std::uint64_t GoProgram::address_of(std::uint64_t pc) const {
  if (!text_sections_.empty()) {
    const auto after = std::ranges::upper_bound(text_sections_, pc, {}, &GoTextSection::offset);
    if (after != text_sections_.begin()) return std::prev(after)->address + (pc - std::prev(after)->offset);
  }
  return text_ + pc;
}

std::optional<GoProgram::Inlined> GoProgram::inlined(const go::Function& function) const {
  return spec_ ? inlined(function, *spec_) : std::nullopt;
}

std::optional<GoProgram::Inlined> GoProgram::inlined(const go::Function& function, const go::InlineSpec& spec) const {
  const std::uint32_t values = table_.pcdata(function, spec.pcdata);
  const auto place = table_.funcdata(function, spec.funcdata);
  if (values == 0 || !place) return std::nullopt;
  if (table_.has_offsets() && !funcdata_) return std::nullopt;
  const Bytes bytes = image_.at(table_.has_offsets() ? *funcdata_ + *place : *place);
  if (bytes.empty()) return std::nullopt;
  return Inlined{values, go::InlineTree(bytes, spec.form, table_.container()), spec.form};
}

/// Tables from Go 1.2 to 1.15 do not say which of four ways they keep inline trees: the one is taken whose records
/// make sense.
void GoProgram::choose_inline_spec() {
  const auto specs = go::inline_specs(table_.form());
  if (specs.size() == 1) {
    spec_ = specs.front();
    return;
  }
  unsigned most = 0;
  for (const go::InlineSpec& spec : specs)
    if (const unsigned votes = plausible_trees(spec); votes > most) {
      most = votes;
      spec_ = spec;
    }
}

/// Functions whose first record is inlined into the function itself, and has a name and a place; that of the call is
/// also what the tables have at its parent_pc.
unsigned GoProgram::plausible_trees(const go::InlineSpec& spec) const {
  unsigned good = 0;
  for (std::uint32_t i = 0; i < std::min(table_.size(), kVoters) && good < kEnoughVotes; ++i) {
    const auto function = table_.function(table_.entry(i));
    const auto found = function ? inlined(*function, spec) : std::nullopt;
    if (!found || found->tree.room() == 0) continue;
    const go::InlinedCall call = found->tree[0];
    if (call.parent != -1 || call.line <= 0 || !table_.file_slot(*function, call.file)) continue;
    if (table_.name(call.name).empty()) continue;
    if (spec.form == go::InlineForm::places ||
        value_held_at(table_.values(function->pcln), call.parent_pc) == call.line)
      ++good;
  }
  return good;
}

}  // namespace symcached::object
