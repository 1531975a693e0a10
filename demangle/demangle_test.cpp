#include "demangle/demangle.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace symcached::demangle {
namespace {

struct Row {
  std::string_view why, name, full, no_parameters;
};

void expect(const Row& row) {
  EXPECT_EQ(demangle(row.name), row.full) << row.why;
  EXPECT_EQ(demangle(row.name, Detail::no_parameters), row.no_parameters) << row.why;
}

TEST(Demangle, Itanium) {
  const Row rows[] = {
      {"function", "_Z1fv", "f()", "f"},
      {"method", "_ZNK2ns5Class6methodEiPKc", "ns::Class::method(int, char const*) const", "ns::Class::method"},
      {"constructor", "_ZN1AC1Ev", "A::A()", "A::A"},
      {"destructor", "_ZN1AD0Ev", "A::~A()", "A::~A"},
      {"qualified", "_ZNKO1A1fEv", "A::f() const &&", "A::f"},
      {"variadic", "_Z1fz", "f(...)", "f"},
      {"no name", "_ZN12_GLOBAL__N_11fEv", "(anonymous namespace)::f()", "(anonymous namespace)::f"},
      {"explicit object", "_ZNH1A1fES_", "A::f(this A)", "A::f"},
      {"std::string", "_ZNSs6appendEPKc", "std::string::append(char const*)", "std::string::append"},
      {"variable", "_ZSt4endl", "std::endl", "std::endl"},
      {"static of a function", "_ZZ1fvE1x", "f()::x", "f()::x"},
      {"its guard", "_ZGVZ1fvE1x", "guard variable for f()::x", "guard variable for f()::x"},
      {"vtable", "_ZTV1A", "vtable for A", "vtable for A"},
      {"type information", "_ZTI1A", "typeinfo for A", "typeinfo for A"},
      {"thunks keep them", "_ZTh8_N1A1fEi", "non-virtual thunk to A::f(int)", "non-virtual thunk to A::f(int)"},
      {"construction vtable", "_ZTCN1A1BE0_1C", "construction vtable for C-in-A::B",
       "construction vtable for C-in-A::B"},
      {"ABI tags", "_Z3fooB5cxx11B3abci", "foo[abi:cxx11][abi:abc](int)", "foo[abi:cxx11][abi:abc]"},
      {"of a module", "_ZW3foo1fv", "f@foo()", "f@foo"},
      {"vector", "_Z1fDv4_f", "f(float vector[4])", "f"},
      {"array", "_Z1fRA4_i", "f(int (&) [4])", "f"},
      {"pointer to member", "_Z1fM1AKFivE", "f(int (A::*)() const)", "f"},
      {"Mach-O's underscore", "__ZN3foo3barEv", "foo::bar()", "foo::bar"},
      {"a block", "___Z1fv_block_invoke_2", "invocation function for block in f()",
       "invocation function for block in f()"},
      {"a version", "_Z1fi@@LIB_1.2", "f(int)@@LIB_1.2", "f@@LIB_1.2"},
      {"parameters that nothing can read", "_Z1fIiEvT_u", "_Z1fIiEvT_u", "f<int>"},
  };
  for (const Row& row : rows) expect(row);
}

TEST(Demangle, AsSymbolicator) {  // recorded from it
  struct Shown {
    std::string_view why, name, want;
  };
  const Shown rows[] = {
      {"no return type", "_ZSt3minImERKT_S2_S2_",
       "std::min<unsigned long>(unsigned long const&, unsigned long const&)"},
      {"spaces between brackets", "_ZN15google_breakpad13PageAllocator4swapERSt6vectorIS_IiEE",
       "google_breakpad::PageAllocator::swap(std::vector<google_breakpad<int> >&)"},
      {"qualifiers", "_ZNKO1A1fIiEEvv", "A::f<int>() const &&"},
      {"a clone", "_ZN15google_breakpad13PageAllocator7FreeAllEv.isra.6",
       "google_breakpad::PageAllocator::FreeAll() [clone .isra.6]"},
      {"a clone of a clone", "_Z1fv.isra.34.part.35", "f() [clone .isra.34] [clone .part.35]"},
      {"no number", "_Z1fv.cold", "f() [clone .cold]"},
      {"numbers only", "_Z1fv.1.2.llvm", "f() [clone .1.2] [clone .llvm]"},
      {"types of literals", "_ZN1AIXLj0EEXLi1EEXLln2EEE1fEv", "A<(unsigned int)0, 1, (long)-2>::f()"},
      {"shift", "_ZrsIiER1AS1_T_", "operator>><int>(A&, int)"},
      {"function that returns a function", "_Z1fIiEPFivET_", "f<int>(int)"},
      {"MSVC", "?f@@YAHH@Z", "f(int)"},
      {"Rust", "_RNvC1a1f", "a::f"},
      {"no name of C++", "main", "main"},
  };
  for (const Shown& r : rows) EXPECT_EQ(demangle(r.name, Detail::symbolicator), r.want) << r.why;
}

TEST(Demangle, ItaniumOperators) {
  const Row rows[] = {
      {"call", "_ZN1AclEi", "A::operator()(int)", "A::operator()"},
      {"less", "_ZNK1AltERKS_", "A::operator<(A const&) const", "A::operator<"},
      {"shift", "_ZN1AlsEi", "A::operator<<(int)", "A::operator<<"},
      {"of no class", "_ZrsR1AS0_", "operator>>(A&, A&)", "operator>>"},
      {"three-way", "_ZN1AssERKS_", "A::operator<=>(A const&)", "A::operator<=>"},
      {"index", "_ZN1AixEm", "A::operator[](unsigned long)", "A::operator[]"},
      {"allocation", "_Znwm", "operator new(unsigned long)", "operator new"},
      {"literal", "_Zli3_kmy", "operator\"\" _km(unsigned long long)", "operator\"\" _km"},
      {"conversion", "_ZN1AcviEv", "A::operator int()", "A::operator int"},
      {"to a pointer", "_ZN1AcvPKcEv", "A::operator char const*()", "A::operator char const*"},
      {"to a template parameter", "_ZN1AcvT_IiEEv", "A::operator int<int>()", "A::operator int<int>"},
  };
  for (const Row& row : rows) expect(row);
}

TEST(Demangle, ItaniumTemplatesAndLambdas) {
  const Row rows[] = {
      {"the return type belongs to the name", "_Z1fIiEvT_", "void f<int>(int)", "f<int>"},
      {"returns a pointer to a function", "_Z1fIiEPFvT_Es", "void (*f<int>(short))(int)", "f<int>"},
      {"takes one", "_Z1fPFiicE", "f(int (*)(int, char))", "f"},
      {"decltype", "_Z1fIiEDTcl1gfp_EET_", "decltype(g(fp)) f<int>(int)", "f<int>"},
      {"constrained", "_Z1fIiEvT_Q4SameIS0_S0_E", "void f<int>(int) requires Same<int, int>", "f<int>"},
      {"pack", "_Z1fIJicEEvDpT_", "void f<int, char>(int, char)", "f<int, char>"},
      {"values", "_Z1fILi3ELb1EEvv", "void f<3, true>()", "f<3, true>"},
      {"function as argument", "_Z1fIXadL_ZN1AclEiEEEvv", "void f<&A::operator()(int)>()", "f<&A::operator()(int)>"},
      {"its type as argument", "_ZNSt8functionIFviEEC1Ev", "std::function<void (int)>::function()",
       "std::function<void (int)>::function"},
      {"nested", "_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector<int, std::allocator<int>>::push_back(int&&)",
       "std::vector<int, std::allocator<int>>::push_back"},
      {"lambda", "_ZZ4mainENKUlvE_clEv", "main::'lambda'()::operator()() const", "main::'lambda'()::operator()"},
      {"second lambda", "_ZZ4mainENKUliE0_clEi", "main::'lambda0'(int)::operator()(int) const",
       "main::'lambda0'(int)::operator()"},
      {"generic lambda in a member", "_ZZN1A1fEiENKUlT_E_clIcEEDaS0_",
       "auto A::f(int)::'lambda'(auto)::operator()<char>(auto) const", "A::f(int)::'lambda'(auto)::operator()<char>"},
  };
  for (const Row& row : rows) expect(row);
}

TEST(Demangle, ClonesStayVisible) {
  const Row rows[] = {
      {"cold", "_Z1fi.cold", "f(int) (.cold)", "f (.cold)"},
      {"part", "_Z1fi.part.0", "f(int) (.part.0)", "f (.part.0)"},
      {"clone of a clone", "_Z1fi.isra.0.constprop.1", "f(int) (.isra.0.constprop.1)", "f (.isra.0.constprop.1)"},
      {"promoted", "_Z1fi.llvm.123", "f(int) (.llvm.123)", "f (.llvm.123)"},
      {"of a method", "_ZN1A1fEv.cold", "A::f() (.cold)", "A::f (.cold)"},
      {"in C nothing tells a clone from a name", "f.cold", "f.cold", "f.cold"},
  };
  for (const Row& row : rows) expect(row);
}

TEST(Demangle, Microsoft) {
  const Row rows[] = {
      {"function", "?f@@YAXH@Z", "f(int)", "f"},
      {"method", "?f@B@A@@QEBAXPEBD@Z", "A::B::f(char const *) const", "A::B::f"},
      {"constructor", "??0A@@QEAA@XZ", "A::A(void)", "A::A"},
      {"conversion", "??BA@@QEAAHXZ", "A::operator int(void)", "A::operator int"},
      {"call", "??RA@@QEBAHH@Z", "A::operator()(int) const", "A::operator()"},
      {"less", "??MA@@QEAA_NAEBV0@@Z", "A::operator<(class A const &)", "A::operator<"},
      {"template", "??$f@H@@YAXH@Z", "f<int>(int)", "f<int>"},
      {"takes a function", "?f@@YAXP6AHH@Z@Z", "f(int (__cdecl *)(int))", "f"},
      {"returns one", "?f@@YAP6AXH@ZXZ", "f(void)", "f"},
      {"type of one as argument", "??$f@P6AXH@Z@@YAXXZ", "f<void (__cdecl *)(int)>(void)", "f<void (__cdecl *)(int)>"},
      {"variable", "?x@A@@2HA", "int A::x", "A::x"},
      {"that points to a function", "?fp@@3P6AXH@ZEA", "void (__cdecl *fp)(int)", "fp"},
      {"no name", "?f@?A0x1234@@YAXXZ", "`anonymous namespace'::f(void)", "`anonymous namespace'::f"},
      {"vtable", "??_7A@@6B@", "const A::`vftable'", "const A::`vftable'"},
      {"deleting", "??_GA@@UEAAPEAXI@Z", "A::`scalar deleting dtor'(unsigned int)", "A::`scalar deleting dtor'"},
      {"initializer", "??__Efoo@@YAXXZ", "`dynamic initializer for 'foo''(void)", "`dynamic initializer for 'foo''"},
      {"thunk", "?f@A@@W7EAAXXZ", "[thunk]: A::f`adjustor{8}'(void)", "[thunk]: A::f`adjustor{8}'"},
      {"lambda", "??R<lambda_1>@?0??f@@YAXXZ@QEBA@XZ",
       "`void __cdecl f(void)'::`1'::<lambda_1>::operator()(void) const",
       "`void __cdecl f(void)'::`1'::<lambda_1>::operator()"},
      {"text", "??_C@_02AB@hi?$AA@", "\"hi\"", "\"hi\""},
      {"too long for its compiler", "??@0123456789abcdef0123456789abcdef@", "??@0123456789abcdef0123456789abcdef@",
       "??@0123456789abcdef0123456789abcdef@"},
  };
  for (const Row& row : rows) expect(row);
}

TEST(Demangle, RustAndD) {
  const Row rows[] = {
      {"hash removed", "_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE", "core::fmt::Write::write_fmt",
       "core::fmt::Write::write_fmt"},
      {"escapes", "_ZN47_$LT$$RF$T$u20$as$u20$a..B$LT$C$C$$BP$D$GT$$GT$3bar17h930b740aa94f1d3aE",
       "<&T as a::B<C,*D>>::bar", "<&T as a::B<C,*D>>::bar"},
      {"a dot", "_ZN3a.b1c17h0123456789abcdefE", "a.b::c", "a.b::c"},
      {"an escape that is none", "_ZN6a$XY$b17h0123456789abcdefE", "a$XY$b", "a$XY$b"},
      {"a character beyond ASCII", "_ZN7a$ue9$b17h0123456789abcdefE", "a\u00e9b", "a\u00e9b"},
      {"not a control character", "_ZN5$u7$b17h0123456789abcdefE", "$u7$b", "$u7$b"},
      {"suffix", "_ZN3foo17h05af221e174051e9E.llvm.1234", "foo (.llvm.1234)", "foo (.llvm.1234)"},
      {"C++: no hash", "_ZN4core17h0123456789abcdeE", "_ZN4core17h0123456789abcdeE", "_ZN4core17h0123456789abcdeE"},
      {"C++: capitals", "_ZN4core17h0123456789ABCDEFE", "core::h0123456789ABCDEF", "core::h0123456789ABCDEF"},
      {"C++: parameters", "_ZN4core17h0123456789abcdefEv", "core::h0123456789abcdef()", "core::h0123456789abcdef"},
      {"v0", "_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>", "std::mem::align_of::<f64>"},
      {"v0, Mach-O", "__RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar", "mycrate::foo::bar"},
      {"v0, promoted", "_RNvC1a1b.llvm.123", "a::b (.llvm.123)", "a::b (.llvm.123)"},
      {"v0, Punycode", "_RNvC1au8gdel_5qa", "a::g\u00f6del", "a::g\u00f6del"},
      {"D", "_D8demangle4testi", "demangle.test", "demangle.test"},
      {"D's main", "_Dmain", "D main", "D main"},
  };
  for (const Row& row : rows) expect(row);
}

TEST(Demangle, OthersStayAsTheyAre) {
  for (const std::string_view name : {"",
                                      "_",
                                      "__",
                                      "_Z",
                                      "__Z",
                                      "_Zfoo",
                                      "_Z1",
                                      "f",
                                      "main",
                                      "_R",
                                      "_RESET",
                                      "_D",
                                      "?",
                                      "??",
                                      "$s4main3fooyyF",
                                      "_$s4main3fooyyF",
                                      "-[A b:]",
                                      "+[A b]",
                                      "_T0s",
                                      "?\xff",
                                      "_Z\xff",
                                      "a b",
                                      "std::vector<int>::push_back(int&&)"})
    expect({name, name, name, name});
  const std::string with_zero("_Z1fi\0v", 7);
  expect({"a NUL", with_zero, with_zero, with_zero});
}

TEST(Demangle, SchemeIsToldByTheFirstCharacters) {
  const struct {
    std::string_view name;
    Scheme want;
  } rows[] = {
      {"_Z1fv", Scheme::itanium},
      {"__Z1fv", Scheme::itanium},
      {"____Z1fv_block_invoke", Scheme::itanium},
      {"_____Z1fv", Scheme::none},
      {"Z1fv", Scheme::none},
      {"_ZN1a17h0123456789abcdefE", Scheme::rust_legacy},
      {"__ZN1a17h0123456789abcdefE.llvm.1", Scheme::rust_legacy},
      {"_ZN17h0123456789abcdefE", Scheme::rust_legacy},
      {"_ZN17h0123456789abcdefEE", Scheme::itanium},
      {"_RNvC1a1b", Scheme::rust_v0},
      {"__RNvC1a1b", Scheme::rust_v0},
      {"_Reset", Scheme::none},
      {"?f@@YAXXZ", Scheme::msvc},
      {"_D1a1bi", Scheme::d},
      {"_Dmain", Scheme::d},
      {"_Data", Scheme::none},
      {"$s4main", Scheme::swift},
      {"_$S4main", Scheme::swift},
      {"_T04main", Scheme::swift},
      {"-[A b]", Scheme::objc},
      {"+[A b]", Scheme::objc},
      {"f", Scheme::none},
      {"", Scheme::none},
  };
  for (const auto& row : rows) EXPECT_EQ(name_of(scheme_of(row.name)), name_of(row.want)) << row.name;
}

TEST(Demangle, AppendKeepsWhatIsThere) {
  std::string out = "main+1: ";
  demangle_append(out, "_Z1fi");
  demangle_append(out, " _Z");
  demangle_append(out, "?f@@YAXH@Z", Detail::no_parameters);
  EXPECT_EQ(out, "main+1: f(int) _Zf");
}

TEST(Demangle, ThreadsDoNotShareState) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 2000; ++i) {
        EXPECT_EQ(demangle("_ZNK1AltERKS_"), "A::operator<(A const&) const");
        EXPECT_EQ(demangle("?f@@YAXH@Z"), "f(int)");
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST(Undecorate, CallingConventionsOfWindowsOnX86) {
  const struct {
    std::string_view why, name, want;
  } rows[] = {
      {"cdecl", "_main", "main"},
      {"stdcall", "_f@8", "f"},
      {"fastcall", "@f@8", "f"},
      {"vectorcall", "f@@8", "f"},
      {"vectorcall keeps an underscore of its own", "_f@@8", "_f"},
      {"one underscore only", "__CxxThrowException@8", "_CxxThrowException"},
      {"C++", "?f@@YAXH@Z", "?f@@YAXH@Z"},
      {"C++ that ends like stdcall", "?f@8", "?f@8"},
      {"no size", "_f@", "f@"},
      {"no digits", "_f@8a", "f@8a"},
      {"fastcall without a size", "@f", "@f"},
      {"Itanium of MinGW", "__Z1fi", "_Z1fi"},
      {"nothing would be left", "_", "_"},
      {"nor here", "@@8", "@@8"},
      {"nor here", "_@8", "_@8"},
      {"plain", "f", "f"},
      {"", "", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(undecorate_win32(row.name), row.want) << row.why;
}

}  // namespace
}  // namespace symcached::demangle
