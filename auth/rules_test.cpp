#include "auth/rules.hpp"

#include <gtest/gtest.h>

namespace symcached::auth {
namespace {

const http::Principal kAlice{"alice@TEST.LOCAL", "kerberos"};
const http::Principal kBot{"ci", "bearer"};
const http::Principal kNobody{"anonymous", ""};

TEST(Rules, NamePrincipals) {
  struct Row {
    std::string_view pattern;
    http::Principal principal;
    bool want;
  };
  const Row rows[] = {
      {"alice@TEST.LOCAL", kAlice, true},
      {"Alice@TEST.LOCAL", kAlice, false},
      {"*@TEST.LOCAL", kAlice, true},
      {"*@OTHER", kAlice, false},
      {"*@LOCAL", kAlice, false},
      {"*", kAlice, true},
      {"*", kBot, true},
      {"ci", kBot, true},
      {"*", kNobody, false},
      {"anonymous", kNobody, true},
      {"anonymous", kBot, false},
      {"anonymous", {"anonymous", "ntlm"}, false},
      {"*@TEST.LOCAL", {"\\alice@TEST.LOCAL", "ntlm"}, false},
      {"*@TEST.LOCAL", {"alice@EVIL\\@TEST.LOCAL", "kerberos"}, false},
      {"TEST\\alice", {"TEST\\alice", "ntlm"}, true},
  };
  for (const Row& r : rows) EXPECT_EQ(names(r.pattern, r.principal), r.want) << r.pattern << ", " << r.principal.name;
}

TEST(Rules, TheFirstMatchCounts) {
  const Rules rules({{"ci", "secret*", false},
                     {"*@TEST.LOCAL", "*", true},
                     {"anonymous", "public*.pdb", true},
                     {"*", "secret*", false}});
  struct Row {
    http::Principal principal;
    std::string_view pdb;
    bool want;
  };
  const Row rows[] = {
      {kAlice, "secret.pdb", true}, {kBot, "secret.pdb", false},    {kBot, "SECRET.PDB", false},
      {kBot, "app.pdb", true},      {kNobody, "public1.pdb", true}, {kNobody, "app.pdb", false},
  };
  for (const Row& r : rows) EXPECT_EQ(rules.allow(r.principal, r.pdb), r.want) << r.principal.name << ", " << r.pdb;
  EXPECT_TRUE(rules.allow_anonymous());
  EXPECT_FALSE(Rules({{"anonymous", "*", false}, {"*", "*", true}}).allow_anonymous());
}

}  // namespace
}  // namespace symcached::auth
