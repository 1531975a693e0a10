#pragma once
/// The layouts, a row for each file type. docs/protocols/layouts.md has the same as a page.
#include <algorithm>
#include <array>
#include <string_view>

#include "sources/file_type.hpp"
#include "sources/source_config.hpp"

namespace symcached::sources {

/// Words of a pattern stand in braces; what they mean is in layout_words.hpp. Several places are separated by '|', in
/// the order to ask. A place is left out where one of its words is not known of the module.
struct LayoutRow {
  Layout layout;
  FileType type;
  std::string_view patterns;  ///< empty: this layout has no place for such a file
};

namespace pattern {
inline constexpr std::string_view kPdb = "{debug_file}/{guid:upper}{age:lower}/{debug_file}";
inline constexpr std::string_view kPortable = "{debug_file}/{guid:upper}ffffffff/{debug_file}";
inline constexpr std::string_view kNuget = "{debug_file:lower}/{guid:lower}FFFFFFFF/{debug_file:lower}";
inline constexpr std::string_view kPe = "{code_file}/{timestamp:upper}{size:lower}/{code_file}";
inline constexpr std::string_view kMachDebug = "_.dwarf/mach-uuid-sym-{uuid}/_.dwarf";
inline constexpr std::string_view kSym = "{debug_file}/{guid:upper}{age:lower}/{sym_file}";
inline constexpr std::string_view kBundle = "{debug_file}/{guid:upper}{age:lower}/{bundle_file}";
inline constexpr std::string_view kBundles =
    "{build_id:2}/{build_id:rest}.src.zip|{uuid:split}.src.zip|"
    "{debug_file}/{guid:upper}{age:lower}/{bundle_file}|{debug_file}/{guid:upper}ffffffff/{bundle_file}";
inline constexpr std::string_view kSlash = "{code_file}/{code_id}/symbols|{code_file}/{code_id:upper}/symbols";
}  // namespace pattern

/// Layout::symstore_index2 has the rows of symstore, behind the first letters of the name. Layout::loose has none.
inline constexpr auto kLayoutTable = std::to_array<LayoutRow>({
    // Every spelling that stores on case-sensitive disks were seen to have, and where the tools of other systems look.
    {Layout::automatic, FileType::pdb,
     "{debug_file}/{guid:upper}{age:lower}/{debug_file}|"
     "{debug_file:lower}/{guid:lower}{age:lower}/{debug_file:lower}|"
     "{debug_file}/{guid:upper}{age:upper}/{debug_file}"},
    {Layout::automatic, FileType::portable_pdb,  // SSQP's first: NuGet's server takes no other
     "{debug_file:lower}/{guid:lower}FFFFFFFF/{debug_file:lower}|{debug_file}/{guid:lower}FFFFFFFF/{debug_file}|"
     "{debug_file}/{guid:upper}FFFFFFFF/{debug_file}|{debug_file:lower}/{guid:lower}ffffffff/{debug_file:lower}|"
     "{debug_file}/{guid:upper}ffffffff/{debug_file}"},
    {Layout::automatic, FileType::pe,
     "{code_file}/{timestamp:upper}{size:lower}/{code_file}|"
     "{code_file:lower}/{timestamp:upper}{size:lower}/{code_file:lower}|"
     "{code_file:lower}/{timestamp:lower}{size:lower}/{code_file:lower}|"
     "{code_file}/{timestamp:upper}{size:upper}/{code_file}"},
    {Layout::automatic, FileType::elf_code,
     "{code_file}/elf-buildid-{build_id}/{code_file}|{code_file:lower}/elf-buildid-{build_id:20}/{code_file:lower}|"
     "buildid/{build_id}/executable|.build-id/{build_id:2}/{build_id:rest}|{build_id:2}/{build_id:rest}"},
    {Layout::automatic, FileType::elf_debug,
     "_.debug/elf-buildid-sym-{build_id}/_.debug|_.debug/elf-buildid-sym-{build_id:20}/_.debug|"
     "buildid/{build_id}/debuginfo|.build-id/{build_id:2}/{build_id:rest}.debug|{build_id:2}/{build_id:rest}.debug"},
    {Layout::automatic, FileType::mach_code,
     "{code_file}/mach-uuid-{uuid}/{code_file}|{code_file:lower}/mach-uuid-{uuid}/{code_file:lower}|{uuid:split}.app"},
    {Layout::automatic, FileType::mach_debug, "_.dwarf/mach-uuid-sym-{uuid}/_.dwarf|{uuid:split}"},
    {Layout::automatic, FileType::wasm_code, "{build_id:2}/{build_id:rest}"},
    {Layout::automatic, FileType::wasm_debug, "{build_id:2}/{build_id:rest}.debug"},
    {Layout::automatic, FileType::breakpad, pattern::kSym},
    {Layout::automatic, FileType::source_bundle, pattern::kBundles},
    {Layout::automatic, FileType::uuid_map, ""},
    {Layout::automatic, FileType::bcsymbol_map, ""},

    // What symstore.exe writes, and what SSQP adds for other systems.
    {Layout::symstore, FileType::pdb, pattern::kPdb},
    {Layout::symstore, FileType::portable_pdb, pattern::kPortable},
    {Layout::symstore, FileType::pe, pattern::kPe},
    {Layout::symstore, FileType::elf_code, "{code_file}/elf-buildid-{build_id}/{code_file}"},
    {Layout::symstore, FileType::elf_debug, "_.debug/elf-buildid-sym-{build_id}/_.debug"},
    {Layout::symstore, FileType::mach_code, "{code_file}/mach-uuid-{uuid}/{code_file}"},
    {Layout::symstore, FileType::mach_debug, pattern::kMachDebug},
    {Layout::symstore, FileType::wasm_code, ""},
    {Layout::symstore, FileType::wasm_debug, ""},
    {Layout::symstore, FileType::breakpad, ""},
    {Layout::symstore, FileType::source_bundle, pattern::kBundle},
    {Layout::symstore, FileType::uuid_map, ""},
    {Layout::symstore, FileType::bcsymbol_map, ""},

    {Layout::ssqp, FileType::pdb, "{debug_file:lower}/{guid:lower}{age:upper}/{debug_file:lower}"},
    {Layout::ssqp, FileType::portable_pdb, pattern::kNuget},
    {Layout::ssqp, FileType::pe, "{code_file:lower}/{timestamp:lower}{size:lower}/{code_file:lower}"},
    {Layout::ssqp, FileType::elf_code, "{code_file:lower}/elf-buildid-{build_id:20}/{code_file:lower}"},
    {Layout::ssqp, FileType::elf_debug, "_.debug/elf-buildid-sym-{build_id:20}/_.debug"},
    {Layout::ssqp, FileType::mach_code, "{code_file:lower}/mach-uuid-{uuid}/{code_file:lower}"},
    {Layout::ssqp, FileType::mach_debug, pattern::kMachDebug},
    {Layout::ssqp, FileType::wasm_code, ""},
    {Layout::ssqp, FileType::wasm_debug, ""},
    {Layout::ssqp, FileType::breakpad, ""},
    {Layout::ssqp, FileType::source_bundle, ""},
    {Layout::ssqp, FileType::uuid_map, ""},
    {Layout::ssqp, FileType::bcsymbol_map, ""},

    // Symbolicator's own, each system's habits side by side.
    {Layout::native, FileType::pdb, pattern::kPdb},
    {Layout::native, FileType::portable_pdb, pattern::kPortable},
    {Layout::native, FileType::pe, pattern::kPe},
    {Layout::native, FileType::elf_code, "{build_id:2}/{build_id:rest}"},
    {Layout::native, FileType::elf_debug, "{build_id:2}/{build_id:rest}.debug"},
    {Layout::native, FileType::mach_code, "{uuid:split}.app"},
    {Layout::native, FileType::mach_debug, "{uuid:split}"},
    {Layout::native, FileType::wasm_code, "{build_id:2}/{build_id:rest}"},
    {Layout::native, FileType::wasm_debug, "{build_id:2}/{build_id:rest}.debug"},
    {Layout::native, FileType::breakpad, pattern::kSym},
    {Layout::native, FileType::source_bundle, pattern::kBundles},
    {Layout::native, FileType::uuid_map, ""},
    {Layout::native, FileType::bcsymbol_map, ""},

    // What Sentry's symsorter writes.
    {Layout::unified, FileType::pdb, "{id:2}/{id:rest}/debuginfo"},
    {Layout::unified, FileType::portable_pdb, "{id:2}/{id:rest}/debuginfo"},
    {Layout::unified, FileType::pe, "{id:2}/{id:rest}/executable"},
    {Layout::unified, FileType::elf_code, "{build_id:2}/{build_id:rest}/executable"},
    {Layout::unified, FileType::elf_debug, "{build_id:2}/{build_id:rest}/debuginfo"},
    {Layout::unified, FileType::mach_code, "{uuid:2}/{uuid:rest}/executable"},
    {Layout::unified, FileType::mach_debug, "{uuid:2}/{uuid:rest}/debuginfo"},
    {Layout::unified, FileType::wasm_code, "{build_id:2}/{build_id:rest}/executable|{id:2}/{id:rest}/executable"},
    {Layout::unified, FileType::wasm_debug, "{build_id:2}/{build_id:rest}/debuginfo|{id:2}/{id:rest}/debuginfo"},
    {Layout::unified, FileType::breakpad, "{build_id:2}/{build_id:rest}/breakpad|{id:2}/{id:rest}/breakpad"},
    {Layout::unified, FileType::source_bundle,
     "{build_id:2}/{build_id:rest}/sourcebundle|{id:2}/{id:rest}/sourcebundle"},
    {Layout::unified, FileType::uuid_map, "{uuid:2}/{uuid:rest}/uuidmap"},
    {Layout::unified, FileType::bcsymbol_map, "{uuid:2}/{uuid:rest}/bcsymbolmap"},

    {Layout::breakpad, FileType::pdb, ""},
    {Layout::breakpad, FileType::portable_pdb, ""},
    {Layout::breakpad, FileType::pe, ""},
    {Layout::breakpad, FileType::elf_code, ""},
    {Layout::breakpad, FileType::elf_debug, ""},
    {Layout::breakpad, FileType::mach_code, ""},
    {Layout::breakpad, FileType::mach_debug, ""},
    {Layout::breakpad, FileType::wasm_code, ""},
    {Layout::breakpad, FileType::wasm_debug, ""},
    {Layout::breakpad, FileType::breakpad, pattern::kSym},
    {Layout::breakpad, FileType::source_bundle, ""},
    {Layout::breakpad, FileType::uuid_map, ""},
    {Layout::breakpad, FileType::bcsymbol_map, ""},

    // Below a URL that ends in /buildid.
    {Layout::debuginfod, FileType::pdb, ""},
    {Layout::debuginfod, FileType::portable_pdb, ""},
    {Layout::debuginfod, FileType::pe, ""},
    {Layout::debuginfod, FileType::elf_code, "{build_id}/executable"},
    {Layout::debuginfod, FileType::elf_debug, "{build_id}/debuginfo"},
    {Layout::debuginfod, FileType::mach_code, ""},
    {Layout::debuginfod, FileType::mach_debug, ""},
    {Layout::debuginfod, FileType::wasm_code, ""},
    {Layout::debuginfod, FileType::wasm_debug, ""},
    {Layout::debuginfod, FileType::breakpad, ""},
    {Layout::debuginfod, FileType::source_bundle, ""},
    {Layout::debuginfod, FileType::uuid_map, ""},
    {Layout::debuginfod, FileType::bcsymbol_map, ""},

    {Layout::nuget, FileType::pdb, ""},
    {Layout::nuget, FileType::portable_pdb, pattern::kNuget},
    {Layout::nuget, FileType::pe, ""},
    {Layout::nuget, FileType::elf_code, ""},
    {Layout::nuget, FileType::elf_debug, ""},
    {Layout::nuget, FileType::mach_code, ""},
    {Layout::nuget, FileType::mach_debug, ""},
    {Layout::nuget, FileType::wasm_code, ""},
    {Layout::nuget, FileType::wasm_debug, ""},
    {Layout::nuget, FileType::breakpad, ""},
    {Layout::nuget, FileType::source_bundle, ""},
    {Layout::nuget, FileType::uuid_map, ""},
    {Layout::nuget, FileType::bcsymbol_map, ""},

    // PlayStation.
    {Layout::slashsymbols, FileType::pdb, pattern::kSlash},
    {Layout::slashsymbols, FileType::portable_pdb, pattern::kSlash},
    {Layout::slashsymbols, FileType::pe, pattern::kSlash},
    {Layout::slashsymbols, FileType::elf_code, pattern::kSlash},
    {Layout::slashsymbols, FileType::elf_debug, pattern::kSlash},
    {Layout::slashsymbols, FileType::mach_code, pattern::kSlash},
    {Layout::slashsymbols, FileType::mach_debug, pattern::kSlash},
    {Layout::slashsymbols, FileType::wasm_code, pattern::kSlash},
    {Layout::slashsymbols, FileType::wasm_debug, pattern::kSlash},
    {Layout::slashsymbols, FileType::breakpad, pattern::kSlash},
    {Layout::slashsymbols, FileType::source_bundle, pattern::kSlash},
    {Layout::slashsymbols, FileType::uuid_map, pattern::kSlash},
    {Layout::slashsymbols, FileType::bcsymbol_map, pattern::kSlash},

    {Layout::flat, FileType::pdb, "{debug_file}"},
    {Layout::flat, FileType::portable_pdb, "{debug_file}"},
    {Layout::flat, FileType::pe, "{code_file}"},
    {Layout::flat, FileType::elf_code, "{code_file}"},
    {Layout::flat, FileType::elf_debug, "{debug_file}.debug|{debug_file}"},
    {Layout::flat, FileType::mach_code, "{code_file}"},
    {Layout::flat, FileType::mach_debug, "{debug_file}"},
    {Layout::flat, FileType::wasm_code, "{code_file}"},
    {Layout::flat, FileType::wasm_debug, "{debug_file}"},
    {Layout::flat, FileType::breakpad, "{sym_file}"},
    {Layout::flat, FileType::source_bundle, "{bundle_file}"},
    {Layout::flat, FileType::uuid_map, ""},
    {Layout::flat, FileType::bcsymbol_map, ""},
});

constexpr bool each_pair_once() {
  for (const Layout layout : {Layout::automatic, Layout::symstore, Layout::ssqp, Layout::native, Layout::unified,
                              Layout::breakpad, Layout::debuginfod, Layout::nuget, Layout::slashsymbols, Layout::flat})
    for (const FileTypeRow& type : kFileTypes)
      if (std::ranges::count_if(
              kLayoutTable, [&](const LayoutRow& row) { return row.layout == layout && row.type == type.type; }) != 1)
        return false;
  return true;
}
static_assert(each_pair_once(), "a (layout, type) pair is missing or listed twice");

}  // namespace symcached::sources
