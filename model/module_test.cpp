#include "model/module.hpp"

#include <gtest/gtest.h>

namespace symcached::model {
namespace {

TEST(ModelNames, OfArchitectures) {
  struct Row {
    Arch arch;
    std::string_view want;
  };
  const Row rows[] = {
      {Arch::unknown, "unknown"}, {Arch::x86, "x86"},
      {Arch::x86_64, "x86_64"},   {Arch::arm, "arm"},
      {Arch::arm64, "arm64"},     {Arch::wasm32, "wasm32"},
      {Arch::ppc64, "ppc64"},     {Arch::riscv64, "riscv64"},
      {Arch::s390x, "s390x"},     {static_cast<Arch>(200), "unknown"},
  };
  for (const Row& r : rows) EXPECT_EQ(name_of(r.arch), r.want);
}

TEST(ModelNames, OfLanguages) {
  struct Row {
    Language language;
    std::string_view want;
  };
  const Row rows[] = {
      {Language::unknown, "unknown"}, {Language::c, "c"},
      {Language::cpp, "c++"},         {Language::csharp, "c#"},
      {Language::rust, "rust"},       {Language::swift, "swift"},
      {Language::go, "go"},           {Language::d, "d"},
      {Language::objc, "objc"},       {Language::objcpp, "objc++"},
      {Language::assembly, "asm"},    {Language::fortran, "fortran"},
      {Language::pascal, "pascal"},   {Language::visual_basic, "visual basic"},
      {Language::fsharp, "f#"},       {static_cast<Language>(200), "unknown"},
  };
  for (const Row& r : rows) EXPECT_EQ(name_of(r.language), r.want);
}

TEST(ModelNames, OfSymbolKinds) {
  struct Row {
    SymbolKind kind;
    std::string_view want;
  };
  const Row rows[] = {
      {SymbolKind::function, "function"},        {SymbolKind::thunk, "thunk"},
      {SymbolKind::public_symbol, "public"},     {SymbolKind::cold_part, "cold part"},
      {static_cast<SymbolKind>(200), "unknown"},
  };
  for (const Row& r : rows) EXPECT_EQ(name_of(r.kind), r.want);
}

/// These numbers are bytes in caches: a change of one is a change of the format.
TEST(ModelNumbers, StayWhatTheyAre) {
  EXPECT_EQ(static_cast<int>(Language::cpp), 2);
  EXPECT_EQ(static_cast<int>(Language::pascal), 12);
  EXPECT_EQ(static_cast<int>(Language::fsharp), 14);
  EXPECT_EQ(static_cast<int>(SymbolKind::function), 0);
  EXPECT_EQ(static_cast<int>(SymbolKind::cold_part), 3);
}

}  // namespace
}  // namespace symcached::model
