#include "object/identify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "formats/pdb/c13.hpp"
#include "formats/pdb/pdb.hpp"
#include "formats/pe/reader.hpp"
#include "object/describe_elf.hpp"
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
    {FileKind::elf, "elf"},
    {FileKind::macho, "macho"},
    {FileKind::macho_fat, "macho_fat"},
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
};

constexpr bool names_in_order() {
  for (std::size_t i = 0; i < std::size(kNames); ++i)
    if (static_cast<std::size_t>(kNames[i].kind) != i) return false;
  return static_cast<std::size_t>(FileKind::old_pdb) + 1 == std::size(kNames);
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
    {FileKind::breakpad, "MODULE "sv},
    {FileKind::symcache, std::string_view(symcache::kMagic.data(), symcache::kMagic.size())},
    {FileKind::cab, "MSCF\0\0\0\0"sv},
    {FileKind::zip, "PK\x03\x04"sv},
    {FileKind::zip, "PK\x05\x06"sv},  // with no members
    {FileKind::gzip, "\x1F\x8B"sv},
    {FileKind::zstd, "\x28\xB5\x2F\xFD"sv},
    {FileKind::xz,
     "\xFD"
     "7zXZ\0"sv},
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

Link link_of(const pe::CodeView& view) {
  if (view.format == pe::CodeView::Format::nb10)
    return {FileKind::old_pdb, fmt::format("{:08X}-{:x}", view.timestamp, view.age), std::string(view.debug_file)};
  return {view.portable ? FileKind::portable_pdb : FileKind::pdb, view.debug_id().dashed(),
          std::string(view.debug_file)};
}

std::optional<std::string_view> feature_of(pe::DebugType type) {
  switch (type) {
    case pe::DebugType::repro: return "deterministic";
    case pe::DebugType::embedded_portable_pdb: return "embedded-portable-pdb";
    case pe::DebugType::pdb_checksum: return "pdb-checksum";
    default: return std::nullopt;
  }
}

void add_feature(FileInfo& info, std::string_view feature) {
  if (std::ranges::find(info.features, feature) == info.features.end()) info.features.push_back(feature);
}

void keep_first(FileInfo& info, const ReadError& error) {
  if (!info.error) info.error = error;
}

void describe_debug_directory(FileInfo& info, const pe::Image& image) {
  const auto entries = image.debug_entries();
  if (!entries) return keep_first(info, entries.error());
  bool own_is_portable = false;
  for (const pe::DebugEntryRecord& entry : *entries) {
    if (const auto feature = feature_of(static_cast<pe::DebugType>(std::uint32_t{entry.type})))
      add_feature(info, *feature);
    const auto view = image.code_view(entry);
    if (!view) keep_first(info, view.error());
    if (!view || !*view) continue;
    const pe::CodeView& link = **view;
    info.links.push_back(link_of(link));
    if (link.format != pe::CodeView::Format::rsds) continue;
    if (info.debug_id && (own_is_portable || !link.portable)) continue;
    own_is_portable = link.portable;
    info.debug_id = link.debug_id();
    info.debug_file = link.debug_file;
  }
  if (info.debug_file.empty() && !info.links.empty()) info.debug_file = info.links.front().path;
}

void describe_pe(FileInfo& info, Bytes file) {
  const auto image = pe::Image::open(file);
  if (!image) return keep_first(info, image.error());
  info.arch = arch_of_machine(image->coff().machine);
  info.code_id = image->code_id();
  if (image->is_dll()) add_feature(info, "dll");
  if (image->directory(pe::Directory::clr_header)) add_feature(info, "managed");
  if (image->directory(pe::Directory::exports)) add_feature(info, "exports");
  if (image->directory(pe::Directory::exceptions)) add_feature(info, "unwind");
  if (image->coff().symbol_table_offset != 0 && image->coff().symbol_count != 0) add_feature(info, "symbols");
  if (image->find_section(".debug_info") != nullptr) add_feature(info, "dwarf");
  if (image->directory(pe::Directory::debug)) add_feature(info, "debug-directory");
  describe_debug_directory(info, *image);
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
  return FileKind::unknown;
}

FileInfo describe(Bytes file) {
  FileInfo info;
  info.kind = identify(file);
  if (info.kind == FileKind::pe) describe_pe(info, file);
  if (info.kind == FileKind::pdb) describe_pdb(info, file);
  if (info.kind == FileKind::elf) describe_elf(info, file);
  if (info.kind == FileKind::symcache) describe_symcache(info, file);
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
