#pragma once
/// Touches everything a Portable PDB offers, so that a sanitizer sees every byte the reader would hand out.
#include <cstdint>

#include "formats/ppdb/reader.hpp"

namespace symcached::testkit {

inline std::uint64_t sum_of(Bytes data) {
  std::uint64_t total = data.size();
  for (const std::byte b : data) total += static_cast<std::uint64_t>(b);
  return total;
}

/// Every cell of every table, as a string, a GUID and a blob too, whatever it is; at most 4096 rows of a table.
inline std::uint64_t walk_everything(const ppdb::Metadata& metadata) {
  std::uint64_t total = metadata.version().size();
  for (std::size_t t = 0; t < ppdb::kTableCount; ++t) {
    const auto table = static_cast<ppdb::Table>(t);
    const std::uint32_t rows = std::min(metadata.rows(table), 4096u);
    for (std::uint32_t number = 1; number <= rows; ++number) {
      const ppdb::Row row = metadata.at(table, number);
      for (unsigned column = 0; column < ppdb::kMaxColumns; ++column) {
        total += row[column];
        if (const auto text = metadata.string(row[column], "walk")) total += text->size();
        if (const auto guid = metadata.guid(row[column], "walk")) total += guid->bytes[0];
        if (const auto blob = metadata.blob(row[column], "walk"); blob && blob->size() < 4096) total += sum_of(*blob);
      }
    }
  }
  return total;
}

/// @return a number that depends on all that was read; false in `whole` if a part could not be read
inline std::uint64_t walk_everything(const ppdb::Pdb& pdb, bool& whole) {
  std::uint64_t total = pdb.debug_id().age + pdb.entry_point() + walk_everything(pdb.metadata());
  whole = true;
  const auto documents = pdb.documents();
  whole = whole && documents;
  if (documents)
    for (const ppdb::Document& document : *documents) total += document.name.size() + sum_of(document.hash);
  for (std::uint32_t row = 1; row <= std::min(pdb.document_count(), 4096u); ++row) {
    const auto source = pdb.embedded_source(row);
    whole = whole && source;
    if (!source || !*source) continue;
    const auto text = (*source)->unpacked_size < 1u << 20 ? ppdb::unpack(**source) : Buffer();
    whole = whole && text;
    if (text) total += sum_of(text->bytes());
  }
  const auto walked = pdb.for_each_method([&](std::uint32_t method, ppdb::SequencePoints& points) {
    total += method + points.local_signature();
    for (ppdb::SequencePoint p; points.next(p);) total += p.il_offset + p.document + p.end_line + p.end_column;
    whole = whole && !points.error();
  });
  whole = whole && walked;
  for (std::uint32_t i = 0; i < pdb.state_machine_count(); ++i)
    total += pdb.kickoff_of(pdb.state_machine(i).move_next).value_or(0);
  for (std::uint32_t method = 1; method <= std::min(pdb.method_count(), 4096u); ++method)
    if (const auto points = pdb.points(method)) total += points->local_signature();
  const auto link = pdb.source_link();
  const auto options = pdb.compilation_options();
  whole = whole && link && options;
  if (link && *link) total += sum_of(as_bytes(**link));
  if (options)
    for (const auto& option : *options) total += sum_of(as_bytes(option.name)) + sum_of(as_bytes(option.value));
  return total;
}

}  // namespace symcached::testkit
