#include "formats/ppdb/reader.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "formats/ppdb/blob.hpp"

namespace symcached::ppdb {
namespace {

/// A GUID from the five numbers it is written with.
constexpr Guid guid_of(std::uint32_t a, std::uint16_t b, std::uint16_t c, std::uint64_t rest) {
  Guid guid;
  const auto put = [&](std::size_t at, std::uint64_t value, int bytes) {
    for (int i = bytes - 1; i >= 0; --i, value >>= 8) guid.bytes[at + static_cast<std::size_t>(i)] = value & 0xFF;
  };
  put(0, a, 4), put(4, b, 2), put(6, c, 2), put(8, rest, 8);
  return guid;
}

template <class Value>
struct GuidRow {
  Guid guid;
  Value value;
};
constexpr GuidRow<Language> kLanguages[] = {
    {guid_of(0x3F5162F8, 0x07C6, 0x11D3, 0x905300C04FA302A1), Language::csharp},
    {guid_of(0x3A12D0B8, 0xC26C, 0x11D0, 0xB44200A0244A1DD2), Language::visual_basic},
    {guid_of(0xAB4F38C9, 0xB6E6, 0x43BA, 0xBE3B58080B2CCCE3), Language::fsharp},
};
constexpr GuidRow<HashAlgorithm> kHashAlgorithms[] = {
    {guid_of(0xFF1816EC, 0xAA5E, 0x4D10, 0x87F76F4963833460), HashAlgorithm::sha1},
    {guid_of(0x8829D00F, 0x11B8, 0x4213, 0x878B770E8597AC16), HashAlgorithm::sha256},
};
template <class Value, std::size_t N>
Value value_of(const GuidRow<Value> (&rows)[N], const Guid& guid) {
  const auto found = std::ranges::find(rows, guid, &GuidRow<Value>::guid);
  return found == std::end(rows) ? Value{} : found->value;
}

constexpr Guid kEmbeddedSource = guid_of(0x0E8A571B, 0x6926, 0x466E, 0xB4AD8AB04611F5FE);
constexpr Guid kSourceLink = guid_of(0xCC110556, 0xA091, 0x4D38, 0x9FEC25AB9A351A6A);
constexpr Guid kCompilationOptions = guid_of(0xB5FEEC05, 0x8CD0, 0x4A83, 0x96DA466284BB4BD8);
constexpr std::uint32_t kModuleRow = 1;
constexpr std::size_t kMaxOptions = 1024;

}  // namespace

Read<Pdb> Pdb::open(Bytes file) {
  Pdb pdb;
  SC_TRY(pdb.metadata_, Metadata::open(file));
  if (!pdb.metadata_.has_pdb_stream())
    return unsupported("metadata of an assembly, not a Portable PDB (ppdb.pdb_stream)", 0);
  ByteReader in(pdb.metadata_.pdb_stream());
  SC_TRY(const auto id, in.take(kPdbIdSize, "ppdb.pdb_stream.id"));
  std::ranges::copy(id, pdb.id_.begin());
  SC_TRY(pdb.entry_point_, in.read<u32le>("ppdb.pdb_stream.entry_point"));
  pdb.order_sorted_tables();
  return pdb;
}

DebugId Pdb::debug_id() const {
  std::array<std::uint8_t, 16> guid;
  std::memcpy(guid.data(), id_.data(), guid.size());
  u32le stamp;
  std::memcpy(&stamp, id_.data() + guid.size(), sizeof(stamp));
  return {Guid::from_windows(guid), stamp};
}

Read<std::string> Pdb::document_name(std::uint32_t row) const {
  SC_TRY(const auto document, metadata_.row(Table::document, row, "ppdb.document"));
  SC_TRY(const auto parts, metadata_.blob(document[DocumentColumn::name], "ppdb.document.name"));
  if (parts.size() > kMaxDocumentName)
    return too_large("ppdb.document.name", metadata_.offset_of(parts), parts.size(), kMaxDocumentName);
  std::string name;
  BlobCursor in(parts);
  const char separator = static_cast<char>(in.byte());
  if (static_cast<unsigned char>(separator) >= 0x80)
    return bad_value("ppdb.document.name.separator", metadata_.offset_of(parts), static_cast<unsigned char>(separator));
  for (bool first = true; !in.at_end(); first = false) {
    const std::uint32_t part = in.number();
    if (in.failed()) break;
    SC_TRY(const auto text, metadata_.blob(part, "ppdb.document.name.part"));
    if (!first && separator != '\0') name += separator;
    if (text.size() > kMaxDocumentName || name.size() > kMaxDocumentName - text.size())
      return too_large("ppdb.document.name", metadata_.offset_of(parts), name.size() + text.size(), kMaxDocumentName);
    name += as_text(text);
  }
  if (in.failed()) return bad_value("ppdb.document.name", metadata_.offset_of(parts), parts.size());
  return name;
}

Read<Document> Pdb::document(std::uint32_t row) const {
  Document made;
  SC_TRY(made.name, document_name(row));
  const Row from = metadata_.at(Table::document, row);
  SC_TRY(made.language_guid, metadata_.guid(from[DocumentColumn::language], "ppdb.document.language"));
  SC_TRY(made.hash_algorithm_guid,
         metadata_.guid(from[DocumentColumn::hash_algorithm], "ppdb.document.hash_algorithm"));
  SC_TRY(made.hash, metadata_.blob(from[DocumentColumn::hash], "ppdb.document.hash"));
  made.language = value_of(kLanguages, made.language_guid);
  made.hash_algorithm = value_of(kHashAlgorithms, made.hash_algorithm_guid);
  return made;
}

Read<std::vector<Document>> Pdb::documents() const {
  std::vector<Document> all;
  std::uint64_t total = 0;
  const std::uint64_t limit = document_name_budget();
  if (document_count() > kMaxDocuments) return too_large("ppdb.documents", 0, document_count(), kMaxDocuments);
  all.reserve(document_count());
  for (std::uint32_t row = 1; row <= document_count(); ++row) {
    SC_TRY(auto one, document(row));
    SC_TRY(const auto parts,
           metadata_.blob(metadata_.at(Table::document, row)[DocumentColumn::name], "ppdb.document.name"));
    total += one.name.size() + parts.size();
    if (total > limit) return too_large("ppdb.documents.names", 0, total, limit);
    all.push_back(std::move(one));
  }
  return all;
}

Read<SequencePoints> Pdb::points(std::uint32_t method) const {
  SC_TRY(const auto row, metadata_.row(Table::method_debug_information, method, "ppdb.method"));
  SC_TRY(const auto blob, metadata_.blob(row[MethodDebugColumn::points], "ppdb.method.points"));
  return SequencePoints(blob, row[MethodDebugColumn::document], document_count(),
                        blob.empty() ? 0 : metadata_.offset_of(blob));
}

/// The specification has both tables sorted by their first column. One that is not gets an index here.
void Pdb::order_sorted_tables() {
  const auto order = [&](Table table, std::vector<std::uint32_t>& rows) {
    const std::uint32_t count = metadata_.rows(table);
    const auto first = [&](std::uint32_t number) { return metadata_.at(table, number)[0]; };
    std::uint32_t sorted = 1;
    while (sorted < count && first(sorted) <= first(sorted + 1)) ++sorted;
    if (sorted >= count) return;
    rows.resize(count);
    std::iota(rows.begin(), rows.end(), 1);
    std::ranges::stable_sort(rows, {}, first);
  };
  order(Table::state_machine_method, machines_);
  order(Table::custom_debug_information, customs_);
}

std::uint32_t Pdb::key(Table table, std::uint32_t index, const std::vector<std::uint32_t>& order) const {
  return metadata_.at(table, order.empty() ? index + 1 : order[index])[0];
}

/// @return index of the first row, in sorted order, whose first column is not below `wanted`
std::uint32_t Pdb::lower_bound(Table table, std::uint32_t wanted, const std::vector<std::uint32_t>& order) const {
  std::uint32_t low = 0, high = metadata_.rows(table);
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (key(table, middle, order) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

StateMachine Pdb::state_machine(std::uint32_t index) const {
  const Row row = metadata_.at(Table::state_machine_method, index + 1);
  return {row[StateMachineColumn::move_next], row[StateMachineColumn::kickoff]};
}

std::optional<std::uint32_t> Pdb::kickoff_of(std::uint32_t move_next) const {
  const std::uint32_t index = lower_bound(Table::state_machine_method, move_next, machines_);
  if (index >= state_machine_count() || key(Table::state_machine_method, index, machines_) != move_next)
    return std::nullopt;
  const std::uint32_t kickoff = state_machine(machines_.empty() ? index : machines_[index] - 1).kickoff;
  return kickoff - 1 < metadata_.referenced_rows(Table::method_def) ? std::optional(kickoff) : std::nullopt;
}

Read<std::optional<Bytes>> Pdb::custom(CustomParent parent, std::uint32_t row, const Guid& kind) const {
  constexpr Table kTable = Table::custom_debug_information;
  if (row > kMaxRows) return std::nullopt;
  const std::uint32_t wanted = row << kHasCustomDebugBits | static_cast<std::uint32_t>(parent);
  std::uint32_t index = lower_bound(kTable, wanted, customs_);
  for (; index < metadata_.rows(kTable) && key(kTable, index, customs_) == wanted; ++index) {
    const Row entry = metadata_.at(kTable, customs_.empty() ? index + 1 : customs_[index]);
    SC_TRY(const auto found, metadata_.guid(entry[CustomDebugColumn::kind], "ppdb.custom.kind"));
    if (found != kind) continue;
    SC_TRY(const auto value, metadata_.blob(entry[CustomDebugColumn::value], "ppdb.custom.value"));
    return value;
  }
  return std::nullopt;
}

Read<std::optional<EmbeddedSource>> Pdb::embedded_source(std::uint32_t document) const {
  SC_TRY(const auto blob, custom(CustomParent::document, document, kEmbeddedSource));
  if (!blob) return std::nullopt;
  const std::uint64_t offset = blob->empty() ? 0 : metadata_.offset_of(*blob);
  ByteReader in(*blob, offset);
  SC_TRY(const auto size, in.read<i32le>("ppdb.embedded_source.size"));
  if (size < 0) return unsupported("unknown format of an embedded source (ppdb.embedded_source.size)", offset);
  EmbeddedSource source{in.rest(), static_cast<std::uint32_t>(std::int32_t{size}), size != 0};
  if (!source.deflated) source.unpacked_size = static_cast<std::uint32_t>(source.data.size());
  return source;
}

Read<std::optional<std::string_view>> Pdb::source_link() const {
  SC_TRY(const auto blob, custom(CustomParent::module, kModuleRow, kSourceLink));
  return blob ? std::optional(as_text(*blob)) : std::nullopt;
}

Read<std::vector<CompilationOption>> Pdb::compilation_options() const {
  SC_TRY(const auto blob, custom(CustomParent::module, kModuleRow, kCompilationOptions));
  std::vector<CompilationOption> options;
  if (!blob) return options;
  ByteReader in(*blob, blob->empty() ? 0 : metadata_.offset_of(*blob));
  while (!in.at_end()) {
    if (options.size() == kMaxOptions) return too_large("ppdb.compilation_options", 0, kMaxOptions + 1, kMaxOptions);
    CompilationOption option;
    SC_TRY(option.name, in.c_string("ppdb.compilation_option.name"));
    SC_TRY(option.value, in.c_string("ppdb.compilation_option.value"));
    options.push_back(option);
  }
  return options;
}

}  // namespace symcached::ppdb
