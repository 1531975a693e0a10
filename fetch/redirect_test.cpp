#include "fetch/redirect.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

#include "fetch/hop.hpp"
#include "testing/server/fake_upstream.hpp"
#include "testing/server/source_fixture.hpp"

namespace symcached::fetch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(Redirect, LeadsWhereTheHeaderSays) {
  struct Row {
    std::string_view from, location, want;
  };
  const Row rows[] = {
      {"http://a/x/y", "z", "http://a/x/z"},
      {"http://a/x/y", "/z?q=1#f", "http://a/z?q=1"},
      {"http://a/x/y", "../z", "http://a/z"},
      {"http://a/x", "//b/z", "http://b/z"},
      {"http://a/x", "https://b:8443/z", "https://b:8443/z"},
      {"http://a/x", "HTTP://B/z", "http://B/z"},
      {"http://a/x", "/with space", "http://a/with%20space"},
      {"https://a/x", "https://b/y", "https://b/y"},
      {"https://a/x", "http://b/y", "error: redirects from https to http (http://b:80)"},
      {"https://a/x", "http://a/y", "error: redirects from https to http (http://a:80)"},
      {"http://a/x", "file:///etc/passwd", "error: redirects to scheme file"},
      {"http://a/x", "ftp://b/y", "error: redirects to scheme ftp"},
      {"http://a/x", "http://", "error: redirects to an invalid URL"},
      {"http://a/x", "http://b:99999/", "error: redirects to an invalid URL"},
      {"http://a/x", "http://user:secret@b/y", "http://b/y"},
      {"http://user:secret@a/x", "http://b/y", "http://b/y"},
      {"http://user:secret@a/x", "//b/y", "http://b/y"},
      {"http://user:secret@a/x", "http://a:81/y", "http://a:81/y"},
      {"http://user:secret@a/x", "https://a/y", "https://a/y"},
      {"http://user:secret@a/x", "/y", "http://user:secret@a/y"},
      {"http://user:secret@a/x", "http://A:80/y", "http://user:secret@A:80/y"},
      {"http://user:secret@a/x", "http://other:word@a/y", "http://user:secret@a/y"},
  };
  for (const Row& r : rows) {
    const Target from = parse_target(r.from).value();
    const auto next = redirected(from, from, r.location);
    EXPECT_THAT(next ? next->url : "error: " + next.error(), StartsWith(r.want)) << r.from << " " << r.location;
  }
}

TEST(Redirect, AddressesWrittenOutAreKnown) {
  struct Row {
    std::string_view url, want;
  };
  const Row rows[] = {
      {"http://127.0.0.1/", "127.0.0.1"},
      {"http://127.0.0.1./", "127.0.0.1"},
      {"http://127.1/", "127.0.0.1"},
      {"http://0x7f000001/", "127.0.0.1"},
      {"http://2130706433/", "127.0.0.1"},
      {"http://0177.0.0.1/", "127.0.0.1"},
      {"http://10.0.0.1:81/", "10.0.0.1"},
      {"http://169.254.169.254/latest", "169.254.169.254"},
      {"http://[::1]:81/", "::1"},
      {"http://[::ffff:127.0.0.1]/", "::ffff:127.0.0.1"},
      {"http://[fe80::1%25eth0]/", "fe80::1"},
      {"http://LocalHost/", "localhost"},
      {"http://localhost./", "localhost"},
      {"http://a.localhost/", "a.localhost"},
      {"http://1.1.1.1/", ""},
      {"http://[2606:4700::1111]/", ""},
      {"http://symbols.example/", ""},
  };
  for (const Row& r : rows) EXPECT_EQ(private_address(parse_target(r.url).value()).value_or(""), r.want) << r.url;
}

/// The address is looked at when a connection is made, and again when an old one is used.
TEST(Hop, LooksAtTheAddressOfItsPeer) {
  FakeUpstream upstream;
  upstream.answer_all_with(body("x"));
  const HttpRequest request{.url = upstream.url() + "/x"};
  const Target target = parse_target(request.url).value();
  const Limits limits;
  const std::string user_agent = "Test/1";
  const std::unique_ptr<CURLM, decltype(curl().multi_cleanup)> multi(curl().multi_init(), curl().multi_cleanup);
  const auto ask = [&](bool check_peer) {
    const Hop hop(request, target, {.check_peer = check_peer, .choose_proxy = true}, limits, user_agent);
    EXPECT_EQ(curl().multi_add_handle(multi.get(), hop.handle()), CURLM_OK);
    int running = 1;
    while (curl().multi_perform(multi.get(), &running) == CURLM_OK && running != 0)
      curl().multi_poll(multi.get(), nullptr, 0, 1000, nullptr);
    int left = 0;
    const CURLMsg* message = curl().multi_info_read(multi.get(), &left);
    EXPECT_NE(message, nullptr);
    const HttpResult result = hop.result(message->data.result);
    curl().multi_remove_handle(multi.get(), hop.handle());
    return result;
  };
  const HttpResult fresh = ask(true);
  EXPECT_EQ(fresh.end, HttpResult::End::led_astray);
  EXPECT_EQ(fresh.error, "127.0.0.1");
  EXPECT_TRUE(upstream.asked().empty());
  EXPECT_TRUE(ask(false).answered(200));
  const HttpResult reused = ask(true);
  EXPECT_EQ(reused.end, HttpResult::End::led_astray);
  EXPECT_EQ(reused.error, "127.0.0.1");
  EXPECT_EQ(upstream.asked().size(), 1u);
}

class RedirectTest : public SourceTest {
 protected:
  void SetUp() override {
    upstream_.put("/blob", body(fake_pdb("own")));
    storage_.put("/blob", body(fake_pdb("storage")));
  }
  std::string lead_to(const std::string& location, bool private_redirects = false,
                      const std::string& credentials = "") {
    upstream_.redirect("/" + kPath, location);
    Limits limits = small_limits();
    limits.private_redirects = private_redirects;
    HttpClient client(limits, "Test/1");
    auto asked = make_source("http://" + credentials + upstream_.url().substr(7), objects_, client);
    const std::string got = describe(run_task((*asked)->open(kWanted)));
    (*asked)->forget(kWanted);
    return got;
  }
  std::string port() const { return storage_.url().substr(storage_.url().rfind(':')); }

  FakeUpstream upstream_, storage_;
};

TEST_F(RedirectTest, OtherPrivateHostsAreRefusedUnlessAllowed) {
  const std::string spellings[] = {storage_.url(),
                                   "http://localhost" + port(),
                                   "http://0x7f000001" + port(),
                                   "http://2130706433" + port(),
                                   "http://127.1" + port(),
                                   "//127.0.0.1" + port(),
                                   "http://user:secret@127.0.0.1" + port()};
  for (const std::string& url : spellings) {
    const std::string refused = lead_to(url + "/blob?sig=secret");
    EXPECT_THAT(refused, AllOf(StartsWith("transient"), HasSubstr("is not on the public internet"))) << url;
    EXPECT_THAT(refused, AllOf(HasSubstr(port()), Not(HasSubstr("secret")))) << url;
  }
  EXPECT_THAT(storage_.asked(), IsEmpty());
  EXPECT_EQ(lead_to(storage_.url() + "/blob", true), "found " + fake_pdb("storage"));
}

TEST_F(RedirectTest, TheHostThatWasAskedMayBePrivate) {
  EXPECT_EQ(lead_to("/blob"), "found " + fake_pdb("own"));
  EXPECT_EQ(lead_to(upstream_.url() + "/blob"), "found " + fake_pdb("own"));
}

TEST_F(RedirectTest, EveryHopOfAChainIsLookedAt) {
  upstream_.redirect("/one", "/two");
  upstream_.redirect("/two", "/blob");
  EXPECT_EQ(lead_to("/one"), "found " + fake_pdb("own")) << "three of three";
  upstream_.redirect("/zero", "/one");
  EXPECT_THAT(lead_to("/zero"), HasSubstr("more than 3 redirects"));
  upstream_.redirect("/two", storage_.url() + "/blob");
  EXPECT_THAT(lead_to("/one"), HasSubstr("is not on the public internet"));
  EXPECT_THAT(storage_.asked(), IsEmpty());
  storage_.redirect("/back", upstream_.url() + "/blob");
  EXPECT_EQ(lead_to(storage_.url() + "/back", true), "found " + fake_pdb("own"));
  for (const std::string location : {"file:///etc/passwd", "gopher://127.0.0.1/", "http://", ""})
    EXPECT_THAT(lead_to(location), StartsWith("transient")) << location;
}

TEST_F(RedirectTest, CredentialsStayWithTheirOrigin) {
  EXPECT_EQ(lead_to("/blob", true, "user:secret@"), "found " + fake_pdb("own"));
  EXPECT_THAT(upstream_.header("Authorization"), StartsWith("Basic "));
  EXPECT_EQ(lead_to(storage_.url() + "/blob", true, "user:secret@"), "found " + fake_pdb("storage"));
  EXPECT_EQ(storage_.header("Authorization"), "");
  EXPECT_THAT(storage_.header("User-Agent"), "Test/1");
}

TEST_F(RedirectTest, AProxyIsNotAskedForPrivateAddresses) {
  FakeUpstream proxy;
  ::setenv("http_proxy", proxy.url().c_str(), 1);
  const std::string asked_path = "http://symbols.test/" + kPath;
  proxy.put("http://symbols.test/index2.txt", http::text(404, "no"));
  proxy.redirect(asked_path, "http://10.1.2.3/blob");
  HttpClient client(small_limits(), "Test/1");
  const auto source = make_source("http://symbols.test", objects_, client);
  ASSERT_TRUE(source);
  EXPECT_THAT(describe(run_task((*source)->open(kWanted))), HasSubstr("10.1.2.3 is not on the public internet"));
  EXPECT_THAT(proxy.asked(), Not(::testing::Contains("http://10.1.2.3/blob")));
  proxy.redirect(asked_path, "http://storage.test/blob");
  proxy.put("http://storage.test/blob", body(fake_pdb("by proxy")));
  EXPECT_EQ(describe(run_task((*source)->open(kWanted))), "found " + fake_pdb("by proxy"));
  ::unsetenv("http_proxy");
}

}  // namespace
}  // namespace symcached::fetch
