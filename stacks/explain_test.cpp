#include "stacks/explain.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace symcached::stacks {
namespace {

using std::chrono::seconds;
using enum DownloadStatus;

constexpr WallTime kNow{seconds(1'000'000)};
constexpr WallTime kIn58{kNow + seconds(58)};

sources::ModuleIds pdb() {
  return {.code_file = R"(C:\a\app.exe)",
          .debug_file = R"(C:\b\app.pdb)",
          .debug_id = DebugId::parse("3249d99d-0c40-4931-8610-f4e4fb0b6936-1")};
}
sources::ModuleIds elf() { return {.code_file = "/opt/srv", .code_id = "abcd"}; }

CandidateInfo said(DownloadStatus status, std::string details = {}, std::string why = {},
                   std::optional<WallTime> retry_at = {}) {
  return {.source = "s",
          .location = "http://s/x",
          .download = status,
          .details = details,
          .why = why,
          .retry_at = retry_at};
}
CandidateInfo used(std::string location) {
  return {.source = "s", .location = std::move(location), .download = ok, .debug = UseStatus{}};
}

struct Case {
  std::string_view why;
  Looked module;
  std::vector<CandidateInfo> asked;
  std::string_view reason, fix;
};

TEST(Advice, SaysWhyAndWhatHelps) {  // docs/protocols/symbolicator.md
  const auto file = [](sources::ModuleIds ids, std::string_view why = {}) {
    return Looked{.trouble = Trouble::no_file, .ids = std::move(ids), .why = why};
  };
  const std::string_view upload = "upload app.pdb with debug id 3249d99d-0c40-4931-8610-f4e4fb0b6936-1";
  const Case rows[] = {
      {"no module",
       {Trouble::no_module},
       {},
       "no module covers this address",
       "send all modules of the process, with image_addr and image_size"},
      {"rel:7 of 2",
       {Trouble::no_such_module},
       {},
       "the frame is relative to a module that is not in the request",
       "send all modules, in their order"},
      {"no id",
       {.trouble = Trouble::no_id},
       {},
       "this module has no id that its files can be found by",
       "send its debug_id and debug_file, or its code_id"},
      {"nobody to ask",
       file(elf()),
       {},
       "there is no source to ask",
       "name a source that has the debug file of srv with build id abcd"},
      {"no layout fits",
       file(pdb()),
       {{.source = "s", .location = std::string(kNoFilesListed)}},
       "no source has a place for files of this module",
       "name a source whose layout and filters allow for app.pdb with debug id 3249d99d-0c40-4931-8610-f4e4fb0b6936-1"},
      {"nobody has it",
       file(pdb()),
       {said(not_found), said(not_found)},
       "no source has a debug file for this id",
       upload},
      {"and that is remembered",
       file(elf()),
       {said(not_found, "", "", kIn58)},
       "no source has a debug file for this id",
       "upload the debug file of srv with build id abcd; then ask again in 58 s"},
      {"remembered no longer",
       file(pdb()),
       {said(not_found, "", "", kNow)},
       "no source has a debug file for this id",
       upload},
      {"there by now",
       {.trouble = Trouble::no_file, .ids = elf(), .retry_at = kIn58},
       {{.source = "s", .location = "http://s/x.debug", .download = ok, .features = Features{.has_debug_info = true}}},
       "source s has x.debug now, and said that it had no such file when it was asked for the module",
       "ask again in 58 s"},
      {"credentials",
       file(pdb()),
       {said(not_found), said(no_permission, "401 Unauthorized", "HTTP status 401")},
       "source s demands credentials: HTTP status 401",
       "give source s credentials that may read it"},
      {"refused",
       file(pdb()),
       {said(no_permission, "403 Forbidden", "HTTP status 403 AccessDenied")},
       "source s does not give it away: HTTP status 403 AccessDenied",
       "give source s credentials that may read it"},
      {"down weighs more than refused",
       file(pdb()),
       {said(no_permission, "403 Forbidden"), said(error, "x", "no answer within 10000 ms", kIn58)},
       "source s did not answer as it should: no answer within 10000 ms",
       "ask again in 58 s"},
      {"at once",
       file(pdb()),
       {said(error, "download failed: 500 Internal Server Error")},
       "source s did not answer as it should: download failed: 500 Internal Server Error",
       "ask again"},
      {"another file weighs most",
       file(pdb()),
       {said(error, "x"), said(malformed, "", "id is AB, expected CD")},
       "source s has another file at this place, or a damaged one: id is AB, expected CD",
       upload},
      {"no use, seen when it was read",
       file(pdb(), "not a PDB"),
       {said(ok)},
       "the file that was found is no use: not a PDB",
       "upload app.pdb with debug id 3249d99d-0c40-4931-8610-f4e4fb0b6936-1 that is whole, and of this build"},
      {"of ours",
       {.trouble = Trouble::own_fault, .retry_at = kIn58},
       {},
       "the server could not do it; its log says why",
       "ask again in 58 s"},
      {"outside",
       {.trouble = Trouble::outside, .ids = elf()},
       {used("http://s/ab/cd.debug")},
       "the address lies outside every function of cd.debug",
       "check image_addr; if that is right, the code there has no symbol"},
      {"names only",
       {.trouble = Trouble::names_only, .ids = elf()},
       {used("http://s/ab/cd")},
       "cd was found but has no line information",
       "build srv with debug information, and upload the debug file of srv with build id abcd"},
      {"no line",
       {.trouble = Trouble::no_line, .ids = elf()},
       {},
       "the debug information in srv has no line for this address",
       "build that part of the program with debug information"},
      {"by a command",
       {.trouble = Trouble::no_file, .ids = elf(), .is_local = true},
       {said(not_found)},
       "no source has a debug file for this id",
       "give --symbols a place that has the debug file of srv with build id abcd"},
  };
  for (Case row : rows) {
    row.module.asked = row.asked;
    const Advice advice = advice_on(row.module, kNow);
    EXPECT_EQ(advice.reason, row.reason) << row.why;
    EXPECT_EQ(advice.fix, row.fix) << row.why;
  }
}

TEST(Advice, IsThereForEveryTrouble) {
  for (int trouble = 0; trouble <= static_cast<int>(Trouble::no_line); ++trouble) {
    const Advice advice = advice_on({.trouble = static_cast<Trouble>(trouble)}, kNow);
    EXPECT_FALSE(advice.reason.empty() || advice.fix.empty()) << trouble;
  }
}

TEST(Advice, CutsLongNames) {
  const Advice advice = advice_on({.trouble = Trouble::no_line, .ids = {.code_file = std::string(5000, 'x')}}, kNow);
  EXPECT_LT(advice.reason.size(), 300u);
}

}  // namespace
}  // namespace symcached::stacks
