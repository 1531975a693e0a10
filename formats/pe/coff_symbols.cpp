#include "formats/pe/coff_symbols.hpp"

#include <algorithm>

namespace symcached::pe {
namespace {

std::int32_t section_number(const BigSymbolRecord& record) { return record.section; }
std::int32_t section_number(const SymbolRecord& record) {
  const std::uint16_t raw = record.section;
  return raw < kFirstReservedSection ? std::int32_t{raw} : std::int32_t{raw} - 0x10000;
}

template <class Record>
Read<CoffSymbol> read_symbol(Bytes records, std::uint64_t index) {
  ByteReader in(records.subspan(static_cast<std::size_t>(index * sizeof(Record))), index * sizeof(Record));
  SC_TRY(const auto found, in.array<Record>(1, "coff.symbol"));
  const Record& record = found.front();
  CoffSymbol symbol{.raw_name = {record.name.data(), record.name.size()},
                    .value = record.value,
                    .section = section_number(record),
                    .type = record.type,
                    .storage_class = static_cast<StorageClass>(std::uint8_t{record.storage_class}),
                    .aux_count = record.aux_count};
  if (symbol.is_function() && symbol.aux_count != 0) {
    SC_TRY(const auto aux, read_at<FunctionAux>(in.rest(), 0, "coff.symbol.aux"));
    symbol.code_size = aux.size;
  }
  return symbol;
}

}  // namespace

Read<CoffSymbols> CoffSymbols::open(Bytes file, std::uint64_t offset, std::uint32_t count, bool big) {
  CoffSymbols symbols;
  symbols.big_ = big;
  symbols.count_ = count;
  const std::uint64_t size = std::uint64_t{count} * (big ? sizeof(BigSymbolRecord) : sizeof(SymbolRecord));
  SC_TRY(symbols.records_, slice(file, offset, size, "coff.symbols"));
  symbols.strings_ = StringTable(file, offset + size);
  return symbols;
}

Read<CoffSymbol> CoffSymbols::at(std::uint32_t index) const {
  if (index >= count_) return bad_value("coff.symbol.index", 0, index);
  return big_ ? read_symbol<BigSymbolRecord>(records_, index) : read_symbol<SymbolRecord>(records_, index);
}

std::string_view CoffSymbols::name(const CoffSymbol& symbol) const {
  if (symbol.raw_name.size() != 8) return {};
  if (!symbol.raw_name.starts_with(std::string_view("\0\0\0\0", 4))) return up_to_nul(symbol.raw_name);
  const auto offset = read_at<u32le>(as_bytes(symbol.raw_name), 4, "coff.symbol.name");
  return offset ? strings_.start_of_text_at(*offset, kMaxSymbolName) : std::string_view();
}

Read<CoffSymbols> symbols_of(const Image& image) {
  const CoffHeader& header = image.coff();
  if (header.symbol_table_offset == 0 || header.symbol_count == 0) return CoffSymbols();
  return CoffSymbols::open(image.file(), header.symbol_table_offset, header.symbol_count, false);
}

}  // namespace symcached::pe
