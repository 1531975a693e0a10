#include "api/transcode/request.hpp"

#include <gtest/gtest.h>

namespace symcached::api {
namespace {

TEST(WorkerCall, PathsAndMethods) {
  struct Row {
    std::string_view method;
    std::vector<std::string> segments;
    std::optional<WorkerRequest> request;
    std::string_view rest;  ///< the lease, or the methods that the path takes
  };
  const Row rows[] = {
      {"POST", {"lease"}, WorkerRequest::lease, ""},
      {"GET", {"lease", "1f", "pdb"}, WorkerRequest::pdb, "1f"},
      {"HEAD", {"lease", "1f", "pdb"}, WorkerRequest::pdb, "1f"},
      {"POST", {"lease", "1f", "renew"}, WorkerRequest::renew, "1f"},
      {"PUT", {"lease", "1f"}, WorkerRequest::result, "1f"},
      {"POST", {"lease", "1f", "fail"}, WorkerRequest::failure, "1f"},
      {"GET", {"lease"}, std::nullopt, "POST"},
      {"DELETE", {"lease", "1f"}, std::nullopt, "PUT"},
      {"PUT", {"lease", "1f", "pdb"}, std::nullopt, "GET, HEAD"},
      {"POST", {}, std::nullopt, ""},
      {"POST", {"Lease"}, std::nullopt, ""},
      {"GET", {"lease", "1f", "exe"}, std::nullopt, ""},
      {"GET", {"lease", "1f", "pdb", ""}, std::nullopt, ""},
  };
  for (const Row& r : rows) {
    const auto call = parse_worker_call(r.method, r.segments);
    EXPECT_EQ(call ? std::optional(call->request) : std::nullopt, r.request) << r.method << r.segments.size();
    EXPECT_EQ(call ? call->lease : call.error().methods, r.rest) << r.method << r.segments.size();
  }
}

TEST(LeaseRequest, OnlyAsThePageHasIt) {  // docs/protocols/remote-transcoder.md
  const std::string longest(64, 'w');
  struct Row {
    std::string_view why;
    std::string body;
    bool good;
  };
  const Row rows[] = {
      {"as on the page", R"({"worker": "BUILD-07", "majors": [3]})", true},
      {"more keys", R"({"worker": "", "majors": [3, 4294967295], "more": {}})", true},
      {"the longest name", R"({"majors": [3], "worker": ")" + longest + "\"}", true},
      {"too long a name", R"({"majors": [3], "worker": "x)" + longest + "\"}", false},
      {"sixteen numbers", R"({"worker": "w", "majors": [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]})", true},
      {"one too many", R"({"worker": "w", "majors": [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]})", false},
      {"none", R"({"worker": "w", "majors": []})", false},
      {"a number", R"({"worker": "w", "majors": 3})", false},
      {"a text", R"({"worker": "w", "majors": ["3"]})", false},
      {"below 0", R"({"worker": "w", "majors": [-1]})", false},
      {"beyond 32 bits", R"({"worker": "w", "majors": [4294967296]})", false},
      {"a fraction", R"({"worker": "w", "majors": [3.5]})", false},
      {"no name", R"({"majors": [3]})", false},
      {"a name that is none", R"({"worker": 7, "majors": [3]})", false},
      {"a list", "[]", false},
      {"nothing", "", false},
      {"cut", R"({"worker": "w", "majors": [3])", false},
      {"something behind it", R"({"worker": "w", "majors": [3]} x)", false},
      {"no UTF-8", "{\"worker\": \"\xff\", \"majors\": [3]}", false},
      {"deep", std::string(10'000, '['), false},
  };
  for (const Row& r : rows) EXPECT_EQ(parse_lease_request(r.body).has_value(), r.good) << r.why;
  EXPECT_EQ(parse_lease_request(rows[1].body)->majors, (std::vector<std::uint32_t>{3, 4294967295}));
}

TEST(WorkerFailure, ItsWords) {
  EXPECT_EQ(parse_failure(R"({"why": "exit status 1"})"), "exit status 1");
  for (const char* bad : {R"({"why": 1})", "{}", "", "\"why\""}) EXPECT_FALSE(parse_failure(bad)) << bad;
}

TEST(WorkerResult, VersionOfTheQuery) {
  struct Row {
    std::string_view target;
    std::string_view version;  ///< empty: none
  };
  const Row rows[] = {{"/transcode/lease/1f?version=3.1.0", "3.1.0"},
                      {"/x?a=b&version=3.1.0&c", "3.1.0"},
                      {"/x?version=3.1.0#version=4.0.0", "3.1.0"},
                      {"/x", ""},
                      {"/x?", ""},
                      {"/x?version=", ""},
                      {"/x?version=3.1", ""},
                      {"/x?version=v3.1.0", ""},
                      {"/x?Version=3.1.0", ""},
                      {"/x?version=3.1.0&version=3.1.0", ""}};
  for (const Row& r : rows) {
    const auto version = parse_result_version(r.target);
    EXPECT_EQ(version ? version->to_string() : "", r.version) << r.target;
  }
}

}  // namespace
}  // namespace symcached::api
