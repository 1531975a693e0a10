#include "formats/ppdb/tables.hpp"

#include <algorithm>
#include <initializer_list>

namespace symcached::ppdb {
namespace {

constexpr std::uint8_t kNoTable = 0xFF;  ///< a tag without a meaning

/// What a column holds. A row of the schema below is read like the row's table in the specification.
struct Column {
  enum class Kind : std::uint8_t { none, u8, u16, u32, string, guid, blob, row, coded };
  Kind kind = Kind::none;
  std::uint8_t target = 0;  ///< row: the table; coded: index into kCoded
};

constexpr Column kU8{Column::Kind::u8}, kU16{Column::Kind::u16}, kU32{Column::Kind::u32};
constexpr Column kString{Column::Kind::string}, kGuid{Column::Kind::guid}, kBlob{Column::Kind::blob};
constexpr Column row_of(Table table) { return {Column::Kind::row, static_cast<std::uint8_t>(table)}; }

enum class Coded : std::uint8_t {
  type_def_or_ref,
  has_constant,
  has_custom_attribute,
  has_field_marshal,
  has_decl_security,
  member_ref_parent,
  has_semantics,
  method_def_or_ref,
  member_forwarded,
  implementation,
  custom_attribute_type,
  resolution_scope,
  type_or_method_def,
  has_custom_debug_information,
};
constexpr Column coded(Coded which) { return {Column::Kind::coded, static_cast<std::uint8_t>(which)}; }

struct CodedIndex {
  std::uint8_t bits;  ///< of the tag
  std::uint8_t count;
  std::array<std::uint8_t, 27> tables;  ///< by tag
};
constexpr CodedIndex tagged(std::uint8_t bits, std::initializer_list<std::uint8_t> tables) {
  CodedIndex made{bits, static_cast<std::uint8_t>(tables.size()), {}};
  std::copy(tables.begin(), tables.end(), made.tables.begin());
  return made;
}

/// II.24.2.6, and HasCustomDebugInformation of the Portable PDB specification. In the order of Coded.
constexpr CodedIndex kCoded[] = {
    tagged(2, {0x02, 0x01, 0x1B}),
    tagged(2, {0x04, 0x08, 0x17}),
    tagged(5, {0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00, 0x0E, 0x17, 0x14,
               0x11, 0x1A, 0x1B, 0x20, 0x23, 0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B}),
    tagged(1, {0x04, 0x08}),
    tagged(2, {0x02, 0x06, 0x20}),
    tagged(3, {0x02, 0x01, 0x1A, 0x06, 0x1B}),
    tagged(1, {0x14, 0x17}),
    tagged(1, {0x06, 0x0A}),
    tagged(1, {0x04, 0x06}),
    tagged(2, {0x26, 0x23, 0x27}),
    tagged(3, {kNoTable, kNoTable, 0x06, 0x0A, kNoTable}),
    tagged(2, {0x00, 0x1A, 0x23, 0x01}),
    tagged(1, {0x02, 0x06}),
    tagged(5, {0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00, 0x0E, 0x17, 0x14, 0x11, 0x1A, 0x1B,
               0x20, 0x23, 0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B, 0x30, 0x32, 0x33, 0x34, 0x35}),
};

using Schema = std::array<Column, kMaxColumns>;
constexpr std::array<Schema, kTableCount> make_schemas() {
  std::array<Schema, kTableCount> all{};
  const auto set = [&](Table table, std::initializer_list<Column> columns) {
    std::copy(columns.begin(), columns.end(), all[static_cast<std::size_t>(table)].begin());
  };
  const Column type = row_of(Table::type_def), method = row_of(Table::method_def), field = row_of(Table::field);
  const Column any_type = coded(Coded::type_def_or_ref), any_method = coded(Coded::method_def_or_ref);
  set(Table::module, {kU16, kString, kGuid, kGuid, kGuid});
  set(Table::type_ref, {coded(Coded::resolution_scope), kString, kString});
  set(Table::type_def, {kU32, kString, kString, any_type, row_of(Table::field), row_of(Table::method_def)});
  set(Table::field_ptr, {field});
  set(Table::field, {kU16, kString, kBlob});
  set(Table::method_ptr, {method});
  set(Table::method_def, {kU32, kU16, kU16, kString, kBlob, row_of(Table::param)});
  set(Table::param_ptr, {row_of(Table::param)});
  set(Table::param, {kU16, kU16, kString});
  set(Table::interface_impl, {type, any_type});
  set(Table::member_ref, {coded(Coded::member_ref_parent), kString, kBlob});
  set(Table::constant, {kU8, kU8, coded(Coded::has_constant), kBlob});
  set(Table::custom_attribute, {coded(Coded::has_custom_attribute), coded(Coded::custom_attribute_type), kBlob});
  set(Table::field_marshal, {coded(Coded::has_field_marshal), kBlob});
  set(Table::decl_security, {kU16, coded(Coded::has_decl_security), kBlob});
  set(Table::class_layout, {kU16, kU32, type});
  set(Table::field_layout, {kU32, field});
  set(Table::stand_alone_sig, {kBlob});
  set(Table::event_map, {type, row_of(Table::event)});
  set(Table::event_ptr, {row_of(Table::event)});
  set(Table::event, {kU16, kString, any_type});
  set(Table::property_map, {type, row_of(Table::property)});
  set(Table::property_ptr, {row_of(Table::property)});
  set(Table::property, {kU16, kString, kBlob});
  set(Table::method_semantics, {kU16, method, coded(Coded::has_semantics)});
  set(Table::method_impl, {type, any_method, any_method});
  set(Table::module_ref, {kString});
  set(Table::type_spec, {kBlob});
  set(Table::impl_map, {kU16, coded(Coded::member_forwarded), kString, row_of(Table::module_ref)});
  set(Table::field_rva, {kU32, field});
  set(Table::enc_log, {kU32, kU32});
  set(Table::enc_map, {kU32});
  set(Table::assembly, {kU32, kU16, kU16, kU16, kU16, kU32, kBlob, kString, kString});
  set(Table::assembly_processor, {kU32});
  set(Table::assembly_os, {kU32, kU32, kU32});
  set(Table::assembly_ref, {kU16, kU16, kU16, kU16, kU32, kBlob, kString, kString, kBlob});
  set(Table::assembly_ref_processor, {kU32, row_of(Table::assembly_ref)});
  set(Table::assembly_ref_os, {kU32, kU32, kU32, row_of(Table::assembly_ref)});
  set(Table::file, {kU32, kString, kBlob});
  set(Table::exported_type, {kU32, kU32, kString, kString, coded(Coded::implementation)});
  set(Table::manifest_resource, {kU32, kU32, kString, coded(Coded::implementation)});
  set(Table::nested_class, {type, type});
  set(Table::generic_param, {kU16, kU16, coded(Coded::type_or_method_def), kString});
  set(Table::method_spec, {any_method, kBlob});
  set(Table::generic_param_constraint, {row_of(Table::generic_param), any_type});
  set(Table::document, {kBlob, kGuid, kBlob, kGuid});
  set(Table::method_debug_information, {row_of(Table::document), kBlob});
  set(Table::local_scope,
      {method, row_of(Table::import_scope), row_of(Table::local_variable), row_of(Table::local_constant), kU32, kU32});
  set(Table::local_variable, {kU16, kU16, kString});
  set(Table::local_constant, {kString, kBlob});
  set(Table::import_scope, {row_of(Table::import_scope), kBlob});
  set(Table::state_machine_method, {method, method});
  set(Table::custom_debug_information, {coded(Coded::has_custom_debug_information), kGuid, kBlob});
  return all;
}
constexpr std::array<Schema, kTableCount> kSchemas = make_schemas();

/// In uncompressed metadata (#-) lists of members go through a table of pointers, if it has rows.
constexpr std::uint8_t pointer_table(Table table, std::uint8_t target) {
  const auto leads = [&](Table from, Table to, Table through) {
    return table == from && target == static_cast<std::uint8_t>(to) ? static_cast<std::uint8_t>(through) : kNoTable;
  };
  return std::min({leads(Table::type_def, Table::field, Table::field_ptr),
                   leads(Table::type_def, Table::method_def, Table::method_ptr),
                   leads(Table::method_def, Table::param, Table::param_ptr),
                   leads(Table::event_map, Table::event, Table::event_ptr),
                   leads(Table::property_map, Table::property, Table::property_ptr)});
}

std::uint8_t width_of(Table table, Column column, const IndexSizes& sizes) {
  const auto wide = [](bool is) { return static_cast<std::uint8_t>(is ? 4 : 2); };
  switch (column.kind) {
    case Column::Kind::none: return 0;
    case Column::Kind::u8: return 1;
    case Column::Kind::u16: return 2;
    case Column::Kind::u32: return 4;
    case Column::Kind::string: return wide(sizes.wide_strings);
    case Column::Kind::guid: return wide(sizes.wide_guids);
    case Column::Kind::blob: return wide(sizes.wide_blobs);
    case Column::Kind::row: {
      const std::uint8_t through = pointer_table(table, column.target);
      const bool indirect = through != kNoTable && sizes.rows[through] != 0;
      return wide(sizes.rows[indirect ? through : column.target] > 0xFFFF);
    }
    case Column::Kind::coded: break;
  }
  const CodedIndex& index = kCoded[column.target];
  std::uint32_t most = 0;
  for (std::size_t tag = 0; tag < index.count; ++tag)
    if (index.tables[tag] != kNoTable) most = std::max(most, sizes.rows[index.tables[tag]]);
  return wide(most > 0xFFFFu >> index.bits);
}

}  // namespace

RowLayout layout_of(Table table, const IndexSizes& sizes) {
  RowLayout layout;
  const Schema& schema = kSchemas[static_cast<std::size_t>(table)];
  for (std::size_t i = 0; i < kMaxColumns; ++i) {
    layout.cells[i] = {layout.size, width_of(table, schema[i], sizes)};
    layout.size = static_cast<std::uint8_t>(layout.size + layout.cells[i].width);
  }
  return layout;
}

}  // namespace symcached::ppdb
