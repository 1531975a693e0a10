#include "stacks/candidates.hpp"

#include <gtest/gtest.h>

namespace symcached::stacks {
namespace {

TEST(Candidates, AreSortedAndEachThereOnce) {
  std::vector<CandidateInfo> all = {
      {.source = "b", .location = "x"},
      {.source = "a", .location = "y"},
      {.source = "a", .location = "x"},
      {.source = "a", .location = "y", .download = DownloadStatus::ok, .debug = UseStatus{}},
      {.source = "a", .location = "y"},
  };
  tidy(all);
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0].location, "x");
  EXPECT_EQ(all[1].location, "y");
  EXPECT_EQ(all[1].download, DownloadStatus::ok) << "the one that was used stays";
  EXPECT_EQ(all[2].source, "b");
}

TEST(Candidates, FeaturesAddUp) {
  Features features{.has_symbols = true};
  features |= {.has_debug_info = true};
  features |= {};
  EXPECT_EQ(features, (Features{.has_debug_info = true, .has_symbols = true}));
}

TEST(Candidates, StatusesHaveTheProtocolsNames) {
  EXPECT_EQ(name_of(DownloadStatus::no_permission), "noperm");
  EXPECT_EQ(name_of(DownloadStatus::not_found), "notfound");
  EXPECT_EQ(name_of(UseStatus::Kind::malformed), "malformed");
}

}  // namespace
}  // namespace symcached::stacks
