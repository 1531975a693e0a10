#include "object/kinds.hpp"

#include "formats/ar/reader.hpp"
#include "formats/elf/records.hpp"
#include "formats/macho/bcsymbolmap.hpp"
#include "formats/macho/fat.hpp"
#include "formats/pe/coff_object.hpp"
#include "formats/pe/reader.hpp"
#include "formats/wasm/reader.hpp"
#include "object/archive.hpp"
#include "object/describe_caches.hpp"
#include "object/elf/describe.hpp"
#include "object/elf/translate.hpp"
#include "object/macho/describe.hpp"
#include "object/macho/translate.hpp"
#include "object/managed/describe.hpp"
#include "object/managed/files.hpp"
#include "object/packed/describe_source_bundle.hpp"
#include "object/pdb/describe.hpp"
#include "object/pdb/translate.hpp"
#include "object/pe/describe.hpp"
#include "object/pe/translate.hpp"
#include "object/pe/translate_coff.hpp"
#include "object/text/describe_breakpad.hpp"
#include "object/text/translate_breakpad.hpp"
#include "object/text/translate_jitdump.hpp"
#include "object/text/translate_perf_map.hpp"
#include "object/text/translate_symbol_list.hpp"
#include "object/wasm/describe.hpp"
#include "object/wasm/translate.hpp"
#include "ppdbcache/reader.hpp"
#include "symcache/reader.hpp"

namespace symcached::object {
namespace {

using namespace std::string_view_literals;

Read<void> translate_native_pdb(const Original& original, model::ModuleSink& sink) {
  return translate_pdb(original.file, sink, original.release);
}

std::vector<NeedFile> needed_files_image(Bytes file, std::span<const Companion> companions) {
  return is_managed(file) ? needed_files_managed(file, companions) : needed_files_pe(file, companions);
}

std::optional<std::uint64_t> image_base_zero(Bytes) { return 0; }

constexpr KindRow kRows[] = {
    {.kind = FileKind::unknown, .name = "unknown"},
    {.kind = FileKind::pdb,
     .name = "pdb",
     .magics = {"Microsoft C/C++ MSF 7.00\r\n\x1A\x44S\0\0\0"sv},
     .describe = describe_pdb,
     .translate = translate_native_pdb},
    {.kind = FileKind::portable_pdb,
     .name = "portable_pdb",
     .magics = {"BSJB"},
     .describe = describe_portable_pdb,
     .needed_files = needed_files_managed},
    {.kind = FileKind::pe,
     .name = "pe",
     .looks_like = pe::is_image,
     .describe = describe_pe,
     .translate = translate_pe,
     .needed_files = needed_files_image,
     .image_base = image_base_pe},
    {.kind = FileKind::coff,
     .name = "coff",
     .looks_like = pe::is_object,
     .describe = describe_coff,
     .translate = translate_coff,
     .needed_files = needed_files_coff,
     .image_base = image_base_zero},
    {.kind = FileKind::elf,
     .name = "elf",
     .magics = {elf::kMagicText},
     .describe = describe_elf,
     .translate = translate_elf,
     .needed_files = needed_files_elf,
     .image_base = image_base_elf},
    {.kind = FileKind::macho,
     .name = "macho",
     .magics = {"\xCE\xFA\xED\xFE", "\xCF\xFA\xED\xFE", "\xFE\xED\xFA\xCE", "\xFE\xED\xFA\xCF"},
     .describe = describe_macho,
     .translate = translate_macho,
     .needed_files = needed_files_macho,
     .image_base = image_base_macho},
    {.kind = FileKind::macho_fat,
     .name = "macho_fat",
     .looks_like = macho::is_fat,
     .describe = describe_macho,
     .translate = translate_macho,
     .needed_files = needed_files_macho,
     .image_base = image_base_macho},
    {.kind = FileKind::bcsymbolmap, .name = "bcsymbolmap", .magics = {macho::kSymbolMapMagic}},
    {.kind = FileKind::wasm,
     .name = "wasm",
     .magics = {wasm::kMagic},
     .describe = describe_wasm,
     .translate = translate_wasm,
     .needed_files = needed_files_wasm,
     .image_base = image_base_wasm},
    {.kind = FileKind::breakpad,
     .name = "breakpad",
     .magics = {"MODULE "},
     .describe = describe_breakpad,
     .translate = translate_breakpad},
    {.kind = FileKind::symcache,
     .name = "symcache",
     .magics = {std::string_view(symcache::kMagic.data(), symcache::kMagic.size())},
     .describe = describe_symcache},
    {.kind = FileKind::cab, .name = "cab", .magics = {"MSCF\0\0\0\0"sv}, .unpack = unpack_cabinet},
    {.kind = FileKind::zip, .name = "zip", .magics = {"PK\x03\x04", "PK\x05\x06"}, .unpack = unpack_zip},
    {.kind = FileKind::gzip, .name = "gzip", .magics = {"\x1F\x8B"}, .unpack = unpack_gzip},
    {.kind = FileKind::zstd, .name = "zstd", .magics = {"\x28\xB5\x2F\xFD"}, .unpack = unpack_zstd},
    {.kind = FileKind::xz, .name = "xz", .magics = {"\xFD\x37zXZ\0"sv}, .unpack = unpack_xz},
    {.kind = FileKind::msfz, .name = "msfz", .magics = {"Microsoft MSFZ Container\r\n\x1A\x41LD\0\0"sv}},
    {.kind = FileKind::old_pdb, .name = "old_pdb", .magics = {"Microsoft C/C++ program database 2.00\r\n\x1AJG"}},
    {.kind = FileKind::szdd, .name = "szdd", .magics = {"SZDD\x88\xF0\x27\x33"}, .unpack = unpack_szdd},
    {.kind = FileKind::kwaj, .name = "kwaj", .magics = {"KWAJ\x88\xF0\x27\xD1"}, .unpack = unpack_kwaj},
    {.kind = FileKind::source_bundle, .name = "source_bundle", .magics = {"SYSB"}, .describe = describe_source_bundle},
    {.kind = FileKind::perf_map, .name = "perf_map", .looks_like = is_perf_map, .translate = translate_perf_map},
    {.kind = FileKind::ppdbcache,
     .name = "ppdbcache",
     .magics = {std::string_view(ppdbcache::kMagic.data(), ppdbcache::kMagic.size())},
     .describe = describe_ppdbcache},
    {.kind = FileKind::archive,
     .name = "archive",
     .magics = {ar::kMagic, ar::kThinMagic},
     .describe = describe_archive},
    {.kind = FileKind::symbol_list,
     .name = "symbol_list",
     .looks_like = is_symbol_list,
     .describe = describe_symbol_list,
     .translate = translate_symbol_list,
     .image_base = image_base_zero},
    {.kind = FileKind::jitdump,
     .name = "jitdump",
     .magics = {"DTiJ", "JiTD"},
     .describe = describe_jitdump,
     .translate = translate_jitdump,
     .image_base = image_base_zero},
};

constexpr bool rows_in_order() {
  for (std::size_t i = 0; i < std::size(kRows); ++i)
    if (static_cast<std::size_t>(kRows[i].kind) != i) return false;
  return static_cast<std::size_t>(FileKind::jitdump) + 1 == std::size(kRows);
}
static_assert(rows_in_order(), "a kind has no row, or the rows are not in the order of the enum");

}  // namespace

std::span<const KindRow> kind_rows() { return kRows; }

const KindRow& row_of(FileKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return kRows[index < std::size(kRows) ? index : 0];
}

}  // namespace symcached::object
