#pragma once
/// Walks the records of a symbol stream. Spec: docs/formats/pdb.md, section 4.
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "formats/pdb/codeview.hpp"

namespace symcached::pdb {

struct SymRecord {
  SymKind kind{};
  Bytes data;                ///< without the head
  std::uint32_t offset = 0;  ///< of the record's head in the stream
};

/// Forward iteration; `next` gives nothing at the end and an error on a record that does not fit.
class SymbolReader {
 public:
  /// @param data  records only; @param base  offset of the first one in its stream
  explicit SymbolReader(Bytes data, std::uint32_t base) : data_(data), base_(base) {}

  Read<std::optional<SymRecord>> next() {
    if (data_.size() - at_ < sizeof(RecordHead)) return std::nullopt;
    RecordHead head;
    std::memcpy(&head, data_.data() + at_, sizeof head);
    const std::size_t left = data_.size() - at_ - 2;
    if (head.length < 2 || head.length > left) [[unlikely]]
      return truncated("pdb.symbol.length", base_ + at_, head.length, left);
    const SymRecord record{static_cast<SymKind>(std::uint16_t{head.kind}),
                           data_.subspan(at_ + sizeof head, head.length - 2u), static_cast<std::uint32_t>(base_ + at_)};
    at_ += 2u + head.length;
    return record;
  }

 private:
  Bytes data_;
  std::uint32_t base_;
  std::size_t at_ = 0;
};

/// The fixed part of a record and the zero-terminated name after it (empty if the kind has none).
template <class T>
struct Named {
  T record;
  std::string_view name;
};
template <class T>
Read<Named<T>> read_named(const SymRecord& symbol, std::string_view field) {
  ByteReader in(symbol.data, symbol.offset + sizeof(RecordHead));
  SC_TRY(const T record, in.read<T>(field));
  SC_TRY(const auto name, in.c_string(field));
  return Named<T>{record, name};
}

constexpr bool is_procedure(SymKind kind) {
  switch (kind) {
    case SymKind::gproc32:
    case SymKind::lproc32:
    case SymKind::gproc32_id:
    case SymKind::lproc32_id:
    case SymKind::lproc32_dpc:
    case SymKind::lproc32_dpc_id: return true;
    default: return false;
  }
}
/// Its type is an item of the IPI stream, which has the type.
constexpr bool has_item_type(SymKind kind) {
  return kind == SymKind::gproc32_id || kind == SymKind::lproc32_id || kind == SymKind::lproc32_dpc_id;
}
constexpr bool opens_scope(SymKind kind) {
  switch (kind) {
    case SymKind::thunk32:
    case SymKind::block32:
    case SymKind::with32:
    case SymKind::sep_code:
    case SymKind::inline_site:
    case SymKind::inline_site2:
    case SymKind::gmanproc:
    case SymKind::lmanproc: return true;
    default: return is_procedure(kind);
  }
}
constexpr bool closes_scope(SymKind kind) {
  return kind == SymKind::end || kind == SymKind::inline_site_end || kind == SymKind::proc_id_end;
}

}  // namespace symcached::pdb
