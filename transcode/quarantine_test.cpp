#include "transcode/quarantine.hpp"

#include <gtest/gtest.h>

#include <set>

#include "testing/temp_folder.hpp"

namespace symcached::transcode {
namespace {

namespace fs = std::filesystem;

/// Names of the files there are.
std::set<std::string> kept_in(const fs::path& place) {
  std::set<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(place))
    if (entry.is_regular_file()) names.insert(entry.path().filename());
  return names;
}

TEST(Quarantine, TheOldestMakeRoom) {
  using Names = std::set<std::string>;
  struct Row {
    std::string_view why;
    std::string name;
    std::size_t bytes;
    Quarantine::Taken taken;
    Names kept;
  };
  using enum Quarantine::Taken;
  const Row rows[] = {
      {"the first", "a", 10, kept, {"a"}},
      {"as many as there may be", "b", 10, kept, {"a", "b"}},
      {"one more", "c", 10, kept, {"b", "c"}},
      {"too many bytes", "d", 95, kept, {"d"}},
      {"as many bytes as there may be", "e", 5, kept, {"d", "e"}},
      {"too large alone: older ones go, too", "f", 101, too_large, {}},
  };
  const TempFolder folder;
  Quarantine quarantine(folder.path() / "own/quarantine", {.files = 2, .bytes = 100});
  auto time = fs::file_time_type::clock::now() - std::chrono::hours(1);
  for (const Row& r : rows) {
    folder.write(r.name, std::string(r.bytes, 'x'));
    std::string where;
    EXPECT_EQ(quarantine.take(folder.path() / r.name, where), r.taken) << r.why;
    EXPECT_FALSE(fs::exists(folder.path() / r.name)) << r.why;
    EXPECT_EQ(kept_in(folder.path() / "own/quarantine"), r.kept) << r.why;
    if (r.taken == kept) fs::last_write_time(where, time += std::chrono::minutes(1));
  }
  EXPECT_EQ(quarantine.taken(), std::size(rows));
}

TEST(Quarantine, WhatCannotBeMovedStays) {
  const TempFolder folder;
  folder.write("file", "x");
  Quarantine quarantine(folder.path() / "file/below");
  std::string where;
  EXPECT_EQ(quarantine.take(folder.path() / "file", where), Quarantine::Taken::still_there);
  Quarantine other(folder.path() / "place");
  EXPECT_EQ(other.take(folder.path() / "missing", where), Quarantine::Taken::still_there);
  EXPECT_TRUE(fs::is_empty(folder.path() / "place"));
}

}  // namespace
}  // namespace symcached::transcode
