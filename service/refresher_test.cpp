#include "service/refresher.hpp"

#include <gtest/gtest.h>

#include "testing/temp_folder.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;

CacheQuery query(std::string name) {
  return {.module = {.debug_file = std::move(name), .debug_id = DebugId::parse("3249D99D0C4049318610F4E4FB0B69361")}};
}

TEST(Refresher, TriesEachOnceInAWhile) {
  std::chrono::steady_clock::time_point now{};
  Refresher refresher({}, seconds(3600), [&] { return now; });
  const auto offer = [&](const std::string& name) { return refresher.offer(*CacheRequest::of(query(name))); };
  EXPECT_TRUE(offer("a.pdb"));
  EXPECT_FALSE(offer("a.pdb"));
  EXPECT_TRUE(offer("b.pdb"));
  const auto work = refresher.next();
  ASSERT_TRUE(work);
  EXPECT_EQ(work->query.module.debug_file, "a.pdb");
  refresher.done(*work);
  EXPECT_FALSE(offer("a.pdb")) << "it was tried an instant ago";
  now += seconds(3600);
  EXPECT_TRUE(offer("a.pdb"));
  EXPECT_FALSE(offer("b.pdb")) << "it still waits";
  EXPECT_EQ(refresher.waiting(), 2u);
}

TEST(Refresher, LeavesOutWhatItCannotRead) {
  const TempFolder folder;
  folder.write("list", "{\"type\":\"of tomorrow\"}\n" + to_line(query("a.pdb")) + "\n");
  Refresher refresher(folder.path() / "list", seconds(3600));
  const auto work = refresher.next();
  ASSERT_TRUE(work);
  EXPECT_EQ(work->query.module.debug_file, "a.pdb");
  EXPECT_FALSE(refresher.next());
}

}  // namespace
}  // namespace symcached::service
