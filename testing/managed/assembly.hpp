#pragma once
/// Metadata of an assembly put together from types and their methods.
#include <cstdint>
#include <string>
#include <vector>

#include "testing/managed/metadata_image.hpp"

namespace symcached::testkit {

struct MethodSpec {
  std::string name;
  std::vector<std::vector<std::byte>> parameters = {};  ///< their types as signatures have them
  std::vector<std::string> names = {};                  ///< of the first parameters
  std::vector<std::string> generics = {};
};
struct TypeSpec {
  std::string name;
  std::string name_space = {};
  std::uint32_t enclosing = 0;  ///< row of the type it stands in
  std::vector<MethodSpec> methods = {};
  std::vector<std::string> generics = {};  ///< with those of the types it stands in
};
struct Assembly {
  std::vector<TypeSpec> types = {};  ///< the first is <Module>
  bool pointers = false;             ///< methods and parameters are listed by pointers, the methods backwards
};

namespace detail {

inline std::vector<std::byte> signature_of(const MethodSpec& method) {
  Section out;
  out.u8(method.generics.empty() ? 0x00 : 0x10);
  if (!method.generics.empty()) put_number(out, static_cast<std::uint32_t>(method.generics.size()));
  put_number(out, static_cast<std::uint32_t>(method.parameters.size())).u8(0x01);
  for (const auto& type : method.parameters) out.bytes(type);
  return out.finish();
}

struct GenericOwner {
  std::uint32_t tag, row;
  const std::vector<std::string>* names;
};

inline void put_generics(MetadataImage& out, std::vector<GenericOwner> owners) {
  using ppdb::Table;
  std::ranges::sort(owners, {}, [](const GenericOwner& o) { return o.row << 1 | o.tag; });
  for (const GenericOwner& owner : owners)
    for (std::uint32_t number = 0; number < owner.names->size(); ++number)
      out.row(Table::generic_param, {cell::u16(number), cell::u16(0),
                                     cell::coded(1, {Table::type_def, Table::method_def}, owner.tag, owner.row),
                                     cell::string(out.string((*owner.names)[number]))});
}

inline void put_method(MetadataImage& out, const MethodSpec& method) {
  using ppdb::Table;
  const std::uint32_t params = out.rows(Table::param) + 1;
  out.row(Table::method_def, {cell::u32(0), cell::u16(0), cell::u16(0x16), cell::string(out.string(method.name)),
                              cell::blob(out.blob(signature_of(method))), cell::row(Table::param, params)});
  for (std::uint32_t i = 0; i < method.names.size(); ++i)
    out.row(Table::param, {cell::u16(0), cell::u16(i + 1), cell::string(out.string(method.names[i]))});
}

}  // namespace detail

/// Besides: TypeRef 1 is List`1, TypeSpec 1 an array of those, TypeSpec 2 an array of itself.
inline Section assemble(const Assembly& assembly) {
  using ppdb::Table;
  MetadataImage out;
  if (assembly.pointers) out.tables_name = "#-";
  const auto mvid = out.guid(std::vector<std::byte>(16, std::byte{7}));
  out.row(Table::module,
          {cell::u16(0), cell::string(out.string("app.dll")), cell::guid(mvid), cell::guid(0), cell::guid(0)});
  out.row(Table::type_ref,
          {cell::coded(2, {Table::module, Table::module_ref, Table::assembly_ref, Table::type_ref}, 0, 1),
           cell::string(out.string("List`1")), cell::string(out.string("System.Collections.Generic"))});
  out.row(Table::type_spec, {cell::blob(out.blob(Section().u8(0x1D).u8(0x12).u8(1 << 2 | 1).finish()))});
  out.row(Table::type_spec, {cell::blob(out.blob(Section().u8(0x1D).u8(0x12).u8(2 << 2 | 2).finish()))});
  std::vector<detail::GenericOwner> generics;
  for (const TypeSpec& type : assembly.types) {
    const std::uint32_t number = out.row(
        Table::type_def,
        {cell::u32(0), cell::string(out.string(type.name)), cell::string(out.string(type.name_space)),
         cell::coded(2, {Table::type_def, Table::type_ref, Table::type_spec}, 0, 0), cell::row(Table::field, 1),
         cell::row(assembly.pointers ? Table::method_ptr : Table::method_def, out.rows(Table::method_def) + 1)});
    generics.push_back({0, number, &type.generics});
    for (const MethodSpec& method : type.methods) {
      detail::put_method(out, method);
      generics.push_back({1, out.rows(Table::method_def), &method.generics});
    }
    if (type.enclosing != 0)
      out.row(Table::nested_class, {cell::row(Table::type_def, number), cell::row(Table::type_def, type.enclosing)});
  }
  detail::put_generics(out, generics);
  for (std::uint32_t i = 0; assembly.pointers && i < out.rows(Table::method_def); ++i)
    out.row(Table::method_ptr, {cell::row(Table::method_def, out.rows(Table::method_def) - i)});
  for (std::uint32_t i = 1; assembly.pointers && i <= out.rows(Table::param); ++i)
    out.row(Table::param_ptr, {cell::row(Table::param, i)});
  return out.assemble();
}

/// A global function, nested generic types, an iterator, a name that has to be escaped.
inline Assembly rich_assembly_spec() {
  const auto type = [](std::initializer_list<int> bytes) {
    Section out;
    for (const int b : bytes) out.u8(static_cast<std::uint8_t>(b));
    return out.finish();
  };
  Assembly spec;
  spec.types = {
      {.name = "<Module>", .methods = {{.name = "global", .parameters = {type({0x08})}, .names = {"x"}}}},
      {.name = "Outer`1",
       .name_space = "App",
       .methods = {{.name = "Run", .parameters = {type({0x1D, 0x0E})}, .names = {"args"}}},
       .generics = {"T"}},
      {.name = "IEmpty", .name_space = "App"},
      {.name = "Inner`1",
       .enclosing = 2,
       .methods = {{.name = "Generic",
                    .parameters = {type({0x13, 0}), type({0x13, 1}), type({0x1E, 0}), type({0x1E, 1})},
                    .names = {"t", "u", "v"},
                    .generics = {"V", "W"}}},
       .generics = {"T", "U"}},
      {.name = "<Run>d__0", .enclosing = 2, .methods = {{.name = "MoveNext"}}, .generics = {"T"}},
      {.name = "Odd+,Name", .name_space = "App", .methods = {{.name = "Last"}}},
  };
  return spec;
}

inline Section rich_assembly() { return assemble(rich_assembly_spec()); }

}  // namespace symcached::testkit
