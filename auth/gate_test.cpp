#include "auth/gate.hpp"

#include <gmock/gmock.h>

#include "net/run_task.hpp"

/// MIT krb5 1.20 loses the name of the service when a keytab cannot be read.
extern "C" const char* __lsan_default_suppressions() { return "leak:libkrb5.so\n"; }

namespace symcached::auth {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Options with_tokens() {
  return {.tokens = {{"ci", "secret", {"ours"}}, {"ci", "older", {}}, {"dev", "other", {}}},
          .rules = {{"ci", "internal*", false}, {"anonymous", "public*", true}}};
}

class GateTest : public ::testing::Test {
 protected:
  std::unique_ptr<Gate> gate(const Options& options) {
    auto opened = Gate::open(options, [this](Severity, const std::string& line) { log_ += line + "\n"; });
    EXPECT_TRUE(opened) << opened.error();
    return std::move(*opened);
  }
  /// "name by scheme", or the status of the refusal.
  std::string ask(Gate& gate, std::string authorization, Access access, std::string_view pdb = "app.pdb") {
    http::Client client{"192.0.2.7"};
    http::Request request{.client = &client};
    if (!authorization.empty()) request.headers.emplace_back("Authorization", std::move(authorization));
    const Verdict verdict = run_task(gate.admit(request, access));
    if (verdict.refusal) return std::to_string(verdict.refusal->status);
    if (!verdict.principal) return "nobody";
    request.principal = verdict.principal;
    if (const auto refusal = gate.refusal(request, pdb)) return std::to_string(refusal->status);
    return verdict.principal->name + " by " + verdict.principal->scheme;
  }
  std::string log_;
};

TEST_F(GateTest, LetsInByTokenAndRule) {
  struct Row {
    std::string_view why;
    std::string authorization;
    Access access;
    std::string pdb, want;
  };
  const Row rows[] = {
      {"bearer", "Bearer secret", Access::known, "app.pdb", "ci by bearer"},
      {"another of that name", "Bearer older", Access::known, "app.pdb", "ci by bearer"},
      {"basic", "Basic Y2k6c2VjcmV0", Access::known, "app.pdb", "ci by basic"},
      {"basic under another name", "Basic ZGV2OnNlY3JldA==", Access::known, "app.pdb", "401"},
      {"wrong token", "Bearer wrong", Access::known, "app.pdb", "401"},
      {"part of a token", "Bearer secre", Access::by_rules, "public.pdb", "401"},
      {"no token", "Bearer ", Access::by_rules, "public.pdb", "401"},
      {"not offered", "Negotiate YWJj", Access::by_rules, "public.pdb", "401"},
      {"nobody", "", Access::known, "public.pdb", "401"},
      {"nobody, by a rule", "", Access::by_rules, "public.pdb", "anonymous by "},
      {"nobody, by no rule", "", Access::by_rules, "app.pdb", "401"},
      {"known, by a rule", "Bearer secret", Access::by_rules, "internal.pdb", "403"},
      {"another one", "Bearer other", Access::by_rules, "internal.pdb", "dev by bearer"},
      {"open to all", "", Access::everyone, "app.pdb", "nobody"},
      {"open to all, with nonsense", "Bearer wrong", Access::everyone, "app.pdb", "nobody"},
  };
  const auto open = gate(with_tokens());
  for (const Row& r : rows) EXPECT_EQ(ask(*open, r.authorization, r.access, r.pdb), r.want) << r.why;
  EXPECT_EQ(open->wrong(), 5u);
  EXPECT_THAT(log_, HasSubstr("a client at 192.0.2.7 failed to log in: a wrong token"));
  EXPECT_THAT(log_, Not(HasSubstr("secre")));
}

TEST_F(GateTest, ScopesComeWithTheToken) {
  const auto open = gate(with_tokens());
  const http::Request request{.headers = {{"Authorization", "Bearer secret"}}};
  EXPECT_THAT(run_task(open->admit(request, Access::known)).principal->scopes, ElementsAre("ours"));
}

TEST_F(GateTest, ChallengesNameEveryScheme) {
  const auto open = gate(with_tokens());
  const auto refusal = run_task(open->admit({}, Access::known)).refusal;
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->status, 401u);
  EXPECT_EQ(std::get<std::string>(refusal->body), "");
  std::string text;
  for (const auto& [name, value] : refusal->headers) text += name + ": " + value + "\n";
  EXPECT_EQ(text,
            "Cache-Control: no-store\n"
            "WWW-Authenticate: Bearer realm=\"symcached\"\n"
            "WWW-Authenticate: Basic realm=\"symcached\", charset=\"UTF-8\"\n");
}

TEST_F(GateTest, WithoutAnythingSetEverybodyIsLetIn) {
  const auto open = gate({});
  EXPECT_EQ(ask(*open, "", Access::known), "nobody");
  EXPECT_EQ(ask(*open, "Bearer wrong", Access::by_rules), "nobody");
}

TEST_F(GateTest, HidesWhatIsRefused) {
  Options options = with_tokens();
  options.hide = true;
  EXPECT_EQ(ask(*gate(options), "Bearer secret", Access::by_rules, "internal.pdb"), "404");
}

TEST_F(GateTest, Reloads) {
  const auto open = gate(with_tokens());
  EXPECT_TRUE(open->reload({.tokens = {{"new", "newer", {}}}}));
  EXPECT_EQ(ask(*open, "Bearer secret", Access::known), "401");
  EXPECT_EQ(ask(*open, "Bearer newer", Access::known), "new by bearer");
  EXPECT_FALSE(open->reload({}));
  EXPECT_FALSE(open->reload({.negotiate = true, .keytab = "/no/keytab"}));
  EXPECT_EQ(ask(*open, "Bearer newer", Access::known), "new by bearer");
  EXPECT_FALSE(gate({})->reload(with_tokens()));
}

TEST_F(GateTest, SaysWhatIsWrongWithAKeytab) {
  const auto opened = Gate::open({.negotiate = true, .keytab = "/no/keytab"}, [](Severity, const std::string&) {});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error(), HasSubstr("keytab /no/keytab: "));
}

}  // namespace
}  // namespace symcached::auth
