#include "object/macho/translate.hpp"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "object/dwarf/in_macho.hpp"
#include "object/go/in_macho.hpp"
#include "object/go/translate.hpp"
#include "object/macho/debug_map.hpp"
#include "object/macho/files.hpp"
#include "object/macho/revealing_sink.hpp"
#include "object/macho/symbols.hpp"

namespace symcached::object {
namespace {

/// Paths in a debug map may share their ends; all together are not longer than this many times the strings.
constexpr std::uint64_t kMaxPathBytes = 4;

class MachoTranslator {
 public:
  MachoTranslator(macho::File file, const Original& original)
      : file_(std::move(file)), original_(original), hidden_(find_symbol_map(original.companions)) {}

  Read<void> run(model::ModuleSink& sink) {
    sink.module({.arch = arch_of(file_.header().cpu),
                 .debug_id = file_.uuid() ? DebugId{*file_.uuid(), 0} : go_debug_id_of(file_).value_or(DebugId()),
                 .debug_file = std::string(file_.library_name()),
                 .producer_kind = "macho"});
    if (!hidden_) return emit(sink);
    RevealingSink revealing(sink, *hidden_);
    return emit(revealing);
  }

 private:
  const macho::SymbolMap* hidden() const { return hidden_ ? &*hidden_ : nullptr; }

  Read<void> emit(model::ModuleSink& sink) {
    if (!has_dwarf(file_)) dsym_ = find_dsym(file_, original_.companions);
    SC_TRY(const auto symbols, file_.symbols());
    map_ = macho::read_debug_map(symbols);
    if (const auto added = add_macho_symbols(file_, map_, hidden(), symbols_, texts_); !added) return added;
    if (dsym_)
      if (const auto added = add_macho_symbols(*dsym_, {}, hidden(), symbols_, texts_); !added) return added;
    code_ = code_ranges_of(file_);
    symbols_.finish(code_);
    if (dsym_) return emit_dwarf(*dsym_, sink);
    if (has_dwarf(file_)) return emit_dwarf(file_, sink);
    ObjectFiles objects(file_, original_.companions);
    SC_TRY(auto covered, translate_debug_map({file_, map_, hidden(), objects, original_}, sink));
    if (const auto program = go_program_of(file_)) {
      SC_TRY(const auto of_go, translate_go(*program, file_.image_base(), sink));
      covered.insert(covered.end(), of_go.begin(), of_go.end());
      std::ranges::sort(covered, {}, &CodeRange::start);
    }
    symbols_.emit(sink, file_.image_base(), covered);
    return {};
  }

  Read<void> emit_dwarf(const macho::File& with_dwarf, model::ModuleSink& sink) {
    SC_TRY(const auto dwarf, MachoDwarf::open(with_dwarf, original_.inflate));
    return translate_dwarf({.sections = dwarf.sections(),
                            .split = {},
                            .image_base = file_.image_base(),
                            .code = code_,
                            .symbols = &symbols_,
                            .threads = original_.threads},
                           sink);
  }

  macho::File file_;
  const Original& original_;
  std::optional<macho::SymbolMap> hidden_;
  std::optional<macho::File> dsym_;
  macho::DebugMap map_;
  std::deque<std::string> texts_;
  CodeSymbols symbols_;
  std::vector<CodeRange> code_;
};

bool has_hidden_names(const macho::Symbols& symbols) {
  for (std::uint32_t i = 0; i < symbols.size(); ++i)
    if (macho::is_hidden(symbols.at(i).name)) return true;
  return false;
}

/// What gives hidden names back, and first what tells the UUID that it is called by.
void add_maps(const std::string& uuid, std::span<const Companion> companions, std::vector<NeedFile>& needed) {
  if (find_symbol_map(companions)) return;
  const auto original = find_original_uuid(companions);
  const auto add = [&](NeedFile::Kind kind, std::string id) {
    needed.push_back({.kind = kind, .path = {}, .directory = {}, .build_id = std::move(id)});
  };
  if (!original) add(NeedFile::Kind::uuid_map, uuid);
  add(NeedFile::Kind::symbol_map, original ? original->hex_lower() : uuid);
}

/// Each object file once, though a hostile map may name it often.
void add_objects(const macho::File& file, const macho::Symbols& symbols, std::span<const Companion> companions,
                 std::vector<NeedFile>& needed) {
  const ObjectFiles found(file, companions);
  const macho::DebugMap map = macho::read_debug_map(symbols);
  const std::uint64_t limit = symbols.string_bytes() * kMaxPathBytes;
  std::unordered_set<std::string_view> seen;
  std::uint64_t bytes = 0;
  for (const macho::MappedObject& object : map.objects) {
    if (object.function_count == 0 || found.has(object.path) || !seen.insert(object.path).second) continue;
    bytes += object.path.size();
    if (bytes > limit) return;
    needed.push_back({.kind = NeedFile::Kind::debug_map,
                      .path = std::string(object.path),
                      .directory = {},
                      .build_id = {},
                      .modified = object.modified});
  }
}

}  // namespace

Read<void> translate_macho(const Original& original, model::ModuleSink& sink) {
  SC_TRY(const auto slice, chosen_slice(original.file));
  SC_TRY(auto file, macho::File::open(slice));
  return MachoTranslator(std::move(file), original).run(sink);
}

std::optional<std::uint64_t> image_base_macho(Bytes bytes) {
  const auto slice = chosen_slice(bytes);
  const auto file = slice ? macho::File::open(*slice) : std::unexpected(slice.error());
  return file ? std::optional(file->image_base()) : std::nullopt;
}

std::vector<NeedFile> needed_files_macho(Bytes bytes, std::span<const Companion> companions) {
  std::vector<NeedFile> needed;
  const auto slice = chosen_slice(bytes);
  if (!slice) return needed;
  const auto file = macho::File::open(*slice);
  if (!file) return needed;
  const std::string uuid = file->uuid() ? file->uuid()->hex_lower() : std::string();
  const auto symbols = file->symbols();
  const auto dsym = has_dwarf(*file) ? std::nullopt : find_dsym(*file, companions);
  const bool is_linked = file->header().type != macho::FileType::object;
  if (!has_dwarf(*file) && !dsym && is_linked) {
    if (!uuid.empty()) needed.push_back({.kind = NeedFile::Kind::dsym, .path = {}, .directory = {}, .build_id = uuid});
    if (symbols) add_objects(*file, *symbols, companions, needed);
  }
  const auto names = dsym ? dsym->symbols() : symbols;
  if (!uuid.empty() && names && has_hidden_names(*names)) add_maps(uuid, companions, needed);
  return needed;
}

}  // namespace symcached::object
