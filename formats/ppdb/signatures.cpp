#include "formats/ppdb/signatures.hpp"

#include <fmt/format.h>

namespace symcached::ppdb {
namespace {

constexpr std::string_view kField = "ppdb.signature";

constexpr std::uint8_t kGenericCall = 0x10;  ///< flag of the calling convention: a count of type parameters follows
constexpr std::uint8_t kCallKind = 0x0F;
constexpr std::uint8_t kFieldSignature = 0x06;  ///< from here on it is no method's

enum Element : std::uint8_t {
  kPtr = 0x0F,
  kByRef = 0x10,
  kValueType = 0x11,
  kClass = 0x12,
  kVar = 0x13,
  kArray = 0x14,
  kGenericInst = 0x15,
  kFnPtr = 0x1B,
  kSzArray = 0x1D,
  kMVar = 0x1E,
  kRequired = 0x1F,
  kOptional = 0x20,
  kSentinel = 0x41,
  kPinned = 0x45,
};

/// Types that need nothing more, by element type; empty = something else.
constexpr std::string_view kSimple[] = {
    "",      "Void",   "Boolean",        "Char",   "SByte",  "Byte",    "Int16", "UInt16", "Int32", "UInt32",
    "Int64", "UInt64", "Single",         "Double", "String", "",        "",      "",       "",      "",
    "",      "",       "TypedReference", "",       "IntPtr", "UIntPtr", "",      "",       "Object"};

}  // namespace

std::optional<std::string_view> generic_name(const Metadata& metadata, Table owner, std::uint32_t row,
                                             std::uint32_t number) {
  const std::uint32_t wanted = row << kTypeOrMethodDefBits | (owner == Table::method_def ? 1 : 0);
  const auto before = [&](const Row& at) {
    const std::uint32_t found = at[GenericParamColumn::owner];
    return found < wanted || (found == wanted && at[GenericParamColumn::number] < number);
  };
  std::uint32_t low = 1, high = metadata.rows(Table::generic_param) + 1;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (before(metadata.at(Table::generic_param, middle))) low = middle + 1;
    else high = middle;
  }
  if (low > metadata.rows(Table::generic_param)) return std::nullopt;
  const Row found = metadata.at(Table::generic_param, low);
  if (found[GenericParamColumn::owner] != wanted || found[GenericParamColumn::number] != number) return std::nullopt;
  const auto name = metadata.string(found[GenericParamColumn::name], "ppdb.generic_param.name");
  return name ? std::optional(*name) : std::nullopt;
}

Read<MethodSignature> MethodSignature::open(const Metadata& metadata, Bytes blob, GenericContext context) {
  MethodSignature made(metadata, blob, context);
  const std::uint8_t convention = made.in_.byte();
  if ((convention & kCallKind) >= kFieldSignature) return made.bad(convention);
  if ((convention & kGenericCall) != 0) made.in_.number();
  made.count_ = made.in_.number();
  if (made.in_.failed()) return made.bad(convention);
  const auto returned = made.type(made.in_, nullptr, 0);
  if (!returned) return std::unexpected(returned.error());
  return made;
}

Read<void> MethodSignature::next(NameText& out) { return type(in_, &out, 0); }

std::unexpected<ReadError> MethodSignature::bad(std::uint64_t found) const {
  return bad_value(kField, blob_.empty() ? 0 : metadata_->offset_of(blob_), found);
}

/// @param out  null: only step over it
Read<void> MethodSignature::type(BlobCursor& in, NameText* out, unsigned depth) {
  if (depth >= kMaxTypeDepth) return too_large(kField, metadata_->offset_of(blob_), depth, kMaxTypeDepth - 1);
  for (;;) {
    if (++parts_ > kMaxTypeParts) return too_large(kField, metadata_->offset_of(blob_), parts_, kMaxTypeParts);
    const std::uint8_t element = in.byte();
    if (in.failed()) return bad(element);
    if (element < std::size(kSimple) && !kSimple[element].empty()) {
      if (out != nullptr) *out += kSimple[element];
      return {};
    }
    switch (element) {
      case kRequired:
      case kOptional: in.number(); continue;
      case kPinned:
      case kSentinel: continue;
      case kPtr: return suffixed(in, out, depth, "*");
      case kByRef: return suffixed(in, out, depth, "&");
      case kSzArray: return suffixed(in, out, depth, "[]");
      case kArray: return array(in, out, depth);
      case kGenericInst: return generic_instance(in, out, depth);
      case kFnPtr: return function_pointer(in, out, depth);
      case kVar: return variable(Table::type_def, in.number(), out), Read<void>();
      case kMVar: return variable(Table::method_def, in.number(), out), Read<void>();
      case kClass:
      case kValueType: return named(in.number(), out, depth);
      default: return bad(element);
    }
  }
}

Read<void> MethodSignature::suffixed(BlobCursor& in, NameText* out, unsigned depth, std::string_view suffix) {
  const auto inner = type(in, out, depth + 1);
  if (inner && out != nullptr) *out += suffix;
  return inner;
}

/// Type, rank, then counted sizes and counted lower bounds, which the name does not show.
Read<void> MethodSignature::array(BlobCursor& in, NameText* out, unsigned depth) {
  if (const auto inner = type(in, out, depth + 1); !inner) return inner;
  const std::uint32_t rank = in.number();
  for (int list = 0; list < 2; ++list) {
    const std::uint32_t count = in.number();
    if (count > in.left() || count > kMaxTypeParts - parts_) return bad(count);
    parts_ += count;
    for (std::uint32_t i = 0; i < count; ++i) in.number();
  }
  if (in.failed() || rank == 0 || rank > kMaxName) return bad(rank);
  if (out != nullptr) *out += rank == 1 ? "[*]" : "[" + std::string(rank - 1, ',') + "]";
  return {};
}

Read<void> MethodSignature::generic_instance(BlobCursor& in, NameText* out, unsigned depth) {
  if (const auto head = type(in, out, depth + 1); !head) return head;
  const std::uint32_t count = in.number();
  for (std::uint32_t i = 0; i < count; ++i)
    if (const auto argument = type(in, nullptr, depth + 1); !argument) return argument;
  return in.failed() ? Read<void>(bad(count)) : Read<void>();
}

Read<void> MethodSignature::function_pointer(BlobCursor& in, NameText* out, unsigned depth) {
  const std::uint8_t convention = in.byte();
  if ((convention & kGenericCall) != 0) in.number();
  const std::uint64_t count = std::uint64_t{in.number()} + 1;  // and what it returns
  for (std::uint64_t i = 0; i < count; ++i)
    if (const auto one = type(in, nullptr, depth + 1); !one) return one;
  if (out != nullptr) *out += "(fnptr)";
  return {};
}

/// @param token  TypeDefOrRef: the row, then two bits for the table
Read<void> MethodSignature::named(std::uint32_t token, NameText* out, unsigned depth) {
  if (out == nullptr) return {};
  const std::uint32_t number = token >> kTypeDefOrRefBits;
  switch (token & ((1u << kTypeDefOrRefBits) - 1)) {
    case 0: {
      SC_TRY(const auto row, metadata_->row(Table::type_def, number, kField));
      SC_TRY(const auto name, metadata_->string(row[TypeDefColumn::name], kField));
      *out += name;
      return {};
    }
    case 1: {
      SC_TRY(const auto row, metadata_->row(Table::type_ref, number, kField));
      SC_TRY(const auto name, metadata_->string(row[TypeRefColumn::name], kField));
      *out += name;
      return {};
    }
    case 2: {
      SC_TRY(const auto row, metadata_->row(Table::type_spec, number, kField));
      SC_TRY(const auto blob, metadata_->blob(row[TypeSpecColumn::signature], kField));
      BlobCursor inner(blob);
      return type(inner, out, depth + 1);
    }
    default: return bad(token);
  }
}

void MethodSignature::variable(Table owner, std::uint32_t number, NameText* out) const {
  if (out == nullptr) return;
  const bool of_method = owner == Table::method_def;
  const auto name = generic_name(*metadata_, owner, of_method ? context_.method : context_.type, number);
  *out += name ? std::string(*name) : fmt::format("{}{}", of_method ? "!!" : "!", number);
}

}  // namespace symcached::ppdb
