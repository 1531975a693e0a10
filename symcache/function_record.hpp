#pragma once
/// A function record, taken apart: the reader's half of docs/formats/symcache.md, section 5.
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "model/module.hpp"
#include "symcache/format.hpp"
#include "symcache/row_decoder.hpp"

namespace symcached::symcache {

/// Views live as long as the file. Nothing the fields point to is checked yet.
struct FunctionRecord {
  std::uint64_t start = 0;
  std::uint32_t size = 0;
  std::uint8_t flags = 0;
  std::uint32_t subprogram = 0;  ///< position in the subprograms section
  model::Language language{};
  std::uint32_t linkage_name = 0;  ///< position in the names section; 0 = none
  Bytes aliases;                   ///< pairs of positions in the names section
  std::int64_t parent_distance = 0;
  std::uint32_t enclosing_distance = 0;
  std::span<const Restart> restarts;
  Bytes program;  ///< its rows

  /// @return false where the bytes end too early. Cost: a dozen bytes read, however many aliases and rows there are.
  bool read(Bytes record, std::uint64_t function_start) {
    UlebCursor in(record, 0);
    start = function_start;
    flags = in.byte();
    size = in.number();
    subprogram = in.number();
    language = (flags & kHasLanguage) != 0 ? static_cast<model::Language>(in.byte()) : model::Language::unknown;
    linkage_name = (flags & kHasLinkageName) != 0 ? in.number() : 0;
    aliases = (flags & kHasAliases) != 0 ? in.bytes(in.number()) : Bytes();
    parent_distance = (flags & kHasParent) != 0 ? in.signed_number() : 0;
    enclosing_distance = (flags & kIsEnclosed) != 0 ? in.number() : 0;
    const std::uint32_t restart_count = (flags & kHasRestarts) != 0 ? in.number() : 0;
    if (in.failed()) return false;
    ByteReader rest(record.subspan(in.position()));
    const auto table = rest.array<Restart>(restart_count, "symcache.restarts");
    if (!table) return false;
    restarts = *table;
    program = rest.rest();
    return true;
  }
};

}  // namespace symcached::symcache
