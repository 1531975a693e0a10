#include <gmock/gmock.h>

#include "config/load.hpp"

namespace symcached::config {
namespace {

using namespace sources;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Loaded parsed(std::string_view yaml) {
  return parse(yaml, [](const std::string&) { return std::nullopt; });
}

TEST(Sources, EveryTypeWithSymbolicatorsSpellings) {
  const Loaded loaded = parsed(R"(
sources:
- id: ms
  type: http
  url: https://msdl.example/download/symbols
  headers: {X-Team: core}
  accept_invalid_certs: true
  layout: {type: ssqp, casing: lowercase}
  filters: {filetypes: [pe, pdb, portablepdb], path_patterns: ["?:/windows/**"], requires_checksum: true}
  is_public: true
- id: bucket
  type: s3
  bucket: b
  prefix: p
  region: [minio, "http://minio:9000"]
  aws_credentials_provider: container
- id: g
  type: gcs
  bucket: b
  private_key: "-----BEGIN PRIVATE KEY-----\nx"
  client_email: a@b
- id: az
  type: azure
  account: a
  container: c
- id: local
  type: filesystem
  path: /srv/symbols
  has_index: true
  layout: {type: symstore}
  requests_per_second: 2.5
)");
  ASSERT_THAT(error_lines(loaded.report, {}), IsEmpty());
  EXPECT_THAT(warning_lines(loaded.report, {}), IsEmpty());
  const auto& all = loaded.config.sources;
  ASSERT_EQ(all.size(), 5u);
  const auto& http = std::get<HttpPlace>(all[0].location);
  EXPECT_EQ(http.url, "https://msdl.example/download/symbols");
  EXPECT_THAT(http.headers, ElementsAre(Header("X-Team", "core")));
  EXPECT_TRUE(all[0].network.accept_invalid_certs && all[0].is_public && all[0].filters.requires_checksum);
  EXPECT_EQ(all[0].layout, Layout::ssqp);
  EXPECT_EQ(all[0].casing, Casing::lower);
  EXPECT_THAT(all[0].filters.file_types, ElementsAre(FileType::pe, FileType::pdb, FileType::portable_pdb));
  EXPECT_THAT(all[0].filters.path_patterns, ElementsAre("?:/windows/**"));
  const auto& s3 = std::get<S3Place>(all[1].location);
  EXPECT_EQ(s3.region, "minio");
  EXPECT_EQ(s3.endpoint, "http://minio:9000");
  EXPECT_TRUE(s3.path_style);
  EXPECT_EQ(s3.credentials, S3Place::Credentials::container);
  EXPECT_EQ(all[1].layout, Layout::native) << "as Symbolicator has it";
  EXPECT_EQ(std::get<GcsPlace>(all[2].location).private_key, "-----BEGIN PRIVATE KEY-----\nx");
  EXPECT_EQ(std::get<AzurePlace>(all[3].location).container, "c");
  EXPECT_EQ(std::get<FolderPlace>(all[4].location).path, "/srv/symbols");
  EXPECT_TRUE(all[4].has_index);
  EXPECT_EQ(all[4].network.requests_per_second, 2.5);
}

TEST(Sources, WhatIsWrongIsSaid) {
  struct Row {
    std::string_view why, source, want;
  };
  const Row rows[] = {
      {"no map", "x", "sources[0]: wanted a map with id and type, found text"},
      {"no id", "{type: http, url: 'https://x'}",
       "sources[0].id: write a name of at most 128 printable characters without blanks"},
      {"no type", "{id: a}", "sources.a.type: missing; write http, filesystem, s3, gcs or azure"},
      {"type", "{id: a, type: ftp}", "sources.a.type: \"ftp\": write http, filesystem, s3, gcs or azure"},
      {"no place", "{id: a, type: s3}", "sources.a.bucket: missing"},
      {"scheme", "{id: a, type: http, url: 'ftp://u:p@x'}",
       "sources.a.url: \"ftp://***@x\": write a URL that begins with http:// or https://"},
      {"misspelt", "{id: a, type: filesystem, path: /, paths: x}",
       "sources.a.paths: unknown key; the nearest is sources.a.path"},
      {"half of a pair", "{id: a, type: s3, bucket: b, access_key: k}",
       "sources.a: give both access_key and secret_key, or neither"},
      {"file type", "{id: a, type: filesystem, path: /, filters: {filetypes: [exe]}}",
       "sources.a.filters.filetypes: \"exe\" is no file type"},
      {"header", "{id: a, type: http, url: 'https://x', headers: {X: \"a\\nb: c\"}}",
       "sources.a.headers.X: not a header of one line"},
      {"secret that is a list", "{id: a, type: http, url: 'https://x', password: [p]}",
       "sources.a.password: wanted text, found a list"},
      {"the same id", "{id: a, type: filesystem, path: /}\n- {id: a, type: filesystem, path: /}",
       "sources[1].id: \"a\" is another source's id, too"},
  };
  for (const Row& r : rows) {
    const Loaded loaded = parsed("sources:\n- " + std::string(r.source) + "\n");
    ASSERT_EQ(loaded.report.errors().size(), 1u) << r.why;
    EXPECT_EQ(loaded.report.errors()[0].text, r.want) << r.why;
  }
}

TEST(Sources, WhatMeansNothingHereIsAWarning) {
  struct Row {
    std::string_view why, source, want;
    std::size_t sources;
  };
  const Row rows[] = {
      {"sentry", "{id: a, type: sentry, url: 'https://x', token: t}",
       "sources.a.type: sentry: the source is ignored; only Sentry's own service has one", 0},
      {"foreign file type", "{id: a, type: filesystem, path: /, filters: {filetypes: [proguard, pe]}}",
       "sources.a.filters.filetypes: proguard: ignored; such files are not read", 1},
  };
  for (const Row& r : rows) {
    const Loaded loaded = parsed("sources:\n- " + std::string(r.source) + "\n");
    EXPECT_THAT(error_lines(loaded.report, {}), IsEmpty()) << r.why;
    ASSERT_EQ(loaded.report.warnings().size(), 1u) << r.why;
    EXPECT_EQ(loaded.report.warnings()[0].text, r.want) << r.why;
    EXPECT_EQ(loaded.config.sources.size(), r.sources) << r.why;
  }
  EXPECT_THAT(parsed("sources: [{id: a, type: filesystem, path: /, filters: {filetypes: [proguard]}}]").config.sources,
              IsEmpty());
}

}  // namespace
}  // namespace symcached::config
