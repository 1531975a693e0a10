#include "api/recorder.hpp"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "testing/temp_folder.hpp"

namespace symcached::api {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(ShapeOfTarget, TellsHowANameIsWrittenAndNotWhatItIs) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"/v3.1.0/Secret.pdb/3249D99D-0C40-4931-8610-F4E4FB0B6936/12",
       "/v3.1.0/Xxxxxx.xxx/0000A00A-0A00-0000-0000-A0A0AA0A0000/00"},
      {"/open/v2.1.0/a%20b+c.pdb/3249d99d0c4049318610f4e4fb0b6936",
       "/open/v2.1.0/x%20x+x.xxx/0000a00a0a0000000000a0a0aa0a0000"},
      {"/team/SymCache/V3.1.0/x", "/xxxx/XxxXxxxx/V3.1.0/x"},
      {"/readyz?token=secret", "/readyz"},
      {"/caf\xC3\xA9.pdb/", "/xxx\xC3\xA9.xxx/"},
      {"http://host/v3.1.0/x", "xxxx://xxxx/x0.0.0/x"},
      {"/%53ecret%2b%4", "/%58xxxxx%2B%0"},
      {"*", "*"},
      {"", ""},
  };
  for (const auto& [target, shape] : rows) EXPECT_EQ(shape_of_target(target), shape);
}

TEST(ShownHeader, KeepsWhatAProtocolSaysAndNoSecret) {
  const std::tuple<std::string_view, std::string_view, std::string_view> rows[] = {
      {"User-Agent", "WPA/11", "WPA/11"},
      {"allow-retry-after", "TRUE", "TRUE"},
      {"Authorization", "Negotiate YIIsecret", "Negotiate (SPNEGO, 9 bytes)"},
      {"Authorization", "Negotiate TlRMTVNTUAAB", "Negotiate (NTLM, 12 bytes)"},
      {"Authorization", "Bearer secret", "Bearer (token, 6 bytes)"},
      {"authorization", "secretsecretsecretsecret", "secretsecretsecr (token, 0 bytes)"},
      {"Host", "symbols.corp.example", "(20 bytes)"},
      {"X-User", "alice", "(5 bytes)"},
  };
  for (const auto& [name, value, shown] : rows) EXPECT_EQ(shown_header(name, value), shown) << name;
}

TEST(Recorder, KeepsALineForEachRequestUntilItIsFull) {
  const TempFolder folder;
  const std::string path = folder.path() / "requests";
  std::vector<std::string> said;
  const Log log = [&](Severity, const std::string& line) { said.push_back(line); };
  const auto recorder = Recorder::open(path, log, 500);
  ASSERT_TRUE(recorder) << recorder.error();
  const http::Request request{"GET", "/v3.1.0/Secret.pdb/1", {{"Allow-Retry-After", "true"}, {"Cookie", "secret"}}};
  for (int i = 0; i < 5; ++i) {
    const std::string line = (*recorder)->line_of(request);
    (*recorder)->answered(line, {404, {{"Retry-After", "1"}}, ""});
  }
  const std::string kept = read(path);
  EXPECT_EQ(std::ranges::count(kept, '\n'), 2) << kept;
  EXPECT_THAT(kept, AllOf(HasSubstr(R"("method":"GET","target":"/v3.1.0/Xxxxxx.xxx/0","same":1)"),
                          HasSubstr(R"=(["Allow-Retry-After","true"],["Cookie","(6 bytes)"])="),
                          HasSubstr(R"("status":404,"size":0,"retry_after":"1"})"), Not(HasSubstr("ecret"))));
  EXPECT_THAT(said, ::testing::ElementsAre("the recording is full; no more requests are recorded"));
  EXPECT_FALSE(Recorder::open(folder.path() / "none/requests", log));
}

}  // namespace
}  // namespace symcached::api
