#include "formats/pdb/source_server.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "testing/assembler.hpp"
#include "testing/pdb/source_streams.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::pdb {
namespace {

using testkit::source_server_text;

std::vector<std::byte> to_bytes(std::string_view text) { return testkit::Section().text(text).finish(); }

/// The URL of the only entry; "-" if it has none.
std::string url_in(std::string_view variables, std::string_view entry) {
  const std::string text = source_server_text(variables, entry);
  auto server = SourceServer::parse(text);
  if (!server || server->files().empty()) return "unreadable";
  return server->url_of(server->files().front()).value_or("-");
}

TEST(SourceServer, FillsTheTargetIn) {
  struct Row {
    std::string_view why, variables, entry, want;
  };
  const Row rows[] = {
      {"an alias", "HTTP_ALIAS=https://h/p\nHTTP_EXTRACT_TARGET=%HTTP_ALIAS%/%var2%\nSRCSRVTRG=%http_extract_target%\n",
       "c:\\a.c*src/a.c", "https://h/p/src/a.c"},
      {"a field that names a variable", "SERVER=http://h:8080\nSRCSRVTRG=%fnvar%(%var2%)/%var3%?v=%var4%\n",
       "c:\\a.c*SERVER*d/a.c*17", "http://h:8080/d/a.c?v=17"},
      {"a variable that names a target", "T=https://h/%var4%/%var3%\nSRCSRVTRG=%fnvar%(%var2%)\n", "c:\\a.c*T*a.c*17",
       "https://h/17/a.c"},
      {"the file's name", "SRCSRVTRG=https://h/%fnfile%(%var1%)\n", "c:\\d\\a.c", "https://h/a.c"},
      {"nested", "N=var2\nSRCSRVTRG=https://h%fnbksl%(/x/%fnfile%(%fnvar%(%n%)))\n", "c:\\a.c*p/q(1).c",
       "https://h/x/q(1).c"},
      {"a URL of its own", "SRCSRVTRG=%var2%\n", "c:\\a.c*HTTPS://h/a.c", "HTTPS://h/a.c"},
      {"names of any case, blanks around", "T = https://h \nSrcSrvTrg= %T%/%VAR1%\n", "a.c", "https://h/a.c"},
      {"the last definition counts", "SRCSRVTRG=http://old/\nSRCSRVTRG=http://new/\n", "a.c", "http://new/"},
      {"an empty field", "SRCSRVTRG=https://h/a%var2%\n", "a.c*", "https://h/a"},
      {"encoded bytes in the target", "SRCSRVTRG=https://h/%2F%var2%%20x\n", "a.c*b", "https://h/%2Fb%20x"},
      {"a % in a field is text", "SRCSRVTRG=https://h/%var2%\n", "a.c*%var1%", "https://h/%var1%"},
      {"what a URL cannot have", "SRCSRVTRG=https://h/%var2%\n", "a.c*b c\\\xC3\xA4|.c", "https://h/b%20c/%C3%A4%7C.c"},
      {"a folder", "SRCSRVTRG=%targ%\\%var2%\n", "a.c*b", "-"},
      {"another scheme", "SRCSRVTRG=file:///etc/%var2%\n", "a.c*passwd", "-"},
      {"a share", "SRCSRVTRG=\\\\server\\%var2%\n", "a.c*b", "-"},
      {"a command alone", "SRCSRVCMD=curl https://h/%var2%\n", "a.c*b", "-"},
      {"no variables", "", "a.c*b", "-"},
      {"not defined", "SRCSRVTRG=https://h/%gone%\n", "a.c", "-"},
      {"a field that is not there", "SRCSRVTRG=https://h/%var3%\n", "a.c*b", "-"},
      {"no eleventh field", "SRCSRVTRG=https://h/%var11%\n", "1*2*3*4*5*6*7*8*9*10*11", "-"},
      {"the tenth", "SRCSRVTRG=https://h/%var10%\n", "1*2*3*4*5*6*7*8*9*10*11", "https://h/10"},
      {"of itself", "SRCSRVTRG=https://h/%srcsrvtrg%\n", "a.c", "-"},
      {"of each other", "A=%b%\nB=%a%\nSRCSRVTRG=https://h/%a%\n", "a.c", "-"},
      {"no parentheses", "SRCSRVTRG=https://h/%fnfile%\n", "a.c", "-"},
      {"not closed", "SRCSRVTRG=https://h/%fnfile%((%var1%)\n", "a.c", "-"},
      {"half a reference", "SRCSRVTRG=https://h/%var1\n", "a.c", "-"},
  };
  for (const Row& r : rows) EXPECT_EQ(url_in(r.variables, r.entry), r.want) << r.why;
}

TEST(SourceServer, ReadsItsSections) {
  struct Row {
    std::string_view why, text;
    std::size_t files;  ///< 99: refused
  };
  const Row rows[] = {
      {"as tools write it",
       "SRCSRV: ini ---\r\nVERSION=2\r\nSRCSRV: variables ---\r\nSRCSRVTRG=x\r\n"
       "SRCSRV: source files ---\r\na.c*1\r\nb.c*2\r\nSRCSRV: end ---\r\nc.c*3\r\n",
       2},
      {"a byte order mark, no end", "\xEF\xBB\xBFSRCSRV: source files\na.c", 1},
      {"other letters, blank lines", "srcsrv: SOURCE FILES\n\n  \na.c*\n\n", 1},
      {"no path", "SRCSRV: source files\n*a\n", 0},
      {"no files", "SRCSRV: source files\nSRCSRV: end\n", 0},
      {"nothing", "", 99},
      {"variables alone", "SRCSRV: variables\nSRCSRVTRG=http://h/\n", 99},
      {"other text", "a.c*b\n", 99},
  };
  for (const Row& r : rows) {
    const auto server = SourceServer::parse(r.text);
    EXPECT_EQ(server ? server->files().size() : 99, r.files) << r.why;
  }
  const std::string large(kMaxSourceServer + 1, 'x');
  EXPECT_EQ(SourceServer::parse(large).error().kind, ReadError::Kind::too_large);
}

TEST(SourceServer, PathsAreAsTheyAre) {
  auto server = SourceServer::parse("SRCSRV: source files\nC:\\Src\\A (1).c*x\n");
  ASSERT_TRUE(server);
  EXPECT_EQ(server->files().front().path, "C:\\Src\\A (1).c");
}

/// What is nested, long or repeated ends, and soon.
TEST(SourceServer, WorkIsBounded) {
  std::string doubling = "A0=x\n";
  for (int i = 1; i <= 15; ++i) {
    const std::string before = "%a" + std::to_string(i - 1) + "%";
    doubling.append("A").append(std::to_string(i)).append("=").append(before).append(before).append("\n");
  }
  EXPECT_EQ(url_in(doubling + "SRCSRVTRG=http://h/%a13%\n", "a.c"), "-") << "too long";
  EXPECT_EQ(url_in(doubling + "SRCSRVTRG=http://h/%a2%\n", "a.c"), "http://h/xxxx");

  std::string nothing = "A0=\n" + doubling.substr(doubling.find('\n') + 1) + "SRCSRVTRG=http://h/%a13%\n";
  std::string entries;
  for (int i = 0; i < 1000; ++i) entries += "a.c\n";
  const std::string text = source_server_text(nothing, entries);
  auto server = SourceServer::parse(text);
  ASSERT_TRUE(server);
  ASSERT_EQ(server->files().size(), 1000u);
  EXPECT_EQ(server->url_of(server->files().front()), "http://h/") << "empty, but much work";
  std::size_t done = 0;
  for (const SourceServer::File& file : server->files()) done += server->url_of(file).has_value();
  EXPECT_LT(done, 100u);

  std::string many;
  for (std::size_t i = 0; i < kMaxSourceServerFiles + 5; ++i) many += "a\n";
  const std::string listed = source_server_text("", many);
  EXPECT_EQ(SourceServer::parse(listed)->files().size(), kMaxSourceServerFiles);
}

TEST(SourceServerFuzzCorpus, IsWhatTheTestsWrite) {
  const testkit::StoredInput inputs[] = {
      {"alias.txt", to_bytes(source_server_text("A=https://h/p\nT=%A%/%var2%\nSRCSRVTRG=%t%\nSRCSRVCMD=\n",
                                                "c:\\a.c*src/a.c\nc:\\b.c*src/b c.c\n"))},
      {"functions.txt", to_bytes(source_server_text(
                            "S=http://h\nSRCSRVTRG=%fnvar%(%var2%)%fnbksl%(/%fnfile%(%var1%))\n", "c:\\d\\a.c*S*1\n"))},
      {"cycle.txt", to_bytes(source_server_text("A=%b%\nB=%a%\nSRCSRVTRG=http://%a%\n", "a*b\n"))},
      {"folder.txt", to_bytes(source_server_text("SRCSRVTRG=%targ%\\%var2%\n", "a*b\n"))},
  };
  testkit::expect_stored("formats/pdb/fuzz_corpus/source_server_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::pdb
