#pragma once
/// All that a Portable PDB says, as text of tab-separated records, to be compared with what other readers say:
///   id         20 bytes in hex
///   document   row, name, language, hash algorithm, hash, bytes of embedded source or -
///   point      method token, IL offset, document row, start line, start column, end line, end column
///   moved      MoveNext token, kick-off token
///   sourcelink the JSON text
/// Hidden points have line 0xfeefee and column 0. testing/dotnet/README.md says who writes the same.
#include <fmt/format.h>

#include <iterator>
#include <string>

#include "base/hex.hpp"
#include "formats/ppdb/reader.hpp"

namespace symcached::testkit {

inline void put_point(std::string& out, std::uint32_t method, const ppdb::SequencePoint& p) {
  const auto line = [&](std::uint32_t number) { return p.hidden ? std::string("0xfeefee") : std::to_string(number); };
  fmt::format_to(std::back_inserter(out), "point\t0x{:08x}\t{}\t{}\t{}\t{}\t{}\t{}\n", 0x06000000 | method, p.il_offset,
                 p.document, line(p.start_line), p.start_column, line(p.end_line), p.end_column);
}

inline Read<std::string> ppdb_text(const ppdb::Pdb& pdb) {
  std::string out = "id\t" + to_hex(pdb.id()) + "\n";
  const auto guid = [](const Guid& g) { return g.is_zero() ? std::string("-") : g.dashed(); };
  SC_TRY(const auto documents, pdb.documents());
  for (std::uint32_t row = 1; const ppdb::Document& document : documents) {
    SC_TRY(const auto source, pdb.embedded_source(row));
    fmt::format_to(std::back_inserter(out), "document\t{}\t{}\t{}\t{}\t{}\t{}\n", row++, document.name,
                   guid(document.language_guid), guid(document.hash_algorithm_guid), to_hex(document.hash),
                   source ? std::to_string(source->unpacked_size) : "-");
  }
  std::uint32_t moved = 0;
  const auto put_moved = [&](std::uint32_t up_to) {
    for (; moved < pdb.state_machine_count() && pdb.state_machine(moved).move_next <= up_to; ++moved)
      fmt::format_to(std::back_inserter(out), "moved\t0x{:08x}\t0x{:08x}\n",
                     0x06000000 | pdb.state_machine(moved).move_next, 0x06000000 | pdb.state_machine(moved).kickoff);
  };
  std::optional<ReadError> damage;
  const auto walked = pdb.for_each_method([&](std::uint32_t method, ppdb::SequencePoints& points) {
    put_moved(method - 1);
    for (ppdb::SequencePoint p; points.next(p);) put_point(out, method, p);
    if (points.error()) damage = points.error();
  });
  if (!walked) return std::unexpected(walked.error());
  if (damage) return std::unexpected(*damage);
  put_moved(0xFFFFFFFF);
  SC_TRY(const auto link, pdb.source_link());
  if (link) out += "sourcelink\t" + std::string(*link) + "\n";
  return out;
}

}  // namespace symcached::testkit
