#include "symbolize/demangled_names.hpp"

#include <gtest/gtest.h>

namespace symcached::symbolize {
namespace {

using demangle::Detail;

TEST(DemangledNames, AreWhatTheDemanglerSays) {
  DemangledNames names;
  for (int round = 0; round < 2; ++round)
    for (const std::string_view name : {"_Z1fi", "?f@@YAHH@Z", "_RNvC1a1f", "_Znonsense", "main", "", "$s4main"})
      for (const Detail detail : {Detail::full, Detail::no_parameters, Detail::symbolicator})
        EXPECT_EQ(names.of(name, detail), demangle::demangle(name, detail)) << name;
}

TEST(DemangledNames, StayWhereTheyAreWhileTheyAreAskedFor) {
  DemangledNames names;
  const auto of = [&](const std::string& name) { return names.of(name, Detail::full); };
  const char* const kept = of("_Z4kepti").data();
  const std::string large(5000, 'i');  // that many parameters
  std::size_t shown = 0;
  for (int i = 0; shown < 3 * DemangledNames::kKept; ++i) {
    names.trim();
    shown += of("_Z1f" + large + "Li" + std::to_string(i) + "E").size() + of("_Z5other" + large).size();
    ASSERT_EQ(of("_Z4kepti").data(), kept);
  }
  EXPECT_EQ(of("_Z4kepti"), "kept(int)");
}

}  // namespace
}  // namespace symcached::symbolize
