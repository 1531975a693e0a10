#pragma once
/// Types as text: the parameters of functions, in the spelling that Symbolicator gives them, by which crashes are
/// grouped. Rules: docs/formats/pdb.md, section 7.
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/pdb/types.hpp"

namespace symcached::pdb {

/// What a function takes: functions of many types have the same.
struct ParameterList {
  TypeIndex arguments = 0;
  bool is_const = false;  ///< it is called for a const object
};

/// Makes the text of a type once and puts longer ones together from it.
class TypeTexts {
 public:
  static constexpr std::size_t kMaxDepth = 64;       ///< of types within types
  static constexpr std::size_t kMaxText = 1u << 16;  ///< bytes of one type
  /// @param max_bytes  of all texts together
  TypeTexts(TypeStream types, std::uint64_t max_bytes);

  TypeStream& types() { return types_; }

  /// Nothing if `function` is no LF_PROCEDURE or LF_MFUNCTION, or malformed. Cost: up to three records read.
  std::optional<ParameterList> list_of(TypeIndex function);
  /// Parentheses and what is in them; ` const` behind where the function takes a const object. Empty if a record is
  /// malformed, or beyond a limit. Lives until the next call.
  /// Cost: the records that no earlier call has read, and a copy.
  std::string_view parameters(const ParameterList& list);

 private:
  /// A text in chunks_, and where what is declared with it goes: the `*` of a pointer at `declarator`, the dimension of
  /// an array at `dimensions`. `int (|)(char)`, `const char|[8]`: both are at its end otherwise.
  struct Text {
    const char* start = nullptr;
    std::uint32_t size = 0;
    std::uint32_t declarator = 0, dimensions = 0;
    bool failed = true;
    bool is_pointer = false;
  };
  Text of(TypeIndex index, std::size_t depth);
  Text make(TypeIndex index, std::size_t depth);
  Text plain(std::string_view text);
  Text modified(const ModifierLeaf& modifier, std::size_t depth);
  Text pointer(const PointerLeaf& pointer, std::size_t depth);
  Text function(TypeIndex result, TypeIndex scope, TypeIndex arguments, std::size_t depth);
  Text list(Bytes indices, std::size_t depth);
  Text array(TypeIndex element, std::uint64_t bytes, std::size_t depth);
  Text const_of(const Text& text);
  std::uint64_t size_of(TypeIndex index, std::size_t depth);
  std::uint64_t size_of_definition(const NamedType& declared, std::size_t depth);
  bool takes_const(TypeIndex this_type);
  std::string_view view(const Text& text) const { return {text.start, text.size}; }
  std::string_view head(const Text& text) const { return view(text).substr(0, text.declarator); }
  std::string_view tail(const Text& text) const { return view(text).substr(text.declarator); }
  Text put(std::initializer_list<std::string_view> pieces);

  TypeStream types_;
  std::uint64_t bytes_left_;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::size_t chunk_left_ = 0;
  char* chunk_at_ = nullptr;
  std::vector<std::uint32_t> known_;  // primitives, then records: place in made_, plus 1
  std::vector<Text> made_;
  std::string composed_;
  std::uint64_t definitions_left_ = 1u << 16;  // to be looked at: many types may share a hash
  std::array<std::vector<std::byte>, kMaxDepth + 1> scratch_;
};

}  // namespace symcached::pdb
