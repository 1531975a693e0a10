#include "object/wasm/translate.hpp"

#include <algorithm>
#include <optional>

#include "object/common/wrapping_sink.hpp"
#include "object/dwarf/in_wasm.hpp"
#include "object/dwarf/split.hpp"
#include "object/dwarf/split_file.hpp"
#include "object/dwarf/translate.hpp"
#include "object/wasm/source_map.hpp"

namespace symcached::object {
namespace {

constexpr std::string_view kSourceMapUrl = "sourceMappingURL";

/// DWARF counts addresses from the code section's contents, stack traces from the start of the file.
class ShiftingSink : public WrappingSink {
 public:
  ShiftingSink(model::ModuleSink& inner, std::uint64_t shift) : WrappingSink(inner), shift_(shift) {}
  ShiftingSink(std::unique_ptr<model::ModuleSink> inner, std::uint64_t shift)
      : WrappingSink(std::move(inner)), shift_(shift) {}

  void function(const model::Function& function) override {
    model::Function shifted = function;
    covered_.push_back({function.start.value, function.start.value + function.size});
    shifted.start.value += shift_;
    if (function.kind == model::SymbolKind::cold_part) shifted.parent.value += shift_;
    WrappingSink::function(shifted);
  }
  /// What has functions, as DWARF counts addresses; sorted by start.
  const std::vector<CodeRange>& covered() {
    std::ranges::sort(covered_, {}, [](const CodeRange& r) { return std::pair(r.start, r.end); });
    return covered_;
  }

 protected:
  std::unique_ptr<WrappingSink> wrap(std::unique_ptr<model::ModuleSink> inner) override {
    return std::make_unique<ShiftingSink>(std::move(inner), shift_);
  }
  void take(WrappingSink& part) override {
    const auto& theirs = static_cast<ShiftingSink&>(part).covered_;
    covered_.insert(covered_.end(), theirs.begin(), theirs.end());
  }

 private:
  std::uint64_t shift_;
  std::vector<CodeRange> covered_;
};

/// The functions of a module by their places in its code section.
struct Code {
  std::vector<wasm::Function> functions;
  std::uint32_t first_index = 0;  ///< of functions[0] in the index space
  std::uint64_t offset = 0;       ///< of the code section's contents in the file

  /// From the first function on: what stands before it is its size, and there old linkers left what they dropped.
  std::vector<CodeRange> ranges() const {
    if (functions.empty()) return {};
    const wasm::Function& last = functions.back();
    return {{functions.front().offset - offset, last.offset + last.size - offset}};
  }
};

Read<Code> code_of(const wasm::Module& module) {
  Code code;
  SC_TRY(code.functions, module.functions());
  SC_TRY(code.first_index, module.imported_function_count());
  code.offset = module.code_offset();
  return code;
}

/// @return for each function what the list calls it first; empty = it does not
std::vector<std::string_view> names_of(const Code& code, std::span<const wasm::FunctionName> names) {
  std::vector<std::string_view> result(code.functions.size());
  for (const wasm::FunctionName& name : names) {
    if (name.index < code.first_index || name.index - code.first_index >= result.size()) continue;
    std::string_view& place = result[name.index - code.first_index];
    if (place.empty()) place = name.name;
  }
  return result;
}

/// Linkers demangle what they put into the name section unless told not to. DWARF has the decorated name, which says
/// more; names as people read them are for functions that DWARF does not know.
bool is_decorated(std::string_view name) { return name.find_first_of("( <:") == std::string_view::npos; }

/// Names of the name section; a function that has none there goes by the first name it is exported by.
Read<void> add_names(const wasm::Module& named, const Code& code, std::vector<CodeSymbol>& symbols) {
  SC_TRY(const auto listed, named.function_names());
  SC_TRY(const auto exported, named.exported_functions());
  const auto first = names_of(code, listed);
  const auto last_resort = names_of(code, exported);
  for (std::size_t i = 0; i < code.functions.size(); ++i) {
    const wasm::Function& function = code.functions[i];
    const std::string_view name = first[i].empty() ? last_resort[i] : first[i];
    if (!name.empty() && function.size != 0)
      symbols.push_back({.address = function.offset - code.offset, .size = function.size, .name = name});
  }
  return {};
}

/// The module with the debug data that `module` names. It has the same code, or it could not describe it.
std::optional<wasm::Module> external_module(std::span<const Companion> companions) {
  for (const Companion& one : companions) {
    if (one.need.kind != NeedFile::Kind::external_debug) continue;
    auto module = wasm::Module::open(one.file);
    if (module && !dwarf_of(*module).info.empty()) return std::move(*module);
  }
  return std::nullopt;
}

Read<void> emit(const dwarf::Sections& sections, std::span<const CodeSymbol> names, std::span<const CodeRange> code,
                const Original& original, ShiftingSink& sink) {
  CodeSymbols decorated;
  for (const CodeSymbol& symbol : names)
    if (is_decorated(symbol.name)) decorated.add(symbol);
  decorated.finish(code);
  if (sections.info.empty()) {
    decorated.emit(sink, 0, {});
  } else {
    SC_TRY(const auto split, SplitFiles::open(original));
    const auto done = translate_dwarf({.sections = sections,
                                       .split = split.sections(),
                                       .code = code,
                                       .symbols = &decorated,
                                       .threads = original.threads},
                                      sink);
    if (!done) return done;
  }
  const std::vector<CodeRange> covered = sink.covered();
  CodeSymbols others;
  for (const CodeSymbol& symbol : names)
    if (!is_decorated(symbol.name) && !std::ranges::binary_search(covered, symbol.address, {}, &CodeRange::start))
      others.add(symbol);
  others.finish(code);
  others.emit(sink, 0, covered);
  return {};
}

/// Lines from a source map; what it says nothing of has its name alone.
void emit_with_map(const sourcemap::SourceMap& map, const Code& code, std::span<const CodeSymbol> names,
                   model::ModuleSink& sink) {
  std::vector<MappedFunction> functions;
  auto name = names.begin();  // names of functions are in the order of the functions
  for (const wasm::Function& function : code.functions) {
    while (name != names.end() && name->address + code.offset < function.offset) ++name;
    const bool named = name != names.end() && name->address + code.offset == function.offset;
    functions.push_back({function.offset, function.size, named ? name->name : std::string_view()});
  }
  const std::vector<CodeRange> covered = emit_mapped(map, functions, sink);
  CodeSymbols others;
  for (const CodeSymbol& symbol : names)
    if (!std::ranges::binary_search(covered, symbol.address + code.offset, {}, &CodeRange::start)) others.add(symbol);
  others.finish(code.ranges());
  ShiftingSink shifting(sink, code.offset);
  std::vector<CodeRange> shifted;
  for (const CodeRange& range : covered) shifted.push_back({range.start - code.offset, range.end - code.offset});
  others.emit(shifting, 0, shifted);
}

}  // namespace

Read<void> translate_wasm(const Original& original, model::ModuleSink& sink) {
  SC_TRY(const auto module, wasm::Module::open(original.file));
  SC_TRY(const auto name, module.module_name());
  sink.module({.arch = model::Arch::wasm32,
               .debug_id = debug_id_of(module).value_or(DebugId()),
               .debug_file = std::string(name),
               .producer_kind = "wasm"});
  SC_TRY(const Code code, code_of(module));
  const auto ranges = code.ranges();
  dwarf::Sections sections = dwarf_of(module);
  std::optional<wasm::Module> external;
  if (sections.info.empty()) external = external_module(original.companions);
  if (external) sections = dwarf_of(*external);

  std::vector<CodeSymbol> names;
  if (const auto added = add_names(module, code, names); !added) return added;
  if (external)
    if (const auto added = add_names(*external, code, names); !added) return added;
  if (sections.info.empty())
    if (const auto map = source_map_of(original.companions)) {
      emit_with_map(*map, code, names, sink);
      return {};
    }
  ShiftingSink shifting(sink, code.offset);
  return emit(sections, names, ranges, original, shifting);
}

std::optional<std::uint64_t> image_base_wasm(Bytes file) {
  const auto module = wasm::Module::open(file);
  return module ? std::optional(0 - module->code_offset()) : std::nullopt;
}

std::vector<NeedFile> needed_files_wasm(Bytes file, std::span<const Companion> companions) {
  const auto module = wasm::Module::open(file);
  if (!module) return {};
  std::vector<NeedFile> needed;
  dwarf::Sections sections = dwarf_of(*module);
  if (sections.info.empty()) {
    const auto external = external_module(companions);
    const std::string_view url = module->string_in(kExternalDebugInfo);
    if (external) sections = dwarf_of(*external);
    else if (!url.empty())
      needed.push_back(
          {.kind = NeedFile::Kind::external_debug, .path = std::string(url), .directory = {}, .build_id = {}});
    else if (!source_map_of(companions))
      needed.push_back({.kind = NeedFile::Kind::source_map,
                        .path = std::string(module->string_in(kSourceMapUrl)),
                        .directory = {},
                        .build_id = {}});
  }
  add_split_needs(sections, companions, needed);
  return needed;
}

}  // namespace symcached::object
