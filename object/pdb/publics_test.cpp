#include "object/pdb/publics.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "testing/pdb/image.hpp"

namespace symcached::object {
namespace {

TEST(MayDecorate, FormsOfDecoration) {
  struct Row {
    std::string_view decorated, name;
    bool want;
  };
  const Row rows[] = {
      {"main", "main", true},
      {"_main", "main", true},
      {"_call@8", "call", true},
      {"@fast@8", "fast", true},
      {"vector@@16", "vector", true},
      {"mainly", "main", false},
      {"_mainly", "main", false},
      {"?f@@YAXXZ", "f", true},
      {"?f@n@@YAXXZ", "n::f", true},
      {"?f@n@@YAXXZ", "n::g", false},
      {"?ff@n@@YAXXZ", "n::f", false},
      {"??$f@H@n@@YAXH@Z", "n::f<int>", true},
      {"?f@?$S@V?$T@H@@@@QEAAXXZ", "S<T<int>>::f", true},
      {"?f@?$S@V?$T@H@@@@QEAAXXZ", "S<n::T<int>>::g", false},
      {"??0S@@QEAA@XZ", "S::S", false},
      {"", "f", false},
      {"?", "f", false},
      {"f", "", false},
      {"?@x", "", true},
  };
  for (const Row& r : rows) EXPECT_EQ(may_decorate(r.decorated, r.name), r.want) << r.decorated << " " << r.name;
}

TEST(PdbPublics, EveryFunctionAtAPlaceTakesOneName) {
  testkit::PdbImage image;
  image.publics.global("?g@@YAXXZ", {1, 0}).global("??0S@@QEAA@XZ", {1, 0}).global("_f", {1, 0}).global("f2", {1, 4});
  const auto bytes = testkit::assemble(image);
  const auto file = pdb::File::open(bytes);
  auto publics = PdbPublics::open(*file);
  ASSERT_TRUE(publics);
  EXPECT_EQ(publics->take_linkage_name({1, 0}, "f"), "_f");
  EXPECT_EQ(publics->take_linkage_name({1, 0}, "S::S"), "??0S@@QEAA@XZ")
      << "none fits by its name, so the first free one";
  EXPECT_EQ(publics->take_linkage_name({1, 0}, "n::g"), "?g@@YAXXZ");
  EXPECT_EQ(publics->take_linkage_name({1, 0}, "h"), "") << "none is left";
  EXPECT_EQ(publics->take_linkage_name({1, 4}, "h"), "f2");
  EXPECT_EQ(publics->take_linkage_name({1, 8}, "f"), "");
}

/// Minutes if every function looked at all the publics of its place.
TEST(PdbPublics, ManyFunctionsAtOnePlace) {
  constexpr int kMany = 200000;
  testkit::PdbImage image;
  for (int i = 0; i < kMany; ++i) image.publics.global(fmt::format("?f{}@@YAXXZ", i), {1, 0});
  const auto bytes = testkit::assemble(image, {.block_size = 65536});
  const auto file = pdb::File::open(bytes);
  ASSERT_TRUE(file) << to_string(file.error());
  auto publics = PdbPublics::open(*file);
  ASSERT_TRUE(publics);
  for (int i = 0; i < kMany; i += 2)
    ASSERT_EQ(publics->take_linkage_name({1, 0}, fmt::format("f{}", i)), fmt::format("?f{}@@YAXXZ", i));
  for (int i = 0; i < kMany / 2; ++i) ASSERT_NE(publics->take_linkage_name({1, 0}, "no such name"), "");
  EXPECT_EQ(publics->take_linkage_name({1, 0}, "f1"), "");
}

}  // namespace
}  // namespace symcached::object
