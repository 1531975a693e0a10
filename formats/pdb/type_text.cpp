#include "formats/pdb/type_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace symcached::pdb {
namespace {

constexpr TypeIndex kNoType = 0;
constexpr std::uint32_t kBeingMade = 0xFFFFFFFF;
constexpr std::size_t kPrimitiveIndices = 0x1000;
constexpr std::uint32_t kConstModifier = 1, kConstPointer = 1u << 10;
constexpr std::string_view kConst = " const";

struct Primitive {
  std::uint8_t kind;  ///< the low byte of its index
  std::uint8_t size;  ///< bytes; 0 = none
  std::string_view name;
};
constexpr Primitive kPrimitives[] = {
    {0x00, 0, "<NoType>"},
    {0x03, 0, "void"},
    {0x08, 4, "HRESULT"},
    {0x10, 1, "signed char"},
    {0x11, 2, "short"},
    {0x12, 4, "long"},
    {0x13, 8, "long long"},
    {0x14, 16, "int128_t"},
    {0x20, 1, "unsigned char"},
    {0x21, 2, "unsigned short"},
    {0x22, 4, "unsigned long"},
    {0x23, 8, "unsigned long long"},
    {0x24, 16, "uint128_t"},
    {0x30, 1, "bool"},
    {0x31, 2, "bool16_t"},
    {0x32, 4, "bool32_t"},
    {0x33, 8, "bool64_t"},
    {0x40, 4, "float"},
    {0x41, 8, "double"},
    {0x42, 10, "long double"},
    {0x43, 16, "long double"},
    {0x44, 6, "float48_t"},
    {0x45, 4, "float"},
    {0x46, 2, "float16_t"},
    {0x50, 8, "complex<float>"},
    {0x51, 16, "complex<double>"},
    {0x52, 20, "complex<long double>"},
    {0x53, 32, "complex<long double>"},
    {0x68, 1, "int8_t"},
    {0x69, 1, "uint8_t"},
    {0x70, 1, "char"},
    {0x71, 2, "wchar_t"},
    {0x72, 2, "int16_t"},
    {0x73, 2, "uint16_t"},
    {0x74, 4, "int"},
    {0x75, 4, "unsigned int"},
    {0x76, 8, "int64_t"},
    {0x77, 8, "uint64_t"},
    {0x78, 16, "int128_t"},
    {0x79, 16, "uint128_t"},
    {0x7a, 2, "char16_t"},
    {0x7b, 4, "char32_t"},
    {0x7c, 1, "char8_t"},
};

/// Null: not one of them.
const Primitive* primitive_of(TypeIndex index) {
  const auto* const found = std::ranges::lower_bound(kPrimitives, index & 0xFF, {}, &Primitive::kind);
  return index < kPrimitiveIndices && found != std::end(kPrimitives) && found->kind == (index & 0xFF) ? found : nullptr;
}
/// Bytes of a pointer to a primitive type, by the mode in its index; 0: it is no pointer.
std::uint64_t primitive_pointer_size(TypeIndex index) {
  constexpr std::uint8_t kSizes[] = {0, 2, 4, 4, 4, 6, 8, 16};
  return kSizes[index >> 8 & 7];
}

std::uint64_t pointer_size(const PointerLeaf& pointer) {
  constexpr std::uint32_t kNear32 = 0xA, kNear64 = 0xC;
  if (const std::uint32_t stated = pointer.attributes >> 13 & 0x3F; stated != 0) return stated;
  const std::uint32_t kind = pointer.attributes & 0x1F;
  return kind == kNear64 ? 8 : kind == kNear32 ? 4 : 0;
}

std::string_view mark_of(PointerMode mode) {
  switch (mode) {
    case PointerMode::reference: return "&";
    case PointerMode::data_member:
    case PointerMode::member_function: return "::*";
    case PointerMode::rvalue: return "&&";
    default: return "*";
  }
}

}  // namespace

TypeTexts::TypeTexts(TypeStream types, std::uint64_t max_bytes) : types_(std::move(types)), bytes_left_(max_bytes) {}

std::optional<ParameterList> TypeTexts::list_of(TypeIndex function) {
  if (!types_.has(function)) return std::nullopt;
  const auto record = types_.at(function, scratch_[0]);
  if (!record) return std::nullopt;
  if (record->leaf == Leaf::procedure) {
    const auto leaf = read_at<ProcedureLeaf>(record->data, 0, "pdb.type.procedure");
    return leaf ? std::optional(ParameterList{leaf->arguments, false}) : std::nullopt;
  }
  if (record->leaf != Leaf::mfunction) return std::nullopt;
  const auto leaf = read_at<MemberFunctionLeaf>(record->data, 0, "pdb.type.mfunction");
  return leaf ? std::optional(ParameterList{leaf->arguments, takes_const(leaf->this_type)}) : std::nullopt;
}

std::string_view TypeTexts::parameters(const ParameterList& list) {
  const Text text = of(list.arguments, 1);
  if (text.failed) return {};
  composed_.assign("(").append(view(text)).append(")");
  if (list.is_const) composed_ += kConst;
  return composed_;
}

bool TypeTexts::takes_const(TypeIndex this_type) {
  if (!types_.has(this_type)) return false;
  const auto record = types_.at(this_type, scratch_[0]);
  if (!record || record->leaf != Leaf::pointer) return false;
  const auto pointer = read_at<PointerLeaf>(record->data, 0, "pdb.type.pointer");
  if (!pointer || !types_.has(pointer->type)) return false;
  const auto object = types_.at(pointer->type, scratch_[0]);
  if (!object || object->leaf != Leaf::modifier) return false;
  const auto modifier = read_at<ModifierLeaf>(object->data, 0, "pdb.type.modifier");
  return modifier && (modifier->flags & kConstModifier) != 0;
}

/// A type inside of itself has failed by the time that it is met again.
TypeTexts::Text TypeTexts::of(TypeIndex index, std::size_t depth) {
  if (known_.empty()) known_.resize(kPrimitiveIndices + types_.count());
  const bool is_record = types_.has(index);
  if (!is_record && index >= kPrimitiveIndices) return make(index, depth);
  std::uint32_t& known = known_[is_record ? kPrimitiveIndices + (index - types_.first()) : index];
  if (known != 0) return known == kBeingMade ? Text() : made_[known - 1];
  known = kBeingMade;
  const Text text = make(index, depth);
  made_.push_back(text);
  known = static_cast<std::uint32_t>(made_.size());
  return text;
}

TypeTexts::Text TypeTexts::make(TypeIndex index, std::size_t depth) {
  if (depth > kMaxDepth) return {};
  if (!types_.has(index)) {
    const Primitive* const primitive = primitive_of(index);
    if (primitive == nullptr) return plain(fmt::format("<missing type {:#x}>", index));
    const bool is_pointer = primitive_pointer_size(index) != 0;
    Text text = put({primitive->name, is_pointer ? "*" : ""});
    text.is_pointer = is_pointer;
    return text;
  }
  const auto record = types_.at(index, scratch_[depth]);
  if (!record) return {};
  const Bytes data = record->data;
  switch (record->leaf) {
    case Leaf::modifier:
      if (const auto leaf = read_at<ModifierLeaf>(data, 0, "pdb.type.modifier")) return modified(*leaf, depth + 1);
      return {};
    case Leaf::pointer:
      if (const auto leaf = read_at<PointerLeaf>(data, 0, "pdb.type.pointer")) return pointer(*leaf, depth + 1);
      return {};
    case Leaf::procedure:
      if (const auto leaf = read_at<ProcedureLeaf>(data, 0, "pdb.type.procedure"))
        return function(leaf->result, kNoType, leaf->arguments, depth + 1);
      return {};
    case Leaf::mfunction:
      if (const auto leaf = read_at<MemberFunctionLeaf>(data, 0, "pdb.type.mfunction"))
        return function(leaf->result, leaf->scope, leaf->arguments, depth + 1);
      return {};
    case Leaf::arglist: return list(data, depth + 1);
    case Leaf::array: {
      ByteReader in(data);
      const auto leaf = in.read<ArrayLeaf>("pdb.type.array");
      const auto bytes = read_number(in);
      return leaf && bytes ? array(leaf->element, *bytes, depth + 1) : Text();
    }
    default: {
      const auto type = read_named_type(*record);
      if (!type) return {};
      return *type ? plain((*type)->name) : plain(fmt::format("<missing type {:#x}>", index));
    }
  }
}

/// What is declared with it goes to its end, unless the caller says otherwise.
TypeTexts::Text TypeTexts::put(std::initializer_list<std::string_view> pieces) {
  std::size_t size = 0;
  for (const std::string_view piece : pieces) size += piece.size();
  if (size > kMaxText || size > bytes_left_) return {};
  bytes_left_ -= size;
  if (size > chunk_left_) {
    chunk_left_ = kMaxText;
    chunks_.push_back(std::make_unique_for_overwrite<char[]>(kMaxText));
    chunk_at_ = chunks_.back().get();
  }
  const char* const start = chunk_at_;
  for (const std::string_view piece : pieces) chunk_at_ = std::ranges::copy(piece, chunk_at_).out;
  chunk_left_ -= size;
  const auto end = static_cast<std::uint32_t>(size);
  return {.start = start, .size = end, .declarator = end, .dimensions = end, .failed = false};
}

TypeTexts::Text TypeTexts::plain(std::string_view text) { return put({text}); }

/// `const` of a pointer stands behind its mark, of anything else in front.
TypeTexts::Text TypeTexts::modified(const ModifierLeaf& modifier, std::size_t depth) {
  const Text text = of(modifier.type, depth);
  if (text.failed || (modifier.flags & kConstModifier) == 0) return text;
  if (text.is_pointer && !types_.has(modifier.type)) {  // Symbolicator's, though it is the pointer that is const
    Text made = put({view(text).substr(0, text.size - 1), " const*"});
    made.is_pointer = true;
    return made;
  }
  if (text.is_pointer) return const_of(text);
  constexpr std::string_view kFirst = "const ";
  Text made = put({kFirst, view(text)});
  made.declarator = text.declarator + static_cast<std::uint32_t>(kFirst.size());
  made.dimensions = text.dimensions + static_cast<std::uint32_t>(kFirst.size());
  return made;
}

TypeTexts::Text TypeTexts::const_of(const Text& text) {
  if (head(text).ends_with(kConst)) return text;
  Text made = put({head(text), kConst, tail(text)});
  made.declarator = text.declarator + static_cast<std::uint32_t>(kConst.size());
  made.is_pointer = true;
  return made;
}

/// What is pointed to has its `const` behind it.
TypeTexts::Text TypeTexts::pointer(const PointerLeaf& pointer, std::size_t depth) {
  TypeIndex pointee = pointer.type;
  bool to_const = false;
  if (types_.has(pointee)) {
    const auto record = types_.at(pointee, scratch_[depth - 1]);
    if (!record) return {};
    const auto modifier = read_at<ModifierLeaf>(record->data, 0, "pdb.type.modifier");
    if (record->leaf == Leaf::modifier && modifier) {
      pointee = modifier->type;
      to_const = (modifier->flags & kConstModifier) != 0;
    }
  }
  const Text text = of(pointee, depth);
  if (text.failed) return {};
  to_const &= !(text.is_pointer && head(text).ends_with(kConst));
  const std::string_view behind = tail(text);
  Text made = put({head(text), to_const ? kConst : "", mark_of(static_cast<PointerMode>(pointer.attributes >> 5 & 7)),
                   (pointer.attributes & kConstPointer) != 0 ? kConst : "", behind});
  made.declarator = made.size - static_cast<std::uint32_t>(text.size - text.declarator);
  made.is_pointer = true;
  return made;
}

/// As what a pointer points to: with room for it between the result and the parameters.
TypeTexts::Text TypeTexts::function(TypeIndex result, TypeIndex scope, TypeIndex arguments, std::size_t depth) {
  const Text returned = result == kNoType ? plain("") : of(result, depth);
  const Text owner = scope == kNoType ? plain("") : of(scope, depth);
  const Text taken = of(arguments, depth);
  if (returned.failed || owner.failed || taken.failed) return {};
  Text made = put({view(returned), result == kNoType ? "(" : " (", view(owner), ")(", view(taken), ")"});
  made.declarator = made.size - taken.size - 3;
  return made;
}

TypeTexts::Text TypeTexts::list(Bytes indices, std::size_t depth) {
  ByteReader in(indices);
  const auto count = in.read<u32le>("pdb.type.arglist");
  if (!count) return {};
  const auto arguments = in.array<u32le>(*count, "pdb.type.arglist");
  if (!arguments) return {};
  std::vector<Text> texts;
  for (const u32le argument : *arguments) {
    texts.push_back(of(argument, depth));
    if (texts.back().failed) return {};
  }
  std::string text;
  for (const Text& argument : texts) {
    if (!text.empty()) text += ", ";
    text += view(argument);
    if (text.size() > kMaxText) return {};
  }
  return plain(text);
}

/// The dimension of an array of arrays stands before those of its elements. None: the element has no size.
TypeTexts::Text TypeTexts::array(TypeIndex element, std::uint64_t bytes, std::size_t depth) {
  const Text text = of(element, depth);
  const std::uint64_t each = size_of(element, depth);
  if (text.failed) return {};
  const std::string dimension = each == 0 ? "[]" : fmt::format("[{}]", bytes / each);
  const std::string_view whole = view(text);
  Text made = put({whole.substr(0, text.dimensions), dimension, whole.substr(text.dimensions)});
  made.dimensions = text.dimensions;
  return made;
}

/// Of a class or union that is declared and, somewhere else, defined. Bytes; 0: not found.
std::uint64_t TypeTexts::size_of_definition(const NamedType& declared, std::size_t depth) {
  const std::string name(declared.name), unique_name(declared.unique_name);
  for (const std::string& hashed : {unique_name, name})  // the latter of types outside of others
    for (const TypeIndex index : types_.may_define(hashed)) {
      if (definitions_left_ == 0) return 0;
      --definitions_left_;
      const auto record = types_.at(index, scratch_[depth - 1]);
      if (!record) return 0;
      const auto type = read_named_type(*record);
      if (type && *type && !(*type)->is_declaration && (*type)->name == name && (*type)->unique_name == unique_name)
        return (*type)->size;
    }
  return 0;
}

/// Bytes; 0 where that is not known.
std::uint64_t TypeTexts::size_of(TypeIndex index, std::size_t depth) {
  for (std::size_t steps = 0; steps < kMaxDepth; ++steps) {
    if (!types_.has(index)) {
      const Primitive* const primitive = primitive_of(index);
      const std::uint64_t as_pointer = primitive_pointer_size(index);
      return primitive == nullptr ? 0 : as_pointer != 0 ? as_pointer : primitive->size;
    }
    const auto record = types_.at(index, scratch_[depth - 1]);
    if (!record) return 0;
    ByteReader in(record->data);
    if (record->leaf == Leaf::modifier) {
      const auto leaf = in.read<ModifierLeaf>("pdb.type.modifier");
      if (!leaf) return 0;
      index = leaf->type;
    } else if (record->leaf == Leaf::pointer) {
      const auto leaf = in.read<PointerLeaf>("pdb.type.pointer");
      return leaf ? pointer_size(*leaf) : 0;
    } else if (record->leaf == Leaf::array) {
      if (!in.skip(sizeof(ArrayLeaf), "pdb.type.array")) return 0;
      return read_number(in).value_or(0);
    } else {
      const auto type = read_named_type(*record);
      if (!type || !*type) return 0;
      if (record->leaf != Leaf::enum_)
        return (*type)->is_declaration ? size_of_definition(**type, depth) : (*type)->size;
      index = (*type)->underlying;
    }
  }
  return 0;
}

}  // namespace symcached::pdb
