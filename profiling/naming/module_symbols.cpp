#include "profiling/naming/module_symbols.hpp"

#include <string_view>

#include "base/path_text.hpp"
#include "profiling/naming/debug_file.hpp"
#include "profiling/naming/hex_number.hpp"
#include "profiling/naming/memory_copy.hpp"
#include "profiling/naming/symbol_tables.hpp"

namespace symcached::pprof {
namespace {

/// Whether it is the file that was loaded, and not one that has replaced it since.
bool is_loaded_one(const ElfFile& file, const FileSource& source, const CodeMapping& mapping) {
  if (!mapping.module.build_id.empty()) return file.build_id() == mapping.module.build_id;
  return mapping.inode == 0 || source.status().st_ino == mapping.inode;
}

SymbolCollection symbols_of(const ElfFile& image, const std::string& path, std::span<const std::string> debug_folders) {
  SymbolCollection symbols(image);
  symbols.add_dynamic_table(image);
  if (symbols.add_full_table(image)) return symbols;
  const auto debug = path.empty() ? std::nullopt : find_debug_file(image, path, debug_folders);
  if (!debug || !symbols.add_full_table(debug->file)) symbols.add_packed_table(image);
  return symbols;
}

}  // namespace

std::optional<ElfFile> open_module_file(const CodeMapping& mapping, std::string* path) {
  for (const std::string& one : mapping.files) {
    const std::shared_ptr<FileSource> source = FileSource::open(one);
    auto file = ElfFile::open(source);
    if (!file || !is_loaded_one(*file, *source, mapping)) continue;
    if (path != nullptr) *path = one;
    return file;
  }
  return std::nullopt;
}

std::string unknown_name(std::string_view label) { return std::string("[").append(label).append("]"); }

std::shared_ptr<const ModuleSymbols> ModuleSymbols::load(const CodeMapping& mapping,
                                                         std::span<const std::string> debug_folders) {
  auto out = std::make_shared<ModuleSymbols>();
  auto image = open_module_file(mapping);
  if (!image) image = ElfFile::open(copy_from_memory(mapping));
  if (!image) return out;
  SymbolCollection symbols = symbols_of(*image, mapping.path, debug_folders);
  std::vector<CodeSymbol> all = symbols.take_symbols();
  out->names_ = symbols.take_names();
  out->symbol_count_ = all.size();
  out->ranges_ = lay_out(std::move(all), frames_of(*image), out->names_);
  out->segments_ = image->segments();
  return out;
}

std::string ModuleSymbols::name(const CodeMapping& mapping, std::uintptr_t address) const {
  const std::string_view label = last_path_part(mapping.path);
  const auto begin = code_address(segments_, mapping.module.file_offset);
  const CodeRange* range = begin ? find_range(ranges_, *begin + (address - mapping.module.begin)) : nullptr;
  if (range == nullptr) return unknown_name(label);
  if (range->name != CodeRange::kNoName) return std::string(plain_name(names_, range->name));
  return std::string(label).append("+0x").append(hex_number(range->begin));
}

}  // namespace symcached::pprof
