#include "formats/pdb/type_text.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/pdb/codeview_records.hpp"
#include "testing/pdb/msf_file.hpp"

namespace symcached::pdb {
namespace {

using testkit::Section;
using testkit::TypeRecords;
using Mode = PointerMode;

constexpr TypeIndex kNone = 0, kVoid = 3, kBool = 0x30, kChar = 0x70, kInt = 0x74, kSize = 0x23;
constexpr std::uint32_t kConstant = 1u << 10, kVolatile = 1u << 9;

/// A file with these types in stream 0 and their hashes in stream 1.
struct Types {
  explicit Types(const TypeRecords& records, const Section& hashes = {}, std::uint64_t max_bytes = 1u << 20)
      : bytes(testkit::msf_file(
            std::vector{records.finish(1, 0, static_cast<std::uint32_t>(hashes.size())), hashes.finish()})),
        msf(*Msf::open(bytes)),
        texts(*TypeStream::open(msf, 0), max_bytes) {}
  std::string parameters(TypeIndex function) {
    const auto list = texts.list_of(function);
    return list ? std::string(texts.parameters(*list)) : std::string();
  }
  std::vector<std::byte> bytes;
  Msf msf;
  TypeTexts texts;
};

/// The text of a type as the only parameter.
struct Parameter {
  std::string_view why;
  TypeIndex type;
  std::string_view want;
};
/// @param types_of_rows  with those of the rows, which may be made after this argument is
void expect_each(const TypeRecords& types_of_rows, std::initializer_list<Parameter> rows) {
  TypeRecords records = types_of_rows;
  std::vector<TypeIndex> functions;
  for (const Parameter& r : rows) functions.push_back(records.procedure(kVoid, records.list({r.type})));
  Types types(records);
  auto function = functions.begin();
  for (const Parameter& r : rows) EXPECT_EQ(types.parameters(*function++), fmt::format("({})", r.want)) << r.why;
}

TEST(TypeText, Primitives) {
  expect_each({}, {{"nothing known, and arguments that vary", kNone, "<NoType>"},
                   {"void", kVoid, "void"},
                   {"a size", kSize, "unsigned long long"},
                   {"of Windows", 0x08, "HRESULT"},
                   {"of C++20", 0x7C, "char8_t"},
                   {"a pointer by its index", 0x600 | kChar, "char*"},
                   {"nullptr", 0x103, "void*"},
                   {"no such one", 0x1D, "<missing type 0x1d>"},
                   {"no such record", 0x90000, "<missing type 0x90000>"}});
}

TEST(TypeText, PointersAndConst) {
  TypeRecords t;
  const auto s = t.add(Leaf::structure, Section().zeros(16).u16(8).c_string("n::S"));
  const auto to_const = t.pointer(t.modifier(kChar));
  expect_each(
      t, {{"const in front", t.modifier(kInt), "const int"},
          {"of a class", t.modifier(s), "const n::S"},
          {"behind, of what is pointed to", to_const, "char const*"},
          {"of the pointer", t.pointer(kInt, Mode::pointer, kConstant), "int* const"},
          {"of both", t.pointer(t.modifier(s), Mode::pointer, kConstant), "n::S const* const"},
          {"of the pointer, by a modifier", t.modifier(to_const), "char const* const"},
          {"said twice", t.modifier(t.pointer(kInt, Mode::pointer, kConstant)), "int* const"},
          {"of a pointer that is pointed to", t.pointer(t.modifier(t.pointer(kInt))), "int* const*"},
          {"of a pointer by its index", t.modifier(0x600 | kVoid), "void const*"},
          {"volatile is not told", t.pointer(t.modifier(kInt, 2), Mode::pointer, kVolatile), "int*"},
          {"a reference", t.pointer(t.modifier(s), Mode::reference), "n::S const&"},
          {"to what may be moved", t.pointer(s, Mode::rvalue), "n::S&&"},
          {"to a pointer", t.pointer(t.pointer(s), Mode::reference), "n::S*&"},
          {"to a member", t.pointer(kBool, Mode::data_member), "bool::*"},
          {"to a pointer to a member", t.pointer(t.pointer(kBool, Mode::data_member), Mode::rvalue), "bool::*&&"}});
}

TEST(TypeText, Functions) {
  TypeRecords t;
  const auto s = t.add(Leaf::class_, Section().zeros(16).u16(8).c_string("n::S"));
  const auto f = t.procedure(kBool, t.list({kInt, t.pointer(kChar)}));
  const auto p = t.pointer(f);
  const auto m = t.method(kInt, s, t.pointer(t.modifier(s)), t.list({kChar}));
  expect_each(
      t,
      {{"a pointer", p, "bool (*)(int, char*)"},
       {"a constant one", t.pointer(f, Mode::pointer, kConstant), "bool (* const)(int, char*)"},
       {"by a modifier", t.modifier(p), "bool (* const)(int, char*)"},
       {"to a pointer", t.pointer(p, Mode::pointer, kConstant), "bool (** const)(int, char*)"},
       {"to a constant pointer", t.pointer(t.modifier(p)), "bool (* const*)(int, char*)"},
       {"a reference", t.pointer(f, Mode::reference), "bool (&)(int, char*)"},
       {"no result", t.pointer(t.procedure(kNone, t.list({kNone}))), "(*)(<NoType>)"},
       {"what takes and gives such", t.pointer(t.procedure(p, t.list({t.pointer(t.procedure(kVoid, t.list({})))}))),
        "bool (*)(int, char*) (*)(void (*)())"},
       {"a member", t.pointer(m, Mode::member_function), "int (n::S::*)(char)"},
       {"a reference to that", t.pointer(t.pointer(m, Mode::member_function), Mode::reference), "int (n::S::*&)(char)"},
       {"an array of pointers", t.array(p, 32), "bool (*)(int, char*)[4]"}});
}

TEST(TypeText, ArraysCountTheirElements) {
  TypeRecords t;
  const auto s = t.add(Leaf::structure, Section().zeros(16).u16(24).c_string("S"));
  const auto e = t.add(Leaf::enum_, Section().zeros(4).u32(0x20).u32(0).c_string("E"));
  const auto u = t.add(Leaf::union_, Section().zeros(8).u16(0x8004).u32(12).c_string("U"));
  const auto empty = t.add(Leaf::interface, Section().zeros(18).c_string("I"));
  const auto of_int = t.array(kInt, 40);
  expect_each(t, {{"of numbers", of_int, "int[10]"},
                  {"of arrays", t.array(of_int, 80), "int[2][10]"},
                  {"a pointer to that", t.pointer(t.array(of_int, 80)), "int[2][10]*"},
                  {"of constants", t.pointer(t.array(t.modifier(kChar), 8), Mode::reference), "const char[8]&"},
                  {"constant as a whole", t.pointer(t.modifier(t.array(kChar, 8)), Mode::reference), "char[8] const&"},
                  {"of pointers", t.array(t.pointer(kInt), 24), "int*[3]"},
                  {"of a class", t.array(t.modifier(s), 48), "const S[2]"},
                  {"of an enum, by what it is made of", t.array(e, 8), "E[8]"},
                  {"of a union", t.array(u, 24), "U[2]"},
                  {"of what has no size", t.array(empty, 24), "I[]"},
                  {"of bytes that are no whole number of them", t.array(kInt, 7), "int[1]"}});
}

TEST(TypeText, AnArrayOfDeclaredClassesCountsByTheDefinition) {
  constexpr std::uint32_t kHashOfDefined = 0x3801B, kHashOfScoped = 0x399AC;
  TypeRecords t;
  const Section declared = Section().u16(0).u16(0x80).zeros(12).u16(0).c_string("Defined");
  const Section scoped = Section().u16(0).u16(0x380).zeros(12).u16(0).c_string("n::Scoped").c_string(".?AUScoped@n@@");
  const auto plain = t.procedure(kVoid, t.list({t.array(t.add(Leaf::structure, declared), 24)}));
  const auto inner = t.procedure(kVoid, t.list({t.array(t.add(Leaf::structure, scoped), 24)}));
  const std::uint32_t before = t.count();
  t.structure("Defined", Section().u16(8));
  t.record(Leaf::structure,
           Section().u16(0).u16(0x300).zeros(12).u16(6).c_string("n::Scoped").c_string(".?AUScoped@n@@"));
  Section hashes;
  for (std::uint32_t i = 0; i < before; ++i) hashes.u32(i);
  hashes.u32(kHashOfDefined).u32(kHashOfScoped);
  Types types(t, hashes);
  EXPECT_EQ(types.parameters(plain), "(Defined[3])");
  EXPECT_EQ(types.parameters(inner), "(n::Scoped[4])") << "found by its decorated name";
  Types unhashed(t);
  EXPECT_EQ(unhashed.parameters(plain), "(Defined[])");
}

TEST(Parameters, OfFunctions) {
  TypeRecords t;
  const auto s = t.add(Leaf::structure, Section().zeros(16).u16(8).c_string("S"));
  const auto one = t.list({kInt}), none = t.list({});
  struct Row {
    std::string_view why;
    TypeIndex type;
    std::string_view want;
  };
  const Row rows[] = {
      {"none", t.procedure(kVoid, none), "()"},
      {"several", t.procedure(kInt, t.list({kInt, kBool, kChar})), "(int, bool, char)"},
      {"varying", t.procedure(kInt, t.list({t.pointer(t.modifier(kChar)), kNone})), "(char const*, <NoType>)"},
      {"no list", t.procedure(kInt, kNone), "(<NoType>)"},
      {"of a member", t.method(kInt, s, t.pointer(s, Mode::pointer, kConstant), one), "(int)"},
      {"that takes a constant", t.method(kInt, s, t.pointer(t.modifier(s), Mode::pointer, kConstant), one),
       "(int) const"},
      {"that takes a volatile", t.method(kInt, s, t.pointer(t.modifier(s, 2)), none), "()"},
      {"of a static member", t.method(kInt, s, kNone, one), "(int)"},
      {"no type", kNone, ""},
      {"no function", s, ""},
      {"a pointer to one", t.pointer(t.procedure(kInt, one)), ""},
      {"not there", 0x90000, ""},
  };
  Types types(t);
  for (const Row& r : rows) EXPECT_EQ(types.parameters(r.type), r.want) << r.why;
}

TEST(Parameters, OfHostileTypesAreNone) {
  TypeRecords t;
  const auto function_of = [&](TypeIndex type) { return t.procedure(kVoid, t.list({type})); };
  const auto self = function_of(0x1000 + t.count() + 2);
  t.pointer(0x1000 + t.count());
  const auto longer = t.procedure(kVoid, t.add(Leaf::arglist, Section().u32(0x40000000).u32(kInt)));
  const auto cut = function_of(t.add(Leaf::pointer, Section().u32(kInt)));
  const auto unending = function_of(t.add(Leaf::enum_, Section().zeros(12).text("four")));
  TypeIndex deep = kInt, wide = kInt;
  for (int i = 0; i < 100; ++i) deep = t.pointer(deep);
  for (int i = 0; i < 40; ++i) wide = t.list({wide, wide});
  const auto nested = function_of(deep), doubled = t.procedure(kVoid, wide), good = function_of(kInt);
  Types types(t);
  for (const TypeIndex type : {self, longer, cut, unending, nested, doubled})
    for (int twice = 0; twice < 2; ++twice) EXPECT_EQ(types.parameters(type), "") << type;
  EXPECT_EQ(types.parameters(good), "(int)");
  Types few(t, {}, 2);
  EXPECT_EQ(few.parameters(good), "") << "no text is left";
}

}  // namespace
}  // namespace symcached::pdb
