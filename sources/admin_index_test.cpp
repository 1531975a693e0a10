#include "sources/admin_index.hpp"

#include <gtest/gtest.h>

namespace symcached::sources {
namespace {

TEST(AdminIndex, ListsWhatTransactionsAdded) {
  AdminIndex index;
  EXPECT_EQ(index.add_transaction("\"crash.pdb\\3249D99D0C4049318610F4E4FB0B69361a\",\"C:\\build\\crash.pdb\"\r\n"
                                  "\"Crash.exe\\5AB380779000\",\"C:\\build\\Crash.exe\"\r\n"
                                  "no line of the kind\n"
                                  "\"no id\"\n\"\\no name\"\n\"no id\\\"\n\"a\\b\\c\"\n\"no end\\1\n"),
            2u);
  index.add_transaction("\"Crash.exe\\5AB380779000\",\"again\"");
  index.finish();
  EXPECT_EQ(index.size(), 2u);
  struct Row {
    std::string_view path;
    bool want;
  };
  const Row rows[] = {
      {"crash.pdb/3249D99D0C4049318610F4E4FB0B69361a/crash.pdb", true},
      {"CRASH.PDB/3249d99d0c4049318610f4e4fb0b69361A/crash.pd_", false},
      {"cr/crash.pdb/3249D99D0C4049318610F4E4FB0B69361a/file.ptr", true},
      {"Crash.exe/5AB380779000/Crash.exe", true},
      {"crash.exe/5AB380779000/crash.exe", false},
      {"crash.exe/5AB380779001/crash.exe", false},
      {"crash.exe/5AB380779000", false},
      {"/5AB380779000/x", false},
      {"", false},
  };
  for (const Row& r : rows) EXPECT_EQ(index.has(r.path), r.want) << r.path;
}

TEST(AdminIndex, IdsAreTenDigits) {
  EXPECT_EQ(parse_last_id("0000000042\r\n"), 42u);
  EXPECT_EQ(transaction_path(42), "000Admin/0000000042");
  for (const std::string_view text : {"", "x", "42x", "-1", "99999999999"}) EXPECT_FALSE(parse_last_id(text)) << text;
}

}  // namespace
}  // namespace symcached::sources
