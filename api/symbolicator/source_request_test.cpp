#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/symbolicator/request.hpp"

namespace symcached::api {
namespace {

using namespace sources;

RequestedSources read(std::string_view sources, const SourceRules& rules = {}) {
  auto result = parse_sources(sources, rules);
  EXPECT_TRUE(result) << sources;
  return result ? *std::move(result) : RequestedSources{};
}

SourceConfig only(std::string_view source, const SourceRules& rules = {}) {
  const auto all = read(fmt::format("[{}]", source), rules);
  for (const RefusedSource& refused : all.refused) ADD_FAILURE() << refused.why;
  if (all.sources->size() != 1) return {};
  return all.sources->front();
}

TEST(RequestedSources, Http) {
  const SourceConfig source = only(R"({"type":"http","id":"s","url":"https://example.org/sym/",
      "headers":{"Authorization":"Bearer x"},"accept_invalid_certs":true,"is_public":true,"has_index":true,
      "layout":{"type":"symstore","casing":"uppercase"},
      "filters":{"filetypes":["pdb","portablepdb","il2cpp"],"path_patterns":["?:/windows/*"],"requires_checksum":true},
      "future":1})");
  const auto& place = std::get<HttpPlace>(source.location);
  EXPECT_EQ(source.id, "s");
  EXPECT_EQ(place.url, "https://example.org/sym/");
  ASSERT_EQ(place.headers.size(), 1);
  EXPECT_EQ(place.headers[0], (Header{"Authorization", "Bearer x"}));
  EXPECT_TRUE(source.network.accept_invalid_certs);
  EXPECT_TRUE(source.is_public);
  EXPECT_TRUE(source.has_index);
  EXPECT_EQ(source.layout, Layout::symstore);
  EXPECT_EQ(source.casing, Casing::upper);
  EXPECT_EQ(source.filters.file_types, (std::vector{FileType::pdb, FileType::portable_pdb}));
  EXPECT_EQ(source.filters.path_patterns, (std::vector<std::string>{"?:/windows/*"}));
  EXPECT_TRUE(source.filters.requires_checksum);
}

TEST(RequestedSources, HaveTheProtocolsDefaults) {
  const SourceConfig source = only(R"({"type":"http","id":"s","url":"http://a","layout":{},"filters":{}})");
  EXPECT_EQ(source.layout, Layout::native);
  EXPECT_EQ(source.casing, Casing::standard);
  EXPECT_FALSE(source.is_public);
  EXPECT_TRUE(source.filters.file_types.empty());
}

TEST(RequestedSources, Buckets) {
  const SourceConfig amazon = only(R"({"type":"s3","id":"s","bucket":"b","prefix":"p","region":"eu-west-1",
      "access_key":"k","secret_key":"x"})");
  EXPECT_EQ(std::get<S3Place>(amazon.location).bucket, "b");
  EXPECT_EQ(std::get<S3Place>(amazon.location).region, "eu-west-1");
  EXPECT_FALSE(std::get<S3Place>(amazon.location).path_style);
  const SourceConfig other = only(R"({"type":"s3","id":"s","bucket":"b","region":["r","http://minio:9000"]})");
  EXPECT_EQ(std::get<S3Place>(other.location).endpoint, "http://minio:9000");
  EXPECT_TRUE(std::get<S3Place>(other.location).path_style);
  const SourceConfig google =
      only(R"({"type":"gcs","id":"s","bucket":"b","client_email":"a@b","private_key":"-----BEGIN"})");
  EXPECT_EQ(std::get<GcsPlace>(google.location).client_email, "a@b");
  const SourceConfig azure = only(R"({"type":"azure","id":"s","account":"a","container":"c"})");
  EXPECT_EQ(std::get<AzurePlace>(azure.location).container, "c");
}

TEST(RequestedSources, WhatTheOperatorAllows) {
  constexpr std::string_view kFolder = R"({"type":"filesystem","id":"s","path":"/srv/symbols"})";
  EXPECT_EQ(std::get<FolderPlace>(only(kFolder, {.folders = true}).location).path, "/srv/symbols");
  constexpr std::string_view kOwn = R"({"type":"s3","id":"s","bucket":"b","aws_credentials_provider":"container"})";
  EXPECT_EQ(std::get<S3Place>(only(kOwn, {.own_credentials = true}).location).credentials,
            S3Place::Credentials::container);
}

TEST(RequestedSources, AreRefusedEachForItself) {
  struct Row {
    std::string_view source, want;
  };
  const Row rows[] = {
      {R"({"type":"ftp","id":"x"})", "type: not known here; write http, s3, gcs, azure or filesystem"},
      {R"({"type":"sentry","id":"x"})", "type: sentry: only Sentry's own service has one"},
      {R"({"type":"filesystem","id":"x","path":"/"})",
       "type: filesystem: requests may not name directories of this machine"},
      {R"({"type":"s3","id":"x","bucket":"b","aws_credentials_provider":"container"})",
       "aws_credentials_provider: requests may not use the credentials of this machine"},
      {R"({"type":"http","id":"x","url":"http://a","layout":{"type":"odd"}})", "layout.type: not known here"},
      {R"({"type":"http","id":"x","url":"http://a","layout":"native"})", "layout: wanted an object, found text"},
      {R"({"type":"http","id":"x","url":"http://a","filters":{"filetypes":["odd"]}})",
       "filters.filetypes: one is not known here"},
      {R"({"type":"http","id":"x","url":"http://a","filters":{"filetypes":["proguard"]}})",
       "filters.filetypes: none of them is read here"},
      {R"({"type":"http","id":"x","url":"file:///etc/passwd"})",
       "url: wanted a URL that begins with http:// or https://"},
      {R"({"type":"http","id":"x"})", "url: missing"},
      {R"({"type":"http","id":"x","url":5})", "url: wanted text, found a number"},
      {R"({"type":"http","id":"x","url":"http://a","headers":{"a":"b\r\nHost: c"}})",
       "headers: one is no header of one line"},
      {R"({"type":"s3","id":"x"})", "bucket: missing"},
      {R"({"type":"s3","id":"x","bucket":"b","access_key":"k"})",
       "secret_key: give both access_key and secret_key, or neither"},
      {R"({"type":"s3","id":"x","bucket":"b","region":["r"]})", "region: wanted a name, or [NAME, ENDPOINT]"},
      {R"({"type":"gcs","id":"x","bucket":"b","client_email":"a"})",
       "private_key: give both client_email and private_key, or neither"},
      {R"({"id":"x"})", "type: missing"},
  };
  for (const Row& r : rows) {
    const auto all = read(fmt::format(R"([{},{{"type":"http","id":"good","url":"http://a"}}])", r.source));
    ASSERT_EQ(all.refused.size(), 1) << r.source;
    EXPECT_EQ(all.refused[0].id, "x");
    EXPECT_EQ(all.refused[0].why, fmt::format("sources[0].{}", r.want));
    ASSERT_EQ(all.sources->size(), 1) << "the others stand";
    EXPECT_EQ(all.sources->front().id, "good");
  }
}

TEST(RequestedSources, WithoutAnIdThatCanBeTold) {
  struct Row {
    std::string_view source, want;
  };
  const Row rows[] = {
      {R"({"type":"http","url":"http://a"})", "sources[0].id: missing"},
      {R"({"type":"http","id":"a b","url":"http://a"})",
       "sources[0].id: wanted printable characters of ASCII without blanks, at most 128"},
      {"5", "sources[0]: wanted an object"},
  };
  for (const Row& r : rows) {
    const auto all = read(fmt::format("[{}]", r.source));
    ASSERT_EQ(all.refused.size(), 1) << r.source;
    EXPECT_EQ(all.refused[0].id, "");
    EXPECT_EQ(all.refused[0].why, r.want);
  }
}

TEST(RequestedSources, NothingSecretIsTold) {
  const auto all = read(R"([{"type":"s3","id":"x","bucket":"b","access_key":"open-sesame"},
      {"type":"http","id":"y","url":"ftp://user:open-sesame@a"},
      {"type":"http","id":"z","url":"http://a","headers":{"Authorization":["open-sesame"]}},
      {"type":"http","id":"open sesame","url":"http://a"}])");
  EXPECT_EQ(all.refused.size(), 4);
  for (const RefusedSource& refused : all.refused)
    EXPECT_EQ((refused.id + refused.why).find("sesame"), std::string::npos) << refused.why;
}

}  // namespace
}  // namespace symcached::api
