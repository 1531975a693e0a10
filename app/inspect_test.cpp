#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "testing/pe/image.hpp"

namespace symcached::app {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testkit::PeImage;
using testkit::rsds;

struct Outcome {
  int status = kDone;
  std::string out;
  std::string err;
};

class Inspect : public testing::Test {
 protected:
  Inspect() {
    std::string name = testing::TempDir() + "inspect_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~Inspect() override { std::filesystem::remove_all(folder_); }

  std::string file(std::string_view name, Bytes content) {
    const std::string_view text = as_text(content);
    std::ofstream(folder_ / name, std::ios::binary).write(text.data(), static_cast<std::streamsize>(text.size()));
    return (folder_ / name).string();
  }
  std::string image(std::string_view name, std::string_view pdb) {
    PeImage spec;
    spec.debug = {{.data = rsds(pdb, 1)}};
    return file(name, testkit::assemble(spec).finish());
  }
  Outcome run(std::vector<std::string> arguments) {
    CLI::App app;
    Outcome outcome;
    add_inspect(app, outcome.status);
    arguments.insert(arguments.begin(), "inspect");
    std::ranges::reverse(arguments);  // as CLI11 wants them
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    app.parse(arguments);
    std::fflush(nullptr);
    outcome.out = testing::internal::GetCapturedStdout();
    outcome.err = testing::internal::GetCapturedStderr();
    return outcome;
  }
  std::filesystem::path folder_;
};

TEST_F(Inspect, JsonHasTheKeysThatHaveValues) {
  const std::string exe = image("app.exe", "C:\\out\\app.pdb");
  const std::string bare =
      file("app.map", as_bytes("BCSymbolMap Version: 2.0\n"));  // a kind of which only the magic is told
  const Outcome got = run({exe, bare, "--json"});
  EXPECT_EQ(got.status, kDone);
  EXPECT_THAT(got.err, IsEmpty());
  EXPECT_EQ(got.out, "[{\"file\":\"" + exe +
                         R"(","kind":"pe","arch":"x86_64","debug_id":"01020304-0506-0708-090a-0b0c0d0e0f10-1",)"
                         R"("guid":"0102030405060708090A0B0C0D0E0F10","age":1,)"
                         R"("code_id":"5AB380779000","debug_file":"C:\\out\\app.pdb",)"
                         R"("features":["symbols","dwarf","debug-directory"],)"
                         R"("links":[{"kind":"pdb","debug_id":"01020304-0506-0708-090a-0b0c0d0e0f10-1",)"
                         R"("path":"C:\\out\\app.pdb"}],"size":2637},{"file":")" +
                         bare + "\",\"kind\":\"bcsymbolmap\",\"size\":25}]\n");
}

TEST_F(Inspect, TextIsAligned) {
  const std::string exe = image("app.exe", "app.pdb");
  const Outcome got = run({exe});
  EXPECT_EQ(got.status, kDone);
  EXPECT_EQ(got.out, exe +
                         "\n"
                         "  kind        pe\n"
                         "  arch        x86_64\n"
                         "  size        2637 bytes\n"
                         "  debug_id    01020304-0506-0708-090a-0b0c0d0e0f10-1\n"
                         "  guid        0102030405060708090A0B0C0D0E0F10\n"
                         "  age         1\n"
                         "  code_id     5AB380779000\n"
                         "  debug_file  app.pdb\n"
                         "  features    symbols, dwarf, debug-directory\n"
                         "  link        pdb           01020304-0506-0708-090a-0b0c0d0e0f10-1  app.pdb\n");
}

TEST_F(Inspect, MalformedAndMissingFilesAreNamedAndTheOthersDescribed) {
  const std::string exe = image("app.exe", "app.pdb");
  const auto whole = testkit::assemble(PeImage{}).finish();
  const std::string cut = file("cut.exe", Bytes(whole).first(70));
  const std::string missing = (folder_ / "missing").string();
  const Outcome got = run({cut, missing, exe, "--json"});
  EXPECT_EQ(got.status, kCouldNot);
  EXPECT_THAT(got.err, HasSubstr("symcached inspect: " + cut + ": truncated: 2 of 20 bytes (pe.coff_header "));
  EXPECT_THAT(got.err, HasSubstr("symcached inspect: cannot open " + missing + ": No such file"));
  EXPECT_THAT(got.out, HasSubstr("\"kind\":\"pe\",\"size\":70,\"error\":\"" + cut + ": truncated: "));
  EXPECT_THAT(got.out, HasSubstr("{\"file\":\"" + missing + "\",\"error\":\"cannot open "));
  EXPECT_THAT(got.out, HasSubstr("\"debug_file\":\"app.pdb\""));
}

TEST_F(Inspect, WhatNobodyKnowsIsAFailureToldOnce) {
  struct Row {
    std::string name, content, want;
  };
  for (const Row& r : {Row{"notes.txt", "hello", "unrecognized format"}, Row{"nothing", "", "empty file"}}) {
    const std::string path = file(r.name, as_bytes(r.content));
    const Outcome got = run({path});
    EXPECT_EQ(got.status, kCouldNot) << r.name;
    EXPECT_EQ(got.err, "symcached inspect: " + path + ": " + r.want + "\n");
    EXPECT_THAT(got.out, testing::Not(HasSubstr(r.want)));
  }
}

TEST_F(Inspect, HostileNamesReachNeitherTerminalNorJsonAsTheyAre) {
  const std::string exe = image("app.exe", "\x1B[2J\xC2\x9B\x34m\xFFgr\xC3\xBC\xC3\x9F\x65.pdb");
  const Outcome text = run({exe});
  EXPECT_THAT(text.out, HasSubstr("debug_file  \\x1b[2J\\xc2\\x9b4m\\xffgr\xC3\xBC\xC3\x9F\x65.pdb\n"));
  const Outcome json = run({exe, "--json"});
  EXPECT_THAT(json.out, HasSubstr("\"debug_file\":\"\\u001b[2J\xC2\x9B\x34m\xEF\xBF\xBDgr\xC3\xBC\xC3\x9F\x65.pdb\""));
}

TEST_F(Inspect, WithoutAFileIsWrongUsage) {
  CLI::App app;
  int status = kDone;
  add_inspect(app, status);
  std::vector<std::string> arguments{"inspect"};
  EXPECT_THROW(app.parse(arguments), CLI::ParseError);
}

}  // namespace
}  // namespace symcached::app
