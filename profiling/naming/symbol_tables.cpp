#include "profiling/naming/symbol_tables.hpp"

#include <algorithm>
#include <memory>

#include "base/decompress.hpp"

namespace symcached::pprof {
namespace {

constexpr std::size_t kMaxSymbols = std::size_t{1} << 24;
constexpr std::uint64_t kMaxNames = 0xFFFF0000;  ///< bytes: offsets among them are of 32 bits
constexpr std::uint64_t kMaxUnpacked = 256u << 20;
constexpr std::uint64_t kMaxDynamic = 64 << 10;
constexpr std::uint64_t kMaxFrameBytes = 512u << 20;
constexpr std::uint64_t kMaxHash = 64u << 20;

/// What PT_DYNAMIC says about the symbol table; stated addresses, 0 if unknown.
struct DynamicTables {
  std::uint64_t symbols = 0, strings = 0, strings_size = 0, hash = 0, gnu_hash = 0;
};

DynamicTables dynamic_tables_of(const ElfFile& file) {
  DynamicTables found;
  const auto segment = std::ranges::find(file.segments(), std::uint32_t{PT_DYNAMIC}, &ElfW(Phdr)::p_type);
  if (segment == file.segments().end()) return found;
  const auto entries = file.read(segment->p_offset, std::min<std::uint64_t>(segment->p_filesz, kMaxDynamic));
  if (!entries) return found;
  for (std::uint64_t at = 0; const auto entry = elf_record<ElfW(Dyn)>(entries->bytes(), at); at += sizeof(*entry)) {
    const std::uint64_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
      case DT_NULL: return found;
      case DT_SYMTAB: found.symbols = value; break;
      case DT_STRTAB: found.strings = value; break;
      case DT_STRSZ: found.strings_size = value; break;
      case DT_HASH: found.hash = value; break;
      case DT_GNU_HASH: found.gnu_hash = value; break;
      default: break;
    }
  }
  return found;
}

/// How many symbols a GNU hash table knows: its chains end at the last one.
std::uint64_t count_by_gnu_hash(Bytes hash) {
  struct Header {
    std::uint32_t buckets, first_symbol, filter_words, filter_shift;
  };
  const auto header = elf_record<Header>(hash, 0);
  if (!header) return 0;
  const std::uint64_t buckets = sizeof(Header) + std::uint64_t{header->filter_words} * sizeof(ElfW(Addr));
  const std::uint64_t chains = buckets + std::uint64_t{header->buckets} * 4;
  std::uint32_t last = 0;
  for (std::uint64_t i = 0; i < header->buckets; ++i) {
    const auto first = elf_record<std::uint32_t>(hash, buckets + i * 4);
    if (!first) return 0;
    last = std::max(last, *first);
  }
  if (last < header->first_symbol) return header->first_symbol;
  for (std::uint64_t i = last;
       const auto link = elf_record<std::uint32_t>(hash, chains + (i - header->first_symbol) * 4); ++i)
    if ((*link & 1) != 0) return i + 1;
  return 0;
}

std::uint64_t symbol_count_of(const ElfFile& file, const DynamicTables& tables) {
  if (tables.hash != 0) {
    const auto hash = file.read_from_address(tables.hash, 8);
    const auto count = hash ? elf_record<std::uint32_t>(hash->bytes(), 4) : std::nullopt;
    if (count) return *count;
  }
  const auto hash = tables.gnu_hash == 0 ? std::nullopt : file.read_from_address(tables.gnu_hash, kMaxHash);
  return hash ? count_by_gnu_hash(hash->bytes()) : 0;
}

/// Whether it is a debug file whose segments are those of another file.
bool is_without_code(const ElfFile& file) {
  return std::ranges::any_of(
      file.sections(), [](const ElfSection& s) { return s.type == SHT_NOBITS && (s.flags & SHF_EXECINSTR) != 0; });
}

/// Names that assemblers and compilers make up: mapping symbols ($a, $x.7) and labels within functions.
bool is_made_up(std::string_view name) { return name.empty() || name.front() == '$' || name.starts_with(".L"); }

}  // namespace

bool SymbolCollection::add_full_table(const ElfFile& file) {
  const ElfSection* table = file.section_of_type(SHT_SYMTAB);
  return table != nullptr && add_section(file, *table);
}

void SymbolCollection::add_dynamic_table(const ElfFile& file) {
  const ElfSection* table = file.section_of_type(SHT_DYNSYM);
  if (table != nullptr && add_section(file, *table)) return;
  if (!is_without_code(file)) add_by_segments(file);
}

void SymbolCollection::add_packed_table(const ElfFile& file) {
  const ElfSection* section = file.section(".gnu_debugdata");
  const auto packed = section == nullptr ? std::nullopt : file.read(*section);
  if (!packed) return;
  auto plain = decompress_whole(Codec::xz, packed->bytes(), kMaxUnpacked, ".gnu_debugdata");
  if (!plain) return;
  std::vector<MemorySource::Piece> pieces;
  pieces.push_back({0, *std::move(plain)});
  if (const auto inner = ElfFile::open(std::make_shared<MemorySource>(std::move(pieces)))) add_full_table(*inner);
}

bool SymbolCollection::add_section(const ElfFile& file, const ElfSection& table) {
  if (table.link >= file.sections().size()) return false;
  const auto symbols = file.read(table);
  const auto strings = file.read(file.sections()[table.link]);
  if (!symbols || !strings || symbols->size() <= sizeof(ElfW(Sym))) return false;
  add(symbols->bytes(), strings->bytes(), file);
  return true;
}

void SymbolCollection::add_by_segments(const ElfFile& file) {
  const DynamicTables tables = dynamic_tables_of(file);
  const std::uint64_t count = std::min<std::uint64_t>(symbol_count_of(file, tables), kMaxSymbols);
  const auto symbols = file.read_from_address(tables.symbols, count * sizeof(ElfW(Sym)));
  const auto strings = file.read_from_address(tables.strings, tables.strings_size);
  if (symbols && strings) add(symbols->bytes(), strings->bytes(), file);
}

void SymbolCollection::add(Bytes table, Bytes strings, const ElfFile& file) {
  if (strings.size() > kMaxNames - names_.size()) return;
  const std::uint64_t first_name = names_.size();
  names_.append(as_text(strings));
  names_.push_back('\0');
  const std::size_t count =
      std::min(table.size() / sizeof(ElfW(Sym)), kMaxSymbols - std::min(kMaxSymbols, symbols_.size()));
  symbols_.reserve(symbols_.size() + count);
  for (std::size_t i = 0; i < count; ++i)
    add_symbol(*elf_record<ElfW(Sym)>(table, i * sizeof(ElfW(Sym))), first_name, strings, file);
}

void SymbolCollection::add_symbol(const ElfW(Sym) & symbol, std::uint64_t first_name, Bytes strings,
                                  const ElfFile& file) {
  const unsigned type = ELF64_ST_TYPE(symbol.st_info);
  const bool is_function = type == STT_FUNC || type == STT_GNU_IFUNC;
  if (symbol.st_shndx == SHN_UNDEF || !(is_function || type == STT_NOTYPE)) return;
  const ElfW(Phdr)* segment = image_.code_segment(symbol.st_value);
  if (segment == nullptr || symbol.st_name >= strings.size() || is_made_up(elf_text(strings, symbol.st_name))) return;
  std::uint64_t most = segment->p_vaddr + segment->p_memsz;
  if (symbol.st_shndx < file.sections().size()) {
    const ElfSection& section = file.sections()[symbol.st_shndx];
    if ((section.flags & SHF_EXECINSTR) == 0 || symbol.st_value - section.address >= section.size) return;
    most = std::min(most, section.address + section.size);
  }
  symbols_.push_back({.begin = symbol.st_value,
                      .end = symbol.st_value + std::min<std::uint64_t>(symbol.st_size, most - symbol.st_value),
                      .most = most,
                      .name = static_cast<std::uint32_t>(first_name + symbol.st_name),
                      .is_function = is_function,
                      .is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL});
}

std::vector<FrameRange> frames_of(const ElfFile& file) {
  if (is_without_code(file)) return {};
  const auto segment = std::ranges::find(file.segments(), std::uint32_t{PT_GNU_EH_FRAME}, &ElfW(Phdr)::p_type);
  if (segment == file.segments().end()) return {};
  const auto header = file.read_from_address(segment->p_vaddr, segment->p_filesz);
  const std::uint64_t address = header ? frames_address(header->bytes(), segment->p_vaddr) : 0;
  const auto frames = address == 0 ? std::nullopt : file.read_from_address(address, kMaxFrameBytes);
  if (!frames) return {};
  std::vector<FrameRange> ranges = frame_ranges(frames->bytes(), address);
  std::erase_if(ranges, [&](const FrameRange& range) {
    const ElfW(Phdr)* code = file.code_segment(range.begin);
    return code == nullptr || range.end - code->p_vaddr > code->p_memsz;
  });
  return ranges;
}

}  // namespace symcached::pprof
