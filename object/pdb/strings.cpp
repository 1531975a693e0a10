#include "object/pdb/strings.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "formats/pdb/symbols.hpp"

namespace symcached::object {
namespace {

constexpr pdb::StreamIndex kTypesStream = 2;
constexpr pdb::StreamIndex kItemsStream = 4;
constexpr std::uint32_t kCrossScope = 0x80000000;
/// A class name is repeated for each of its functions; so much of it is allowed.
constexpr std::uint64_t kNameBytes = 4u << 20, kNameBytesPerByte = 8;
constexpr std::string_view kAnonymous = "`anonymous namespace'";

}  // namespace

std::string_view readable_name(std::string_view name, std::string& scratch) {
  constexpr std::string_view kMark = "?A0x";
  std::size_t mark = name.find(kMark);
  if (mark == std::string_view::npos) return name;
  scratch.clear();
  std::size_t done = 0;
  for (; mark != std::string_view::npos; mark = name.find(kMark, done)) {
    std::size_t end = mark + kMark.size();
    while (end < name.size() && hex_digit(name[end])) ++end;
    if (end < name.size() && name[end] == '@') return name;  // a decorated name, which must stay as it is
    scratch.append(name, done, mark - done).append(kAnonymous);
    done = end;
  }
  scratch.append(name, done);
  return scratch;
}

Read<PdbStrings> PdbStrings::open(const pdb::File& file, std::uint64_t file_bytes, model::ModuleSink& sink) {
  const std::uint64_t name_bytes = kNameBytes + kNameBytesPerByte * file_bytes;
  SC_TRY(auto types, pdb::TypeStream::open(file.msf(), kTypesStream));
  PdbStrings strings(file, sink, pdb::TypeTexts(std::move(types), name_bytes));
  SC_TRY(strings.items_, pdb::TypeStream::open(file.msf(), kItemsStream));
  strings.inlinees_.assign(strings.items_.count(), model::StringId::none);
  strings.parameters_.resize(strings.type_texts_.types().count());
  strings.name_bytes_left_ = name_bytes;
  return strings;
}

model::StringId PdbStrings::source_file(const pdb::C13& module, std::uint32_t checksum_offset) {
  const auto name = module.file_name(checksum_offset);
  if (!name) return model::StringId::none;
  const auto [at, added] = files_.try_emplace(*name, model::StringId::none);
  if (added) at->second = sink_->intern(file_->name_at(*name));
  return at->second;
}

Read<model::StringId> PdbStrings::inlinee(const pdb::C13& module, std::uint32_t id) {
  if ((id & kCrossScope) != 0) {
    SC_TRY(id, resolve_cross_scope(module, id));
  }
  const std::uint32_t index = id - items_.first();
  if (index >= inlinees_.size()) return model::StringId::none;
  if (inlinees_[index] == model::StringId::none) {
    name_.clear();
    SC_TRY(const auto type, pdb::append_inlinee_name(items_, type_texts_.types(), id, type_scratch_, name_));
    if (name_.size() > name_bytes_left_) return too_large("pdb.item.function.name", id, name_.size(), name_bytes_left_);
    name_bytes_left_ -= name_.size();
    inlinees_[index] = function_of_type(name_, type);
  }
  return inlinees_[index];
}

model::StringId PdbStrings::function(std::string_view name, pdb::SymKind kind, pdb::TypeIndex type) {
  return function_of_type(name, pdb::has_item_type(kind) ? type_of_item(type) : type);
}

model::StringId PdbStrings::function_of_type(std::string_view name, pdb::TypeIndex type) {
  const model::StringId named = function(name);
  const std::uint32_t index = type - type_texts_.types().first();
  if (index >= parameters_.size()) return named;
  std::uint32_t& known = parameters_[index];
  if (known == 0) known = static_cast<std::uint32_t>(parameters_of(type)) + 1;
  return known == 1 ? named : sink_->with_parameters(named, model::StringId{known - 1});
}

model::StringId PdbStrings::parameters_of(pdb::TypeIndex type) {
  const auto list = type_texts_.list_of(type);
  if (!list) return model::StringId::none;
  bool added = false;
  std::uint32_t& text = lists_.at(std::uint64_t{list->arguments} << 1 | (list->is_const ? 1 : 0), added);
  if (added) text = static_cast<std::uint32_t>(sink_->intern(type_texts_.parameters(*list)));
  return model::StringId{text};
}

/// 0, which is no type, where the item has none.
pdb::TypeIndex PdbStrings::type_of_item(pdb::TypeIndex item) {
  if (!items_.has(item)) return 0;
  const auto record = items_.at(item, type_scratch_.item);
  if (!record || (record->leaf != pdb::Leaf::func_id && record->leaf != pdb::Leaf::mfunc_id)) return 0;
  const auto function = read_at<pdb::FuncIdLeaf>(record->data, 0, "pdb.item.function");
  return function ? pdb::TypeIndex{function->type} : 0;
}

/// Gives 0, which is no item, where the import or export is missing.
Read<std::uint32_t> PdbStrings::resolve_cross_scope(const pdb::C13& module, std::uint32_t id) {
  const std::uint32_t import = (id & ~kCrossScope) >> 20;
  const std::uint32_t entry = id & 0xFFFFF;
  if (import >= module.imports.size() || entry >= module.imports[import].ids.size()) return 0;
  SC_TRY(const Exports* exports, exports_of(module.imports[import].module));
  if (exports == nullptr) return 0;
  const auto at = exports->find(module.imports[import].ids[entry]);
  return at == exports->end() ? 0 : at->second;
}

Read<const PdbStrings::Exports*> PdbStrings::exports_of(std::uint32_t module_name) {
  const auto known = exporters_.find(module_name);
  if (known != exporters_.end()) return known->second;
  const auto modules = file_->modules();
  if (modules_.empty())
    for (std::uint32_t i = 0; i < modules.size(); ++i) modules_.try_emplace(lower_ascii(modules[i].name), i);
  const auto named = modules_.find(lower_ascii(file_->name_at(module_name)));
  const Exports* exports = nullptr;
  if (named != modules_.end()) {
    SC_TRY(exports, exports_of_module(named->second));
  }
  exporters_.emplace(module_name, exports);
  return exports;
}

Read<const PdbStrings::Exports*> PdbStrings::exports_of_module(std::uint32_t index) {
  const auto [at, added] = exports_.try_emplace(index);
  const pdb::ModuleInfo& module = file_->modules()[index];
  if (!added || !file_->msf().has_stream(module.stream)) return &at->second;
  std::vector<std::byte> scratch;
  SC_TRY(const pdb::ModuleData data, file_->module_data(module, scratch));
  pdb::C13 subsections;
  if (auto ok = subsections.read(data.c13); !ok) return std::unexpected(ok.error());
  for (const auto& e : subsections.exports) at->second.try_emplace(e.local, e.item);
  return &at->second;
}

}  // namespace symcached::object
