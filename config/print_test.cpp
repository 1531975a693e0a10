#include "config/print.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "config/compatible.hpp"
#include "config/schema.hpp"

namespace symcached::config {
namespace {

using ::testing::HasSubstr;

TEST(Documentation, HasEveryKey) {  // after a change: symcached config print --keys
  std::ifstream file("docs/configuration.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_THAT(page.str(), HasSubstr(table_of_keys()));
  EXPECT_THAT(page.str(), HasSubstr(table_of_source_keys()));
}

TEST(Table, NamesOfOthersLeadToOurs) {
  Config config;
  const Rows rows = rows_of(config);
  for (const Alias& alias : symbolicator_keys().aliases)
    EXPECT_NE(std::ranges::find(rows, alias.target, &Row::key), rows.end()) << alias.target;
}

TEST(Table, KeysBelowOneMapStandTogether) {
  Config config;
  std::vector<std::string> seen;
  for (const Row& row : rows_of(config)) {
    const std::string group = row.key.substr(0, row.key.find('.'));
    EXPECT_TRUE(std::ranges::find(seen, group) == seen.end() || seen.back() == group) << row.key;
    seen.push_back(group);
    EXPECT_FALSE(row.help.empty()) << row.key;
  }
}

}  // namespace
}  // namespace symcached::config
