#include "object/macho/describe.hpp"

#include "formats/macho/debug_map.hpp"
#include "formats/macho/fat.hpp"
#include "object/dwarf/in_macho.hpp"
#include "object/go/in_macho.hpp"
#include "object/macho/files.hpp"

namespace symcached::object {
namespace {

/// What one pass over the symbols shows.
struct Names {
  bool symbols = false, debug_map = false, hidden = false;
};
Names names_of(const macho::Symbols& symbols) {
  Names found;
  for (std::uint32_t i = 0; i < symbols.size(); ++i) {
    const macho::Symbol symbol = symbols.at(i);
    found.symbols = found.symbols || symbol.is_defined();
    found.debug_map = found.debug_map || (symbol.is_stab() && symbol.stab() == macho::Stab::object);
    found.hidden = found.hidden || macho::is_hidden(symbol.name);
  }
  return found;
}

std::string_view feature_of(macho::FileType type) {
  switch (type) {
    case macho::FileType::object: return "object";
    case macho::FileType::dylib: return "dylib";
    case macho::FileType::bundle: return "bundle";
    case macho::FileType::dsym: return "dsym";
    case macho::FileType::execute:
    case macho::FileType::core:
    case macho::FileType::dylinker: break;
  }
  return {};
}

void describe_file(FileInfo& info, const macho::File& file) {
  info.arch = arch_of(file.header().cpu);
  info.debug_file = file.library_name();
  if (file.uuid()) {
    info.debug_id = DebugId{*file.uuid(), 0};
    info.code_id = file.uuid()->hex_lower();
  } else {
    info.debug_id = go_debug_id_of(file);
  }
  const auto add = [&](bool has, std::string_view feature) {
    if (has) info.features.push_back(feature);
  };
  add(!feature_of(file.header().type).empty(), feature_of(file.header().type));
  add(file.header().is_arm64e(), "arm64e");
  add(file.is_encrypted(), "encrypted");
  const auto symbols = file.symbols();
  if (!symbols && !info.error) info.error = symbols.error();
  const Names names = symbols ? names_of(*symbols) : Names();
  add(names.symbols, "symbols");
  add(file.has_exports_trie(), "exports");
  add(file.has_function_starts(), "function-starts");
  add(has_dwarf(file), "dwarf");
  add(has_go_table(file), "gopclntab");
  add(names.debug_map, "debug-map");
  add(names.hidden, "hidden-names");
  add(file.find_section("__TEXT", "__unwind_info") != nullptr || file.find_section("__TEXT", "__eh_frame") != nullptr,
      "unwind");
}

SliceInfo slice_info(const macho::Slice& slice) {
  SliceInfo info{.arch = std::string(macho::cpu_name(slice.cpu, slice.cpu_subtype)),
                 .debug_id = {},
                 .offset = slice.offset,
                 .size = slice.file.size()};
  if (const auto file = macho::File::open(slice.file); file && file->uuid()) info.debug_id = DebugId{*file->uuid(), 0};
  return info;
}

}  // namespace

void describe_macho(FileInfo& info, Bytes file) {
  if (macho::is_fat(file)) {
    const auto slices = macho::read_fat(file);
    if (!slices) {
      info.error = slices.error();
      return;
    }
    for (const macho::Slice& slice : *slices) info.slices.push_back(slice_info(slice));
  }
  const auto slice = chosen_slice(file);
  const auto opened = slice ? macho::File::open(*slice) : std::unexpected(slice.error());
  if (opened) describe_file(info, *opened);
  else info.error = opened.error();
}

}  // namespace symcached::object
