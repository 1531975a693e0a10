#include "object/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formats/macho/bcsymbolmap.hpp"
#include "formats/pdb/c13.hpp"
#include "formats/pdb/pdb.hpp"
#include "formats/pe/coff_object.hpp"
#include "formats/pe/reader.hpp"
#include "object/describe_breakpad.hpp"
#include "object/describe_elf.hpp"
#include "object/describe_macho.hpp"
#include "object/describe_managed.hpp"
#include "object/describe_pe.hpp"
#include "object/describe_source_bundle.hpp"
#include "object/describe_wasm.hpp"
#include "object/from_perf_map.hpp"
#include "object/unwrap.hpp"
#include "ppdbcache/reader.hpp"
#include "symcache/reader.hpp"

namespace symcached::object {
namespace {

using namespace std::string_view_literals;

struct KindName {
  FileKind kind;
  std::string_view name;
};
constexpr KindName kNames[] = {
    {FileKind::unknown, "unknown"},
    {FileKind::pdb, "pdb"},
    {FileKind::portable_pdb, "portable_pdb"},
    {FileKind::pe, "pe"},
    {FileKind::coff, "coff"},
    {FileKind::elf, "elf"},
    {FileKind::macho, "macho"},
    {FileKind::macho_fat, "macho_fat"},
    {FileKind::bcsymbolmap, "bcsymbolmap"},
    {FileKind::wasm, "wasm"},
    {FileKind::breakpad, "breakpad"},
    {FileKind::symcache, "symcache"},
    {FileKind::cab, "cab"},
    {FileKind::zip, "zip"},
    {FileKind::gzip, "gzip"},
    {FileKind::zstd, "zstd"},
    {FileKind::xz, "xz"},
    {FileKind::msfz, "msfz"},
    {FileKind::old_pdb, "old_pdb"},
    {FileKind::szdd, "szdd"},
    {FileKind::kwaj, "kwaj"},
    {FileKind::source_bundle, "source_bundle"},
    {FileKind::perf_map, "perf_map"},
    {FileKind::ppdbcache, "ppdbcache"},
};

constexpr bool names_in_order() {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (static_cast<std::size_t>(kNames[i].kind) != i) return false;
  return static_cast<std::size_t>(FileKind::ppdbcache) + 1 == std::size(kNames);
}
static_assert(names_in_order(), "a kind has no name, or the rows are not in the order of the enum");

/// What a file starts with. PE and fat Mach-O need a second look and are not here.
struct Magic {
  FileKind kind;
  std::string_view bytes;
};
constexpr Magic kMagics[] = {
    {FileKind::pdb,
     "Microsoft C/C++ MSF 7.00\r\n\x1A"
     "DS\0\0\0"sv},
    {FileKind::old_pdb,
     "Microsoft C/C++ program database 2.00\r\n\x1A"
     "JG"sv},
    {FileKind::msfz,
     "Microsoft MSFZ Container\r\n\x1A"
     "ALD\0\0"sv},
    {FileKind::portable_pdb, "BSJB"sv},
    {FileKind::elf,
     "\x7F"
     "ELF"sv},
    {FileKind::macho, "\xCE\xFA\xED\xFE"sv},
    {FileKind::macho, "\xCF\xFA\xED\xFE"sv},
    {FileKind::macho, "\xFE\xED\xFA\xCE"sv},
    {FileKind::macho, "\xFE\xED\xFA\xCF"sv},
    {FileKind::wasm, "\0asm"sv},
    {FileKind::bcsymbolmap, macho::kSymbolMapMagic},
    {FileKind::breakpad, "MODULE "sv},
    {FileKind::symcache, std::string_view(symcache::kMagic.data(), symcache::kMagic.size())},
    {FileKind::ppdbcache, std::string_view(ppdbcache::kMagic.data(), ppdbcache::kMagic.size())},
    {FileKind::cab, "MSCF\0\0\0\0"sv},
    {FileKind::zip, "PK\x03\x04"sv},
    {FileKind::zip, "PK\x05\x06"sv},  // with no members
    {FileKind::gzip, "\x1F\x8B"sv},
    {FileKind::zstd, "\x28\xB5\x2F\xFD"sv},
    {FileKind::xz,
     "\xFD"
     "7zXZ\0"sv},
    {FileKind::szdd, "SZDD\x88\xF0\x27\x33"sv},
    {FileKind::kwaj, "KWAJ\x88\xF0\x27\xD1"sv},
    {FileKind::source_bundle, "SYSB"sv},
};

/// A DOS program is no PE image; an image cut before its PE header is one, so that the error can say so.
bool is_pe(Bytes file) {
  if (!as_text(file).starts_with("MZ")) return false;
  const auto dos = read_at<pe::DosHeader>(file, 0, "pe.dos_header");
  if (!dos) return false;
  const auto signature = read_at<u32le>(file, dos->pe_offset, "pe.signature");
  return !signature || *signature == pe::kPeSignature;
}

/// Java classes share the magic; there the next number is a version of 45 or more, here a count of architectures.
bool is_macho_fat(Bytes file) {
  const auto magic = read_at<u32be>(file, 0, "macho.fat.magic");
  const auto count = read_at<u32be>(file, 4, "macho.fat.count");
  return magic && count && (*magic == 0xCAFEBABE || *magic == 0xCAFEBABF) && *count > 0 && *count < 45;
}

void add_feature(FileInfo& info, std::string_view feature) {
  if (std::ranges::find(info.features, feature) == info.features.end()) info.features.push_back(feature);
}

void keep_first(FileInfo& info, const ReadError& error) {
  if (!info.error) info.error = error;
}

/// True as soon as one module lists inlined calls.
Read<bool> has_inlinees(const pdb::File& file) {
  std::vector<std::byte> scratch;
  pdb::C13 parts;
  for (const pdb::ModuleInfo& module : file.modules()) {
    if (module.stream == pdb::kNoStream || module.c13_bytes == 0) continue;
    SC_TRY(const pdb::ModuleData data, file.module_data(module, scratch));
    if (const auto read = parts.read(data.c13); !read) return std::unexpected(read.error());
    if (!parts.inlinees.empty()) return true;
  }
  return false;
}

void describe_pdb(FileInfo& info, Bytes bytes) {
  constexpr std::uint32_t kEmptyModule = 4;  // bytes of symbols: the signature alone
  const auto file = pdb::File::open(bytes);
  if (!file) return keep_first(info, file.error());
  info.arch = arch_of_machine(file->machine());
  info.debug_id = file->debug_id();
  const auto any = [&](auto test) { return std::ranges::any_of(file->modules(), test); };
  if (any([](const pdb::ModuleInfo& module) { return module.symbol_bytes > kEmptyModule; }))
    add_feature(info, "symbols");
  if (file->symbol_records() != pdb::kNoStream) add_feature(info, "publics");
  if (any([](const pdb::ModuleInfo& module) { return module.c13_bytes != 0; })) add_feature(info, "lines");
  const auto inlinees = has_inlinees(*file);
  if (!inlinees) keep_first(info, inlinees.error());
  else if (*inlinees) add_feature(info, "inlines");
  if (file->is_stripped()) add_feature(info, "stripped");
  if (file->is_fastlink()) add_feature(info, "fastlink");
  if (!file->omap_from_source().empty()) add_feature(info, "omap");
}

void describe_symcache(FileInfo& info, Bytes bytes) {
  const auto cache = symcache::Symcache::open(bytes);
  if (!cache) return keep_first(info, cache.error());
  info.arch = cache->arch();
  info.debug_id = cache->debug_id();
  info.debug_file = cache->debug_file();
  if (cache->function_count() != 0) add_feature(info, "symbols");
  if (cache->has_columns()) add_feature(info, "columns");
}

FileInfo describe_plain(Bytes file) {
  FileInfo info;
  info.kind = identify(file);
  if (info.kind == FileKind::pe) describe_pe(info, file);
  if (info.kind == FileKind::coff) describe_coff(info, file);
  if (info.kind == FileKind::macho || info.kind == FileKind::macho_fat) describe_macho(info, file);
  if (info.kind == FileKind::wasm) describe_wasm(info, file);
  if (info.kind == FileKind::pdb) describe_pdb(info, file);
  if (info.kind == FileKind::elf) describe_elf(info, file);
  if (info.kind == FileKind::symcache) describe_symcache(info, file);
  if (info.kind == FileKind::portable_pdb) describe_portable_pdb(info, file);
  if (info.kind == FileKind::ppdbcache) describe_ppdbcache(info, file);
  if (info.kind == FileKind::breakpad) describe_breakpad(info, file);
  if (info.kind == FileKind::source_bundle) describe_source_bundle(info, file);
  return info;
}

}  // namespace

std::string_view name_of(FileKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kNames) ? kNames[index].name : "unknown";
}

FileKind identify(Bytes file) {
  const std::string_view text = as_text(file.first(std::min<std::size_t>(file.size(), 64)));
  for (const Magic& magic : kMagics)
    if (text.starts_with(magic.bytes)) return magic.kind;
  if (is_pe(file)) return FileKind::pe;
  if (is_macho_fat(file)) return FileKind::macho_fat;
  if (is_perf_map(file)) return FileKind::perf_map;
  if (pe::is_object(file)) return FileKind::coff;
  return FileKind::unknown;
}

FileInfo describe(Bytes file) {
  auto unwrapped = unwrap(file);
  FileInfo info;
  if (!unwrapped) {
    info.kind = identify(file);
    info.trouble = std::move(unwrapped.error());
  } else if (!*unwrapped) {
    info = describe_plain(file);
  } else {
    info = describe_plain((*unwrapped)->file.bytes());
    info.wrappers = std::move((*unwrapped)->wrappers);
    info.member = std::move((*unwrapped)->member);
  }
  return info;
}

model::Arch arch_of_machine(std::uint16_t machine) {
  switch (pe::machine_of(machine)) {
    case pe::Machine::i386: return model::Arch::x86;
    case pe::Machine::amd64: return model::Arch::x86_64;
    case pe::Machine::arm:
    case pe::Machine::thumb:
    case pe::Machine::armnt: return model::Arch::arm;
    case pe::Machine::arm64:
    case pe::Machine::arm64ec:
    case pe::Machine::arm64x: return model::Arch::arm64;
    case pe::Machine::riscv64: return model::Arch::riscv64;
    case pe::Machine::ia64:
    case pe::Machine::unknown: break;
  }
  return model::Arch::unknown;
}

}  // namespace symcached::object
