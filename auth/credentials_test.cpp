#include "auth/credentials.hpp"

#include <gtest/gtest.h>

#include "base/bytes.hpp"
#include "base/overloaded.hpp"

namespace symcached::auth {
namespace {

std::string described(const Credentials& credentials) {
  return std::visit(overloaded{[](const NoCredentials&) -> std::string { return "none"; },
                               [](const BadCredentials& b) { return "bad: " + std::string(b.why); },
                               [](const NegotiateToken& n) { return "negotiate " + std::string(as_text(n.token)); },
                               [](const BasicPair& b) { return "basic " + b.name + " / " + b.password; },
                               [](const BearerToken& b) { return "bearer " + b.token; }},
                    credentials);
}

TEST(Credentials, AreReadFromTheHeader) {
  struct Row {
    std::string value, want;
  };
  const Row rows[] = {
      {"Basic Y2k6c2VjcmV0", "basic ci / secret"},
      {"basic   Y2k6c2VjcmV0", "basic ci / secret"},
      {"Basic Y2k6", "basic ci / "},
      {"Basic Y2k6YTpi", "basic ci / a:b"},
      {"Basic Y2k=", "bad: Basic: no password"},
      {"Basic ####", "bad: Basic: not base64"},
      {"Basic Y2k", "bad: Basic: not base64"},
      {"Bearer secret", "bearer secret"},
      {"BEARER secret", "bearer secret"},
      {"Negotiate YWJj", "negotiate abc"},
      {"Negotiate !", "bad: Negotiate: not base64"},
      {"Negotiate", "bad: an Authorization header without credentials"},
      {"", "bad: an Authorization header without credentials"},
      {"Digest username=x", "bad: an unknown scheme"},
      {"Negotiate " + std::string(70'000, 'A'), "bad: Negotiate: not base64"},
  };
  for (const Row& r : rows)
    EXPECT_EQ(described(credentials_of({.headers = {{"Authorization", r.value}}})), r.want) << r.value.substr(0, 40);
  EXPECT_EQ(described(credentials_of({})), "none");
  EXPECT_EQ(described(credentials_of({.headers = {{"Authorization", "Bearer a"}, {"authorization", "Bearer b"}}})),
            "bad: more than one Authorization header");
}

}  // namespace
}  // namespace symcached::auth
