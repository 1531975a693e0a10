#include "sources/source_rules.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string_view>

namespace symcached::sources {
namespace {

TEST(SourceRules, TellApartWhatGivesOtherAnswers) {
  struct Row {
    std::string_view why;
    std::function<void(SourceConfig&)> change;
  };
  const Row rows[] = {
      {"as it is", [](SourceConfig&) {}},
      {"layout", [](SourceConfig& c) { c.layout = Layout::ssqp; }},
      {"casing", [](SourceConfig& c) { c.casing = Casing::lower; }},
      {"index", [](SourceConfig& c) { c.has_index = true; }},
      {"probing", [](SourceConfig& c) { c.probing = Probing::first; }},
      {"file types", [](SourceConfig& c) { c.filters.file_types = {FileType::pe}; }},
      {"another file type", [](SourceConfig& c) { c.filters.file_types = {FileType::pdb}; }},
      {"pattern", [](SourceConfig& c) { c.filters.path_patterns = {"ab"}; }},
      {"two patterns", [](SourceConfig& c) { c.filters.path_patterns = {"a", "b"}; }},
      {"checksum", [](SourceConfig& c) { c.filters.requires_checksum = true; }},
      {"path map", [](SourceConfig& c) { c.path_map = {{"x", "y"}}; }},
      {"proxy", [](SourceConfig& c) { c.network.proxy = "http://proxy"; }},
      {"no proxy", [](SourceConfig& c) { c.network.proxy = ""; }},
      {"certificates", [](SourceConfig& c) { c.network.accept_invalid_certs = true; }},
      {"size", [](SourceConfig& c) { c.network.max_download_size = 1; }},
  };
  std::set<std::string> seen;
  for (const Row& r : rows) {
    SourceConfig config;
    r.change(config);
    EXPECT_TRUE(seen.insert(rules_text(config)).second) << r.why;
  }
}

TEST(SourceRules, LeaveOutNamesPlacesAndCredentials) {
  SourceConfig one, other;
  other.id = "other";
  other.is_public = true;
  other.location = HttpPlace{.url = "http://host", .bearer_token = "secret"};
  EXPECT_EQ(rules_text(one), rules_text(other));
}

}  // namespace
}  // namespace symcached::sources
