#include "net/http.hpp"

#include <gmock/gmock.h>

namespace symcached::http {
namespace {

using Segments = std::vector<std::string>;

TEST(HttpPath, SplitsAndResolves) {
  struct Row {
    std::string_view target;
    std::optional<Segments> want;
  };
  const Row rows[] = {
      {"/", Segments{""}},
      {"/a/b", Segments{"a", "b"}},
      {"/a/b/", Segments{"a", "b", ""}},
      {"/a//b", Segments{"a", "", "b"}},
      {"/a/../b", Segments{"b"}},
      {"/../../b", Segments{"b"}},
      {"/a/./b/.", Segments{"a", "b", ""}},
      {"/a/b/..", Segments{"a", ""}},
      {"/a/%2E%2E/b?x=/../y#z", Segments{"a", "%2E%2E", "b"}},
      {"HTTP://host:80/a/b", Segments{"a", "b"}},
      {"http://host", Segments{""}},
      {"http://host?q", Segments{""}},
      {"a/b", std::nullopt},
      {"*", std::nullopt},
      {"", std::nullopt},
  };
  for (const Row& r : rows) EXPECT_EQ(path_segments(r.target), r.want) << r.target;
}

TEST(HttpPath, DecodesOnce) {
  struct Row {
    std::string_view text;
    std::optional<std::string> want;
  };
  const Row rows[] = {
      {"a%20b+c", "a b+c"},  {"%C3%A9", "\xc3\xa9"},        {"%252E", "%2E"}, {"%", std::nullopt}, {"%2", std::nullopt},
      {"%zz", std::nullopt}, {"%00", std::string(1, '\0')},
  };
  for (const Row& r : rows) EXPECT_EQ(percent_decode(r.text), r.want) << r.text;
  EXPECT_EQ(percent_encode("a b+c/\xc3\xa9%2E~"), "a%20b%2Bc%2F%C3%A9%252E~");
  EXPECT_EQ(percent_encode_path("/a b/%/~"), "/a%20b/%25/~");
}

TEST(HttpMessage, NamesDoNotCountCase) {
  const Request request{"GET", "/", {{"If-Range", " \"a\" "}, {"if-range", "b"}}};
  EXPECT_EQ(request.header("IF-RANGE"), "\"a\"");
  EXPECT_EQ(request.count("If-range"), 2u);
  EXPECT_FALSE(request.header("Range"));
}

TEST(HttpFile, AnswersConditionsAndRanges) {  // docs/protocols/symcache-http.md
  struct Row {
    std::string_view why, method;
    Headers headers;
    unsigned status;
    std::uint64_t offset, size;
    std::string_view content_range;
  };
  const std::string etag = "\"1.0.0-abc\"";
  const Row rows[] = {
      {"no condition", "GET", {}, 200, 4096, 1000, ""},
      {"first bytes", "GET", {{"Range", "bytes=0-99"}}, 206, 4096, 100, "bytes 0-99/1000"},
      {"unit in any case", "GET", {{"Range", "Bytes=0-99"}}, 206, 4096, 100, "bytes 0-99/1000"},
      {"last byte", "GET", {{"Range", "bytes=-1"}}, 206, 5095, 1, "bytes 999-999/1000"},
      {"suffix larger than the file", "GET", {{"Range", "bytes=-5000"}}, 206, 4096, 1000, "bytes 0-999/1000"},
      {"to the end", "GET", {{"Range", "bytes=990-"}}, 206, 5086, 10, "bytes 990-999/1000"},
      {"beyond the end is cut",
       "GET",
       {{"Range", "bytes=990-99999999999999999999999"}},
       206,
       5086,
       10,
       "bytes 990-999/1000"},
      {"starts behind the end", "GET", {{"Range", "bytes=999999999-"}}, 416, 0, 0, "bytes */1000"},
      {"start over 64 bits", "GET", {{"Range", "bytes=99999999999999999999999-"}}, 416, 0, 0, "bytes */1000"},
      {"no last bytes", "GET", {{"Range", "bytes=-0"}}, 416, 0, 0, "bytes */1000"},
      {"backwards", "GET", {{"Range", "bytes=9-1"}}, 200, 4096, 1000, ""},
      {"two ranges", "GET", {{"Range", "bytes=0-1,5-6"}}, 200, 4096, 1000, ""},
      {"malformed", "GET", {{"Range", "bytes=x-"}}, 200, 4096, 1000, ""},
      {"only a dash", "GET", {{"Range", "bytes=-"}}, 200, 4096, 1000, ""},
      {"another unit", "GET", {{"Range", "lines=0-1"}}, 200, 4096, 1000, ""},
      {"HEAD has no range", "HEAD", {{"Range", "bytes=0-99"}}, 200, 4096, 1000, ""},
      {"If-Range holds", "GET", {{"Range", "bytes=0-99"}, {"If-Range", etag}}, 206, 4096, 100, "bytes 0-99/1000"},
      {"If-Range is old", "GET", {{"Range", "bytes=0-99"}, {"If-Range", "\"old\""}}, 200, 4096, 1000, ""},
      {"If-Range is weak", "GET", {{"Range", "bytes=0-99"}, {"If-Range", "W/" + etag}}, 200, 4096, 1000, ""},
      {"client has it", "GET", {{"If-None-Match", etag}}, 304, 0, 0, ""},
      {"client has it among others", "GET", {{"If-None-Match", "\"x\", W/" + etag}}, 304, 0, 0, ""},
      {"client has anything", "HEAD", {{"If-None-Match", "*"}}, 304, 0, 0, ""},
      {"client has another", "GET", {{"If-None-Match", "\"x\""}}, 200, 4096, 1000, ""},
  };
  for (const Row& r : rows) {
    const Request request{std::string(r.method), "/", r.headers};
    const Response response = file_response(request, {nullptr, 4096, 1000}, etag, {{"Content-Type", "t"}});
    EXPECT_EQ(response.status, r.status) << r.why;
    EXPECT_EQ(response.header("Content-Range").value_or(""), r.content_range) << r.why;
    EXPECT_EQ(response.header("ETag").value_or(""), r.status == 416 ? "" : etag) << r.why;
    EXPECT_EQ(response.header("Content-Type").has_value(), r.status != 304) << r.why;
    const auto* slice = std::get_if<FileSlice>(&response.body);
    ASSERT_EQ(slice != nullptr, r.size != 0) << r.why;
    if (slice == nullptr) continue;
    EXPECT_EQ(slice->offset, r.offset) << r.why;
    EXPECT_EQ(slice->size, r.size) << r.why;
  }
}

}  // namespace
}  // namespace symcached::http
