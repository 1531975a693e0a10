#pragma once
/// A Portable PDB assembled from documents, methods and their sequence points.
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "formats/ppdb/sequence_points.hpp"
#include "testing/managed/metadata_image.hpp"

namespace symcached::testkit {

/// The 16 bytes of a GUID as files store it, from its dashed text.
inline std::vector<std::byte> guid_bytes(std::string_view dashed) {
  const Guid guid = Guid::parse(dashed).value();
  std::vector<std::byte> disk;
  for (const std::size_t i : {3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15})
    disk.push_back(std::byte{guid.bytes[i]});
  return disk;
}
inline constexpr std::string_view kCsharpGuid = "3f5162f8-07c6-11d3-9053-00c04fa302a1";
inline constexpr std::string_view kSha256Guid = "8829d00f-11b8-4213-878b-770e8597ac16";
inline constexpr std::string_view kEmbeddedSourceGuid = "0e8a571b-6926-466e-b4ad-8ab04611f5fe";
inline constexpr std::string_view kSourceLinkGuid = "cc110556-a091-4d38-9fec-25ab9a351a6a";
inline constexpr std::string_view kOptionsGuid = "b5feec05-8cd0-4a83-96da-466284bb4bd8";

struct PdbDocumentSpec {
  std::string name;
  std::vector<std::byte> embedded = {};  ///< the blob, with its size; empty = none
  std::string_view language = kCsharpGuid;
  std::vector<std::byte> hash = std::vector<std::byte>(32, std::byte{0xAB});
};
/// Points of one method; in more than one document, the blob names them.
struct PdbMethodSpec {
  std::vector<ppdb::SequencePoint> points = {};
  std::uint32_t local_signature = 0;
};
struct PortablePdb {
  std::vector<PdbDocumentSpec> documents = {};
  std::vector<PdbMethodSpec> methods = {};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> machines = {};  ///< MoveNext, kick-off
  std::string source_link = {};
  std::string options = {};  ///< texts, each with its NUL
  std::vector<std::byte> id = Section().u64(0x0807060504030201).u64(0x100F0E0D0C0B0A09).u32(0xDEADBEEF).finish();
  std::uint32_t entry_point = 0x06000001;
  std::uint8_t heap_sizes = 0;
  bool documents_first = false;  ///< custom debug information in the wrong order
};

inline ppdb::SequencePoint point(std::uint32_t il_offset, std::uint32_t line, std::uint32_t column,
                                 std::uint32_t end_line, std::uint32_t end_column, std::uint32_t document = 1) {
  return {il_offset, document, line, end_line, column, end_column, false};
}
inline ppdb::SequencePoint hidden(std::uint32_t il_offset, std::uint32_t document = 1) {
  return {.il_offset = il_offset, .document = document, .hidden = true};
}

/// The blob, and the document of the method's row: 0 if the points are in several.
inline std::pair<std::vector<std::byte>, std::uint32_t> encode_points(const PdbMethodSpec& method) {
  const auto& points = method.points;
  Section out;
  const bool one = std::ranges::all_of(points, [&](const auto& p) { return p.document == points.front().document; });
  put_number(out, method.local_signature);
  if (!one) put_number(out, points.front().document);
  const ppdb::SequencePoint *last = nullptr, *seen = nullptr;
  for (const ppdb::SequencePoint& p : points) {
    if (last != nullptr && last->document != p.document) put_number(put_number(out, 0), p.document);
    put_number(out, last == nullptr ? p.il_offset : p.il_offset - last->il_offset);
    last = &p;
    if (p.hidden) {
      out.u8(0).u8(0);
      continue;
    }
    const auto columns = static_cast<std::int32_t>(p.end_column) - static_cast<std::int32_t>(p.start_column);
    put_number(out, p.end_line - p.start_line);
    if (p.end_line == p.start_line) put_number(out, static_cast<std::uint32_t>(columns));
    else put_signed(out, columns);
    if (seen == nullptr) {
      put_number(put_number(out, p.start_line), p.start_column);
    } else {
      put_signed(out, static_cast<std::int32_t>(p.start_line) - static_cast<std::int32_t>(seen->start_line));
      put_signed(out, static_cast<std::int32_t>(p.start_column) - static_cast<std::int32_t>(seen->start_column));
    }
    seen = &p;
  }
  return {out.finish(), one ? points.front().document : 0};
}

namespace detail {

inline std::uint32_t document_name(MetadataImage& out, std::string_view name) {
  const char separator = name.find('\\') != std::string_view::npos ? '\\' : '/';
  Section parts;
  parts.u8(static_cast<std::uint8_t>(separator));
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end = std::min(name.find(separator, start), name.size());
    const std::string_view part = name.substr(start, end - start);
    put_number(parts, part.empty() ? 0 : out.blob(as_bytes(part)));
    start = end + 1;
  }
  return out.blob(parts.finish());
}

inline MetadataCell custom_parent(std::uint32_t tag, std::uint32_t row) {
  using ppdb::Table;
  return cell::coded(5, {Table::method_def, Table::module, Table::type_def, Table::document, Table::local_scope}, tag,
                     row);
}

inline void put_custom(MetadataImage& out, const PortablePdb& pdb) {
  constexpr std::uint32_t kModule = 7, kDocument = 22;
  struct Entry {
    std::uint32_t tag, row;
    std::string_view kind;
    Bytes value;
  };
  std::vector<Entry> entries;
  if (!pdb.source_link.empty()) entries.push_back({kModule, 1, kSourceLinkGuid, as_bytes(pdb.source_link)});
  if (!pdb.options.empty()) entries.push_back({kModule, 1, kOptionsGuid, as_bytes(pdb.options)});
  for (std::uint32_t i = 0; i < pdb.documents.size(); ++i)
    if (!pdb.documents[i].embedded.empty())
      entries.push_back({kDocument, i + 1, kEmbeddedSourceGuid, pdb.documents[i].embedded});
  if (pdb.documents_first) std::ranges::reverse(entries);
  else std::ranges::stable_sort(entries, {}, [](const Entry& e) { return e.row << 5 | e.tag; });
  for (const Entry& e : entries)
    out.row(ppdb::Table::custom_debug_information,
            {custom_parent(e.tag, e.row), cell::guid(out.guid(guid_bytes(e.kind))), cell::blob(out.blob(e.value))});
}

}  // namespace detail

/// See MetadataImage::assemble for the labels.
inline Section assemble(const PortablePdb& pdb) {
  using ppdb::Table;
  MetadataImage out;
  out.version = "PDB v1.0";
  out.pdb_id = pdb.id;
  out.entry_point = pdb.entry_point;
  out.heap_sizes = pdb.heap_sizes;
  out.elsewhere = {{Table::module, 1}, {Table::method_def, static_cast<std::uint32_t>(pdb.methods.size())}};
  for (const PdbDocumentSpec& document : pdb.documents) {
    const std::uint32_t language = document.language.empty() ? 0 : out.guid(guid_bytes(document.language));
    out.row(Table::document, {cell::blob(detail::document_name(out, document.name)),
                              cell::guid(document.hash.empty() ? 0 : out.guid(guid_bytes(kSha256Guid))),
                              cell::blob(document.hash.empty() ? 0 : out.blob(document.hash)), cell::guid(language)});
  }
  for (const PdbMethodSpec& method : pdb.methods) {
    std::uint32_t document = 0, blob = 0;
    if (!method.points.empty()) {
      const auto encoded = encode_points(method);
      document = encoded.second;
      blob = out.blob(encoded.first);
    }
    out.row(Table::method_debug_information, {cell::row(Table::document, document), cell::blob(blob)});
  }
  for (const auto& [move_next, kickoff] : pdb.machines)
    out.row(Table::state_machine_method,
            {cell::row(Table::method_def, move_next), cell::row(Table::method_def, kickoff)});
  detail::put_custom(out, pdb);
  return out.assemble();
}

/// One of everything.
inline PortablePdb rich_pdb_spec() {
  PortablePdb pdb;
  pdb.documents = {
      {.name = "/src/app/Program.cs", .embedded = Section().u32(0).text("class Program;").finish()},
      {.name = "C:\\src\\Other.cs", .language = "", .hash = {}},
      // "aaaaaaaaaaaaaaaa" as one fixed-Huffman deflate block
      {.name = "generated.cs", .embedded = Section().u32(16).u8(0x4B).u32_big(0x4C440500).finish()},
  };
  pdb.methods = {
      {.points = {point(0, 10, 5, 10, 6), point(1, 11, 9, 12, 3), hidden(7), point(9, 9, 300, 9, 301)},
       .local_signature = 3},
      {},
      {.points = {hidden(0, 2), point(4, 100000, 1, 100002, 2, 2), point(300, 5, 1, 5, 2, 1), hidden(20000, 3)}},
      {.points = {hidden(0)}},
      {.points = {point(0, 1, 1, 1, 40, 3)}},
  };
  pdb.machines = {{3, 2}, {5, 4}};
  pdb.source_link = R"({"documents":{"/src/*":"https://example.com/*"}})";
  pdb.options = std::string(
      "language\0C#\0version\0"
      "2\0",
      22);
  return pdb;
}

}  // namespace symcached::testkit
