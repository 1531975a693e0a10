#pragma once
/// The calls that were inlined into one function, as its FUNCDATA has them.
/// Spec: docs/formats/gopclntab.md, "Inlined calls".
#include <cstdint>
#include <optional>
#include <span>

#include "formats/go/table.hpp"

namespace symcached::go {

/// The records of Go 1.9 to 1.11, of 1.12 to 1.19, and since.
enum class InlineForm : std::uint8_t { places, parents, starts };

/// Where a release of Go keeps its inline trees, and what their records are like.
struct InlineSpec {
  InlineForm form = InlineForm::starts;
  std::uint8_t pcdata = 2;    ///< index of the table that says which record holds for an address; negative: none does
  std::uint8_t funcdata = 3;  ///< index of the tree
};

/// The ones that tables of this form may have; none before Go 1.9.
std::span<const InlineSpec> inline_specs(Form form);

struct InlinedCall {
  std::uint32_t name = 0;           ///< for Table::name
  std::int32_t parent = -1;         ///< places, parents: the record this call is inlined into; -1 = the function
  std::int32_t file = 0, line = 0;  ///< places, parents: of the call, as pcfile and pcln have them
  std::int32_t parent_pc = 0;       ///< parents, starts: bytes from the entry to what has the call's place
};

class InlineTree {
 public:
  InlineTree() = default;
  InlineTree(Bytes records, InlineForm form, Container container);
  /// Records that the bytes have room for: how many there are is stated nowhere.
  std::uint64_t room() const { return records_.size() / size_; }
  InlinedCall operator[](std::uint64_t index) const;  ///< @param index  below room()

 private:
  Bytes records_;
  Container container_;
  InlineForm form_ = InlineForm::starts;
  std::size_t size_ = 16;
};

}  // namespace symcached::go
