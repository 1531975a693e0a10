#pragma once
/// Names of entries: from keys, and back from text that others wrote (a listing of the directory, the journal).
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "store/lookup.hpp"

namespace symcached::store {

using Digest = Sha256;  ///< of the readable key

/// Entries of one kind, version and scope; views into the text it was read from.
struct Place {
  std::string_view kind;
  std::uint32_t version;
  std::string_view scope;
};
inline constexpr std::size_t kMaxPlace = 88;  ///< bytes of a place as text

/// "symcaches/v1/global". Kinds are of lower-case letters and `_`, scopes of letters, digits, `_`, `-`, `.`, and begin
/// with none of the last two: nothing that leads anywhere else as part of a path. At most kMaxPlace bytes.
std::optional<Place> parse_place(std::string_view text);
std::string place_of(const EntryKey& key);
/// Whether entries of every kind can have that scope.
bool is_scope(std::string_view scope);

struct PlacedDigest {
  std::string_view place;  ///< parses
  Digest digest;
};
/// "symcaches/v1/global/ab/cdef...", 64 hex digits in all, lower case.
std::optional<PlacedDigest> parse_entry_name(std::string_view name);
std::string entry_name(std::string_view place, const Digest& digest);
std::string entry_name(const EntryKey& key);

/// `digits` is 64 of them, lower case.
std::optional<Digest> parse_digest(std::string_view digits);

}  // namespace symcached::store
