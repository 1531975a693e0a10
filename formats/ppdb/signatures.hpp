#pragma once
/// Types of a method's parameters as short names. Spec: ECMA-335, II.23.2.1 and II.23.2.12.
#include <cstdint>
#include <functional>
#include <optional>

#include "formats/ppdb/blob.hpp"
#include "formats/ppdb/metadata.hpp"
#include "formats/ppdb/name_text.hpp"

namespace symcached::ppdb {

/// Types inside of types: an array of pointers to an array is three.
inline constexpr unsigned kMaxTypeDepth = 64;
/// Parts of types in one signature.
inline constexpr std::uint32_t kMaxTypeParts = 64 * 1024;

/// Who gives the type parameters of a signature their names.
struct GenericContext {
  std::uint32_t type = 0;    ///< row of TypeDef: !0, !1, …
  std::uint32_t method = 0;  ///< row of MethodDef: !!0, !!1, …
};

/// Name of the type parameter `number` of a type or method; nothing if the table has no such row, or is not sorted.
/// Cost: a binary search.
std::optional<std::string_view> generic_name(const Metadata& metadata, Table owner, std::uint32_t row,
                                             std::uint32_t number);

/// Reads one method signature; each call of next() is one parameter.
class MethodSignature {
 public:
  /// @param blob  of MethodDef's column `signature`
  static Read<MethodSignature> open(const Metadata& metadata, Bytes blob, GenericContext context);

  std::uint32_t parameter_count() const { return count_; }  ///< as stated; not all need be there
  /// Appends the type of the next parameter as reflection's short name has it: "Int32", "Outer`1", "T", "String[]".
  /// Custom modifiers are left out, type arguments too. To be called parameter_count() times.
  Read<void> next(NameText& out);

 private:
  MethodSignature(const Metadata& metadata, Bytes blob, GenericContext context)
      : metadata_(&metadata), blob_(blob), in_(blob), context_(context) {}
  Read<void> type(BlobCursor& in, NameText* out, unsigned depth);
  Read<void> suffixed(BlobCursor& in, NameText* out, unsigned depth, std::string_view suffix);
  Read<void> array(BlobCursor& in, NameText* out, unsigned depth);
  Read<void> generic_instance(BlobCursor& in, NameText* out, unsigned depth);
  Read<void> function_pointer(BlobCursor& in, NameText* out, unsigned depth);
  Read<void> named(std::uint32_t token, NameText* out, unsigned depth);
  void variable(Table owner, std::uint32_t number, NameText* out) const;
  std::unexpected<ReadError> bad(std::uint64_t found) const;

  const Metadata* metadata_;
  Bytes blob_;
  BlobCursor in_;
  GenericContext context_;
  std::uint32_t count_ = 0;
  std::uint32_t parts_ = 0;
};

}  // namespace symcached::ppdb
