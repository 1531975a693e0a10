#include "formats/ppdb/metadata.hpp"

#include <gtest/gtest.h>

#include "testing/managed/portable_pdb.hpp"

namespace symcached::ppdb {
namespace {

using testkit::assemble;
using testkit::MetadataImage;
using testkit::patch;
using testkit::rich_pdb_spec;
using testkit::Section;
namespace cell = testkit::cell;

TEST(Metadata, RowsAreAsWideAsTheSpecificationSays) {  // ECMA-335 II.22, Portable PDB v1.0
  struct WidthRow {
    Table table;
    std::uint8_t narrow, wide;  ///< bytes when all indexes have 2, and when all have 4
  };
  const WidthRow rows[] = {
      {Table::module, 10, 18},
      {Table::type_ref, 6, 12},
      {Table::type_def, 14, 24},
      {Table::field_ptr, 2, 4},
      {Table::field, 6, 10},
      {Table::method_ptr, 2, 4},
      {Table::method_def, 14, 20},
      {Table::param_ptr, 2, 4},
      {Table::param, 6, 8},
      {Table::interface_impl, 4, 8},
      {Table::member_ref, 6, 12},
      {Table::constant, 6, 10},
      {Table::custom_attribute, 6, 12},
      {Table::field_marshal, 4, 8},
      {Table::decl_security, 6, 10},
      {Table::class_layout, 8, 10},
      {Table::field_layout, 6, 8},
      {Table::stand_alone_sig, 2, 4},
      {Table::event_map, 4, 8},
      {Table::event_ptr, 2, 4},
      {Table::event, 6, 10},
      {Table::property_map, 4, 8},
      {Table::property_ptr, 2, 4},
      {Table::property, 6, 10},
      {Table::method_semantics, 6, 10},
      {Table::method_impl, 6, 12},
      {Table::module_ref, 2, 4},
      {Table::type_spec, 2, 4},
      {Table::impl_map, 8, 14},
      {Table::field_rva, 6, 8},
      {Table::enc_log, 8, 8},
      {Table::enc_map, 4, 4},
      {Table::assembly, 22, 28},
      {Table::assembly_processor, 4, 4},
      {Table::assembly_os, 12, 12},
      {Table::assembly_ref, 20, 28},
      {Table::assembly_ref_processor, 6, 8},
      {Table::assembly_ref_os, 14, 16},
      {Table::file, 8, 12},
      {Table::exported_type, 14, 20},
      {Table::manifest_resource, 12, 16},
      {Table::nested_class, 4, 8},
      {Table::generic_param, 8, 12},
      {Table::method_spec, 4, 8},
      {Table::generic_param_constraint, 4, 8},
      {Table::document, 8, 16},
      {Table::method_debug_information, 4, 8},
      {Table::local_scope, 16, 24},
      {Table::local_variable, 6, 8},
      {Table::local_constant, 4, 8},
      {Table::import_scope, 4, 8},
      {Table::state_machine_method, 4, 8},
      {Table::custom_debug_information, 6, 12},
  };
  IndexSizes wide{.wide_strings = true, .wide_guids = true, .wide_blobs = true};
  wide.rows.fill(0x10000);
  for (const WidthRow& r : rows) {
    EXPECT_EQ(layout_of(r.table, {}).size, r.narrow) << static_cast<int>(r.table);
    EXPECT_EQ(layout_of(r.table, wide).size, r.wide) << static_cast<int>(r.table);
  }
  EXPECT_EQ(std::size(rows), 0x2D + 8u);
  EXPECT_EQ(layout_of(static_cast<Table>(0x2D), wide).size, 0);
}

TEST(Metadata, IndexesGrowWithTheRowsTheyPointTo) {
  struct GrowRow {
    std::string_view why;
    Table table;
    unsigned column;
    std::uint32_t most;  ///< rows that an index of 2 bytes still reaches
    std::vector<int> targets;
  };
  const GrowRow rows[] = {
      {"a plain index", Table::nested_class, 1, 0xFFFF, {0x02}},
      {"fields", Table::type_def, 4, 0xFFFF, {0x04}},
      {"methods", Table::type_def, 5, 0xFFFF, {0x06}},
      {"methods by way of pointers", Table::type_def, 5, 0xFFFF, {0x05}},
      {"parameters", Table::method_def, 5, 0xFFFF, {0x08}},
      {"documents", Table::method_debug_information, 0, 0xFFFF, {0x30}},
      {"TypeDefOrRef", Table::type_def, 3, 0x3FFF, {0x02, 0x01, 0x1B}},
      {"HasConstant", Table::constant, 2, 0x3FFF, {0x04, 0x08, 0x17}},
      {"HasCustomAttribute", Table::custom_attribute, 0, 0x7FF, {0x06, 0x04, 0x01, 0x02, 0x08, 0x09, 0x0A, 0x00,
                                                                 0x0E, 0x17, 0x14, 0x11, 0x1A, 0x1B, 0x20, 0x23,
                                                                 0x26, 0x27, 0x28, 0x2A, 0x2C, 0x2B}},
      {"HasFieldMarshal", Table::field_marshal, 0, 0x7FFF, {0x04, 0x08}},
      {"HasDeclSecurity", Table::decl_security, 1, 0x3FFF, {0x02, 0x06, 0x20}},
      {"MemberRefParent", Table::member_ref, 0, 0x1FFF, {0x02, 0x01, 0x1A, 0x06, 0x1B}},
      {"HasSemantics", Table::method_semantics, 2, 0x7FFF, {0x14, 0x17}},
      {"MethodDefOrRef", Table::method_spec, 0, 0x7FFF, {0x06, 0x0A}},
      {"MemberForwarded", Table::impl_map, 1, 0x7FFF, {0x04, 0x06}},
      {"Implementation", Table::exported_type, 4, 0x3FFF, {0x26, 0x23, 0x27}},
      {"CustomAttributeType", Table::custom_attribute, 1, 0x1FFF, {0x06, 0x0A}},
      {"ResolutionScope", Table::type_ref, 0, 0x3FFF, {0x00, 0x1A, 0x23, 0x01}},
      {"TypeOrMethodDef", Table::generic_param, 2, 0x7FFF, {0x02, 0x06}},
      {"HasCustomDebugInformation", Table::custom_debug_information, 0, 0x7FF, {0x06, 0x04, 0x01, 0x02, 0x08, 0x09,
                                                                                0x0A, 0x00, 0x0E, 0x17, 0x14, 0x11,
                                                                                0x1A, 0x1B, 0x20, 0x23, 0x26, 0x27,
                                                                                0x28, 0x2A, 0x2C, 0x2B, 0x30, 0x32,
                                                                                0x33, 0x34, 0x35}},
  };
  for (const GrowRow& r : rows) {
    for (int table = 0; table < static_cast<int>(kTableCount); ++table) {
      const bool is_target = std::ranges::find(r.targets, table) != r.targets.end();
      IndexSizes sizes;
      sizes.rows[static_cast<std::size_t>(table)] = r.most;
      EXPECT_EQ(layout_of(r.table, sizes).cells[r.column].width, 2) << r.why << " " << table;
      sizes.rows[static_cast<std::size_t>(table)] = r.most + 1;
      const bool through = r.column == 5 && r.table == Table::type_def && (table == 0x05 || table == 0x06);
      const bool pointers = r.table == Table::method_def && table == 0x07;
      const bool fields = r.table == Table::type_def && r.column == 4 && table == 0x03;
      const int want = is_target || through || pointers || fields ? 4 : 2;
      EXPECT_EQ(layout_of(r.table, sizes).cells[r.column].width, want) << r.why << " " << table;
    }
  }
}

TEST(Metadata, HeapsAndRows) {
  for (const int heaps : {0, 1, 2, 4, 7, 0x40, 0x47}) {
    MetadataImage spec;
    spec.heap_sizes = static_cast<std::uint8_t>(heaps);
    const auto name = spec.string("Program"), space = spec.string("App");
    const auto guid = spec.guid(testkit::guid_bytes("01020304-0506-0708-090a-0b0c0d0e0f10"));
    const auto blob = spec.blob(as_bytes(std::string(200, 'b')));
    spec.row(Table::module, {cell::u16(0), cell::string(name), cell::guid(guid), cell::guid(0), cell::guid(0)});
    for (std::uint32_t i = 0; i < 3; ++i)
      spec.row(Table::field, {cell::u16(i + 1), cell::string(space), cell::blob(blob)});
    const auto bytes = spec.assemble().finish();
    const auto metadata = Metadata::open(bytes);
    ASSERT_TRUE(metadata) << to_string(metadata.error());
    EXPECT_EQ(metadata->version(), "v4.0.30319");
    EXPECT_EQ(metadata->rows(Table::field), 3u);
    EXPECT_EQ(metadata->rows(Table::method_def), 0u);
    const auto module = metadata->row(Table::module, 1, "row");
    ASSERT_TRUE(module);
    EXPECT_EQ(*metadata->string((*module)[ModuleColumn::name], "name"), "Program");
    EXPECT_EQ(metadata->guid((*module)[ModuleColumn::mvid], "mvid")->dashed(), "01020304-0506-0708-090a-0b0c0d0e0f10");
    const Row third = metadata->at(Table::field, 3);
    EXPECT_EQ(third[0], 3u);
    EXPECT_EQ(*metadata->string(third[1], "name"), "App");
    EXPECT_EQ(metadata->blob(third[2], "blob")->size(), 200u);
    EXPECT_EQ(third[3], 0u) << "no such column";
    EXPECT_FALSE(metadata->row(Table::field, 0, "row"));
    EXPECT_FALSE(metadata->row(Table::field, 4, "row"));
    EXPECT_EQ(*metadata->string(0, "nil"), "");
    EXPECT_TRUE(metadata->guid(0, "nil")->is_zero());
    EXPECT_TRUE(metadata->blob(0, "nil")->empty());
    EXPECT_FALSE(metadata->string(1000, "outside"));
    EXPECT_FALSE(metadata->guid(2, "outside"));
    EXPECT_FALSE(metadata->blob(1000, "outside"));
  }
}

TEST(Metadata, TablesOfAPdbCountRowsOfTheAssembly) {
  MetadataImage spec;
  spec.pdb_id = std::vector<std::byte>(20);
  spec.elsewhere = {{Table::method_def, 0x10000}, {Table::type_def, 5}};
  spec.row(Table::state_machine_method, {cell::row(Table::method_def, 0x10000), cell::row(Table::method_def, 7)});
  const auto bytes = spec.assemble().finish();
  const auto metadata = Metadata::open(bytes);
  ASSERT_TRUE(metadata) << to_string(metadata.error());
  EXPECT_EQ(metadata->row_size(Table::state_machine_method), 8);
  EXPECT_EQ(metadata->referenced_rows(Table::method_def), 0x10000u);
  EXPECT_EQ(metadata->rows(Table::method_def), 0u);
  EXPECT_EQ(metadata->at(Table::state_machine_method, 1)[StateMachineColumn::move_next], 0x10000u);
}

TEST(Metadata, NamesWithoutEndAreRefused) {
  MetadataImage spec;
  const auto fits = spec.string(std::string(kMaxStringSize, 'n'));
  const auto too_long = spec.string(std::string(kMaxStringSize + 1, 'n'));
  spec.row(Table::module_ref, {cell::string(fits)});
  spec.row(Table::module_ref, {cell::string(too_long)});
  const auto bytes = spec.assemble().finish();
  const auto metadata = Metadata::open(bytes);
  ASSERT_TRUE(metadata);
  EXPECT_EQ(metadata->string(fits, "name")->size(), kMaxStringSize);
  EXPECT_EQ(metadata->string(too_long, "name").error().kind, ReadError::Kind::too_large);
}

TEST(Metadata, WrongHeadersAreNamed) {
  const Section out = assemble(rich_pdb_spec());
  struct ErrorRow {
    std::string_view why;
    std::size_t at;
    std::uint32_t value;
    std::string_view field;
  };
  const std::size_t tables = out.at("header #~"), pdb = out.at("#Pdb");
  const ErrorRow rows[] = {
      {"other magic", 0, 0x424A5341, "ppdb.root.magic"},
      {"an endless version", 12, 257, "ppdb.root.version_size"},
      {"65 streams", out.at("streams"), 65, "ppdb.root.streams"},
      {"a stream outside of the file", tables, 0x7FFFFFFF, "ppdb.stream.data"},
      {"a stream too long", tables + 4, 0x7FFFFFFF, "ppdb.stream.data"},
      {"another name", tables + 8, 0x00787823, "metadata without a table stream (ppdb.tables)"},
      {"no room for the header", tables + 4, 23, "ppdb.tables"},
      {"no room for the row counts", tables + 4, 24, "ppdb.tables.rows"},
      {"no room for the rows", tables + 4, 0x40, "ppdb.table"},
      {"tables nobody knows", out.at("valid") + 4, 0x00C32000, "ppdb.tables.valid"},
      {"tables from far away", out.at("valid") + 4, 0x80C30000, "ppdb.tables.valid"},
      {"too many rows", out.at("row_counts"), 0x1000000, "ppdb.tables.rows"},
      {"rows that are not there", out.at("row_counts"), 0xFFFFFF, "ppdb.table"},
      {"no room for the id", out.at("header #Pdb") + 4, 23, "ppdb.pdb_stream"},
      {"no room for the tables", out.at("header #Pdb") + 4, 31, "ppdb.pdb_stream.referenced_tables"},
      {"no room for rows", out.at("header #Pdb") + 4, 39, "ppdb.pdb_stream.rows"},
      {"debug tables elsewhere", pdb + 28, 0x10000, "ppdb.pdb_stream.referenced_tables"},
      {"rows that no token reaches", pdb + 32, 0x1000000, "ppdb.pdb_stream.rows"},
  };
  for (const ErrorRow& r : rows) {
    auto bytes = out.finish();
    patch(bytes, r.at, u32le(r.value));
    const auto metadata = Metadata::open(bytes);
    ASSERT_FALSE(metadata) << r.why;
    EXPECT_EQ(metadata.error().field, r.field) << r.why;
  }
}

}  // namespace
}  // namespace symcached::ppdb
