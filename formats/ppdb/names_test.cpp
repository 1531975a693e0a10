#include "formats/ppdb/names.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/ppdb/signatures.hpp"
#include "testing/managed/assembly.hpp"

namespace symcached::ppdb {
namespace {

using testkit::Assembly;
using testkit::MethodSpec;
using testkit::Section;
using testkit::TypeSpec;

constexpr auto kTrace = NameStyle::stack_trace;
constexpr auto kReflection = NameStyle::reflection;
constexpr auto kListed = Parameters::listed;

std::string name_of(Bytes bytes, std::uint32_t method, NameStyle style = kTrace, Parameters parameters = kListed) {
  const auto metadata = Metadata::open(bytes);
  if (!metadata) return to_string(metadata.error());
  const auto names = Names::open(*metadata);
  const auto name = names->method(method, style, parameters);
  return name ? *name : "! " + std::string(name.error().field);
}

TEST(Names, TypesMethodsAndParameters) {
  const auto bytes = testkit::rich_assembly().finish();
  const auto metadata = Metadata::open(bytes);
  ASSERT_TRUE(metadata) << to_string(metadata.error());
  const auto names = Names::open(*metadata);
  ASSERT_TRUE(names);
  EXPECT_EQ(*names->module(), "app.dll");
  struct NameRow {
    std::uint32_t method;
    std::string_view trace, reflection, readable;
  };
  const NameRow rows[] = {
      {1, "global(Int32 x)", "global(Int32)", "global"},
      {2, "App.Outer`1.Run(String[] args)", "App.Outer`1.Run(String[])", "App.Outer<T>.Run"},
      {3, "App.Outer`1.Inner`1.Generic[V,W](T t, U u, V v, W)", "App.Outer`1+Inner`1.Generic[V,W](T, U, V, W)",
       "App.Outer<T>.Inner<U>.Generic<V,W>"},
      {4, "App.Outer`1.<Run>d__0.MoveNext()", "App.Outer`1+<Run>d__0.MoveNext()", "App.Outer<T>.Run"},
      {5, "App.Odd\\+\\,Name.Last()", "App.Odd\\+\\,Name.Last()", "App.Odd+,Name.Last"},
  };
  for (const NameRow& r : rows) {
    EXPECT_EQ(*names->method(r.method, kTrace, kListed), r.trace);
    EXPECT_EQ(*names->method(r.method, kReflection, kListed), r.reflection);
    EXPECT_EQ(*names->method(r.method, kTrace, Parameters::none), r.trace.substr(0, r.trace.find('(')));
    EXPECT_EQ(*names->readable(r.method), r.readable);
  }
  EXPECT_EQ(*names->type(4, kReflection), "App.Outer`1+Inner`1");
  EXPECT_EQ(*names->type(4, kTrace), "App.Outer`1.Inner`1");
  EXPECT_EQ(*names->declaring_type(3), 4u);
  EXPECT_EQ(*names->simple_name(4), "MoveNext");
  for (const std::uint32_t none : {0u, 6u, 0xFFFFFFFFu}) {
    EXPECT_FALSE(names->method(none, kTrace, kListed)) << none;
    EXPECT_FALSE(names->declaring_type(none)) << none;
    EXPECT_FALSE(names->simple_name(none)) << none;
    EXPECT_FALSE(names->readable(none)) << none;
  }
  EXPECT_FALSE(names->type(0, kTrace));
  EXPECT_FALSE(names->type(99, kTrace));
}

TEST(Names, MembersListedByPointers) {
  Assembly spec = testkit::rich_assembly_spec();
  spec.pointers = true;
  const auto bytes = testkit::assemble(spec).finish();
  // The pointers run backwards: the last method of the table stands in the first type.
  EXPECT_EQ(name_of(bytes, 5, kTrace, Parameters::none), "Last");
  EXPECT_EQ(name_of(bytes, 4, kTrace, Parameters::none), "App.Outer`1.MoveNext");
  EXPECT_EQ(name_of(bytes, 1, kTrace, Parameters::none), "App.Odd\\+\\,Name.global");
}

TEST(Names, ShortNamesOfTypes) {  // ECMA-335, II.23.2.12
  struct TypeRow {
    std::string_view why;
    std::vector<std::byte> type;
    std::string_view want;
  };
  const auto bytes_of = [](std::initializer_list<int> values) {
    Section out;
    for (const int value : values) out.u8(static_cast<std::uint8_t>(value));
    return out.finish();
  };
  const TypeRow rows[] = {
      {"Boolean", bytes_of({0x02}), "Boolean"},
      {"Char", bytes_of({0x03}), "Char"},
      {"SByte", bytes_of({0x04}), "SByte"},
      {"Byte", bytes_of({0x05}), "Byte"},
      {"Int16", bytes_of({0x06}), "Int16"},
      {"UInt16", bytes_of({0x07}), "UInt16"},
      {"Int32", bytes_of({0x08}), "Int32"},
      {"UInt32", bytes_of({0x09}), "UInt32"},
      {"Int64", bytes_of({0x0A}), "Int64"},
      {"UInt64", bytes_of({0x0B}), "UInt64"},
      {"Single", bytes_of({0x0C}), "Single"},
      {"Double", bytes_of({0x0D}), "Double"},
      {"String", bytes_of({0x0E}), "String"},
      {"TypedReference", bytes_of({0x16}), "TypedReference"},
      {"IntPtr", bytes_of({0x18}), "IntPtr"},
      {"UIntPtr", bytes_of({0x19}), "UIntPtr"},
      {"Object", bytes_of({0x1C}), "Object"},
      {"a pointer to a pointer to nothing", bytes_of({0x0F, 0x0F, 0x01}), "Void**"},
      {"a reference to an array", bytes_of({0x10, 0x1D, 0x0E}), "String[]&"},
      {"an array of arrays", bytes_of({0x1D, 0x1D, 0x08}), "Int32[][]"},
      {"two dimensions", bytes_of({0x14, 0x08, 2, 0, 0}), "Int32[,]"},
      {"with sizes and bounds", bytes_of({0x14, 0x08, 3, 2, 4, 5, 2, 0, 2}), "Int32[,,]"},
      {"one dimension that starts elsewhere", bytes_of({0x14, 0x08, 1, 0, 1, 2}), "Int32[*]"},
      {"a class of this assembly", bytes_of({0x12, 2 << 2}), "Outer`1"},
      {"a value type of another", bytes_of({0x11, 1 << 2 | 1}), "List`1"},
      {"a type by its specification", bytes_of({0x12, 1 << 2 | 2}), "List`1[]"},
      {"an instance of a generic type", bytes_of({0x15, 0x12, 1 << 2 | 1, 2, 0x0E, 0x1D, 0x08}), "List`1"},
      {"an array of instances", bytes_of({0x1D, 0x15, 0x12, 1 << 2 | 1, 1, 0x0E}), "List`1[]"},
      {"a type's parameter", bytes_of({0x13, 0}), "T"},
      {"a type's parameter that is not there", bytes_of({0x13, 9}), "!9"},
      {"a method's parameter that is not there", bytes_of({0x1E, 0x81, 0x00}), "!!256"},
      {"modifiers", bytes_of({0x1F, 5, 0x20, 9, 0x45, 0x08}), "Int32"},
      {"a function pointer", bytes_of({0x1B, 0x10, 1, 2, 0x01, 0x08, 0x0E}), "(fnptr)"},
      {"nothing", {}, "! ppdb.signature"},
      {"no element", bytes_of({0x17}), "! ppdb.signature"},
      {"no element either", bytes_of({0x00}), "! ppdb.signature"},
      {"an array of no dimension", bytes_of({0x14, 0x08, 0, 0, 0}), "! ppdb.signature"},
      {"more sizes than there are", bytes_of({0x14, 0x08, 2, 9, 0}), "! ppdb.signature"},
      {"a pointer to nothing at all", bytes_of({0x0F}), "! ppdb.signature"},
      {"a class that is not there", bytes_of({0x12, 99}), "! ppdb.signature"},
      {"a class of no table", bytes_of({0x12, 1 << 2 | 3}), "! ppdb.signature"},
      {"a specification of itself", bytes_of({0x12, 2 << 2 | 2}), "! ppdb.signature"},
      {"63 pointers", Section().bytes(std::vector<std::byte>(63, std::byte{0x0F})).u8(8).finish(),
       "Int32***************************************************************"},
      {"64 pointers", Section().bytes(std::vector<std::byte>(64, std::byte{0x0F})).u8(8).finish(), "! ppdb.signature"},
      {"modifiers without end", Section().bytes(std::vector<std::byte>(kMaxTypeParts + 1, std::byte{0x45})).finish(),
       "! ppdb.signature"},
  };
  for (const TypeRow& r : rows) {
    Assembly spec = testkit::rich_assembly_spec();
    spec.types[1].methods[0].parameters = {r.type};
    spec.types[1].methods[0].names = {};
    const auto bytes = testkit::assemble(spec).finish();
    const std::string name = name_of(bytes, 2);
    const std::string want = r.want.starts_with('!') && r.want[1] == ' '
                                 ? std::string(r.want)
                                 : "App.Outer`1.Run(" + std::string(r.want) + ")";
    EXPECT_EQ(name, want) << r.why;
  }
}

TEST(Names, WhatRepeatsIsBounded) {
  Assembly spec;
  spec.types = {{.name = "<Module>"},
                {.name = "Loop", .enclosing = 3, .methods = {{.name = "a"}}},
                {.name = "Back", .enclosing = 2, .methods = {{.name = "b"}}},
                {.name = std::string(kMaxName, 'n'), .methods = {{.name = "c"}}},
                {.name = "Many", .methods = {{.name = "d"}}}};
  spec.types[4].methods[0].parameters.assign(100, Section().u8(0x12).u8(4 << 2).finish());
  auto bytes = testkit::assemble(spec).finish();
  EXPECT_EQ(name_of(bytes, 1), "! ppdb.nested_class");
  EXPECT_EQ(name_of(bytes, 2), "! ppdb.nested_class");
  EXPECT_EQ(name_of(bytes, 3), "! ppdb.method_def.name");
  EXPECT_EQ(name_of(bytes, 4), "! ppdb.method_def.name");
  EXPECT_EQ(name_of(bytes, 4, kTrace, Parameters::none), "Many.d");
}

TEST(Names, AMethodInNoTypeIsAnError) {
  testkit::MetadataImage image;
  namespace cell = testkit::cell;
  const auto name = image.string("lost");
  image.row(Table::method_def,
            {cell::u32(0), cell::u16(0), cell::u16(0), cell::string(name), cell::blob(0), cell::row(Table::param, 1)});
  const auto bytes = image.assemble().finish();
  EXPECT_EQ(name_of(bytes, 1), "! ppdb.type_def.methods");
}

}  // namespace
}  // namespace symcached::ppdb
