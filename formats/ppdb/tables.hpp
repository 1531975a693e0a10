#pragma once
/// The tables of .NET metadata: their numbers, their columns, and how wide a row is.
/// Spec: ECMA-335, II.22 and II.24.2.6; Portable PDB v1.0 for the tables from 0x30 on; docs/formats/portable_pdb.md.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace symcached::ppdb {

/// Number of a table; also the top byte of a token.
enum class Table : std::uint8_t {
  module = 0x00,
  type_ref = 0x01,
  type_def = 0x02,
  field_ptr = 0x03,
  field = 0x04,
  method_ptr = 0x05,
  method_def = 0x06,
  param_ptr = 0x07,
  param = 0x08,
  interface_impl = 0x09,
  member_ref = 0x0A,
  constant = 0x0B,
  custom_attribute = 0x0C,
  field_marshal = 0x0D,
  decl_security = 0x0E,
  class_layout = 0x0F,
  field_layout = 0x10,
  stand_alone_sig = 0x11,
  event_map = 0x12,
  event_ptr = 0x13,
  event = 0x14,
  property_map = 0x15,
  property_ptr = 0x16,
  property = 0x17,
  method_semantics = 0x18,
  method_impl = 0x19,
  module_ref = 0x1A,
  type_spec = 0x1B,
  impl_map = 0x1C,
  field_rva = 0x1D,
  enc_log = 0x1E,
  enc_map = 0x1F,
  assembly = 0x20,
  assembly_processor = 0x21,
  assembly_os = 0x22,
  assembly_ref = 0x23,
  assembly_ref_processor = 0x24,
  assembly_ref_os = 0x25,
  file = 0x26,
  exported_type = 0x27,
  manifest_resource = 0x28,
  nested_class = 0x29,
  generic_param = 0x2A,
  method_spec = 0x2B,
  generic_param_constraint = 0x2C,
  document = 0x30,
  method_debug_information = 0x31,
  local_scope = 0x32,
  local_variable = 0x33,
  local_constant = 0x34,
  import_scope = 0x35,
  state_machine_method = 0x36,
  custom_debug_information = 0x37,
};
inline constexpr std::size_t kTableCount = 0x38;
inline constexpr std::uint8_t kFirstDebugTable = 0x30;  ///< the ones below describe types and code
inline constexpr std::uint8_t kLastTypeTable = 0x2C;
inline constexpr std::size_t kMaxColumns = 9;

/// Indexes of columns, for Row::operator[]. Only those that are read.
struct ModuleColumn {
  enum : unsigned { generation, name, mvid };
};
struct TypeRefColumn {
  enum : unsigned { scope, name, name_space };
};
struct TypeDefColumn {
  enum : unsigned { flags, name, name_space, extends, fields, methods };
};
struct MethodDefColumn {
  enum : unsigned { rva, impl_flags, flags, name, signature, params };
};
struct ParamColumn {
  enum : unsigned { flags, sequence, name };
};
struct PtrColumn {
  enum : unsigned { row };
};
struct TypeSpecColumn {
  enum : unsigned { signature };
};
struct NestedClassColumn {
  enum : unsigned { nested, enclosing };
};
struct GenericParamColumn {
  enum : unsigned { number, flags, owner, name };
};
struct DocumentColumn {
  enum : unsigned { name, hash_algorithm, hash, language };
};
struct MethodDebugColumn {
  enum : unsigned { document, points };
};
struct LocalScopeColumn {
  enum : unsigned { method, imports, variables, constants, start, length };
};
struct StateMachineColumn {
  enum : unsigned { move_next, kickoff };
};
struct CustomDebugColumn {
  enum : unsigned { parent, kind, value };
};

/// Values of a coded index of kind TypeDefOrRef (II.24.2.6).
inline constexpr unsigned kTypeDefOrRefBits = 2;
inline constexpr unsigned kTypeOrMethodDefBits = 1;  ///< TypeOrMethodDef: 0 = TypeDef, 1 = MethodDef
inline constexpr unsigned kHasCustomDebugBits = 5;

/// What the widths of all indexes follow from.
struct IndexSizes {
  bool wide_strings = false;  ///< offsets into #Strings have 4 bytes
  bool wide_guids = false;
  bool wide_blobs = false;
  std::array<std::uint32_t, kTableCount> rows{};  ///< as references see them: a PDB's type tables are elsewhere
};

struct Cell {
  std::uint8_t offset = 0;  ///< bytes into the row
  std::uint8_t width = 0;   ///< 1, 2 or 4 bytes; 0 = the table has no such column
};
struct RowLayout {
  std::array<Cell, kMaxColumns> cells{};
  std::uint8_t size = 0;  ///< bytes of a row; 0 = there is no such table
};

/// Cost: at most kMaxColumns steps.
RowLayout layout_of(Table table, const IndexSizes& sizes);

}  // namespace symcached::ppdb
