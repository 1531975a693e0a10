#include "api/symbolicator/response.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/symbolicator/request.hpp"
#include "symbolize/derive.hpp"
#include "testing/caches/answering_modules.hpp"
#include "testing/managed/dotnet_files.hpp"

namespace symcached::api {
namespace {

namespace json = boost::json;
using stacks::ModuleStatus;

std::string answer(std::string_view body, const std::vector<stacks::ModuleState>& states) {
  const auto parsed = parse_symbolicate_body(body, {});
  if (!parsed) return parsed.error().why;
  stacks::Scratch scratch;
  return completed_body(parsed->request, stacks::ModuleMap(parsed->request.modules), states, scratch).text;
}

/// At 0x1000: ns::outer(int), from offset 4 on with std::get<int>() inlined (testkit::answering_functions).
symbolize::Module crash_module() {
  return testkit::module_of(
      testkit::write(testkit::answering_functions(), {.arch = model::Arch::x86_64, .producer_kind = "elf"}));
}

TEST(SymbolicateResponse, CountsItsFrames) {
  const auto module = crash_module();
  const auto parsed = parse_symbolicate_body(
      R"({"stacktraces":[{"frames":[{"instruction_addr":"0x401004"},{"instruction_addr":"0x1"}]}],
          "modules":[{"type":"elf","image_addr":"0x400000","image_size":65536}]})",
      {});
  ASSERT_TRUE(parsed);
  const std::vector<stacks::ModuleState> states{{.status = ModuleStatus::found, .module = &module}};
  stacks::Scratch scratch;
  const auto body = completed_body(parsed->request, stacks::ModuleMap(parsed->request.modules), states, scratch);
  const auto count = [&](stacks::FrameStatus status) { return body.frames[static_cast<std::size_t>(status)]; };
  EXPECT_EQ(count(stacks::FrameStatus::symbolicated), 2u) << "one of them inlined";
  EXPECT_EQ(count(stacks::FrameStatus::unknown_image), 1u);
  EXPECT_FALSE(body.is_failure);
}

TEST(SymbolicateResponse, HasTheFieldsOfTheProtocolInItsOrder) {
  const auto module = crash_module();
  const std::string got = answer(
      R"({"signal":11,
      "stacktraces":[{"thread_id":7,"thread_name":"main","is_requesting":true,
                      "registers":{"rsp":"0x8","rip":"0x401004"},
                      "frames":[{"instruction_addr":"0x401004","platform":"native","trust":"context"},
                                {"instruction_addr":"0x1003","addr_mode":"rel:0","in_app":true},
                                {"instruction_addr":"0x1","package":"libc","in_app":false}]},
                     {"frames":[]}],
      "modules":[{"type":"elf","code_id":"F1C3","code_file":"/a/crash","debug_file":"crash","image_addr":"0x400000",
                  "debug_id":"C0BCC3F1-9827-FE65-3058-404B2831D9E6"},
                 {"type":"pe","image_addr":"0x600000"}]})",
      {{.status = ModuleStatus::found, .module = &module, .features = {.has_debug_info = true, .has_symbols = true}},
       {}});
  EXPECT_EQ(
      got, R"x({"status":"completed","signal":11,"stacktraces":[)x"
           R"x({"thread_id":7,"thread_name":"main","is_requesting":true,"registers":{"rip":"0x401004","rsp":"0x8"},)x"
           R"x("frames":[{"status":"symbolicated","original_index":0,"platform":"native",)x"
           R"x("instruction_addr":"0x401004","package":"/a/crash","lang":"cpp","symbol":"_ZSt3getIiEvv",)x"
           R"x("function":"std::get<int>()","filename":"utility","abs_path":"/usr/include/utility","lineno":3,)x"
           R"x("trust":"context"},)x"
           R"x({"status":"symbolicated","original_index":0,"platform":"native","instruction_addr":"0x401004",)x"
           R"x("package":"/a/crash","lang":"cpp","symbol":"_ZN2ns5outerEi","sym_addr":"0x401000",)x"
           R"x("function":"ns::outer(int)","filename":"a \"b\".cpp","abs_path":"C:\\src\\a \"b\".cpp","lineno":12,)x"
           R"x("trust":"context"},)x"
           R"x({"status":"symbolicated","original_index":1,"instruction_addr":"0x401002","package":"/a/crash",)x"
           R"x("lang":"cpp","symbol":"_ZN2ns5outerEi","sym_addr":"0x401000","function":"ns::outer(int)",)x"
           R"x("filename":"a \"b\".cpp","abs_path":"C:\\src\\a \"b\".cpp","lineno":10},)x"
           R"x({"status":"unknown_image","original_index":2,"instruction_addr":"0x1","package":"libc","in_app":false})x"
           R"x(]},{"frames":[]}],"modules":[)x"
           R"x({"debug_status":"found","features":{"has_debug_info":true,"has_unwind_info":false,"has_symbols":true,)x"
           R"x("has_sources":false},"arch":"x86_64","type":"elf","code_id":"f1c3","code_file":"/a/crash",)x"
           R"x("debug_id":"c0bcc3f1-9827-fe65-3058-404b2831d9e6","debug_file":"crash","image_addr":"0x400000",)x"
           R"x("image_size":2097152},)x"
           R"x({"debug_status":"unused","features":{"has_debug_info":false,"has_unwind_info":false,)x"
           R"x("has_symbols":false,"has_sources":false},"arch":"unknown","type":"pe","image_addr":"0x600000"}]})x");
}

TEST(SymbolicateResponse, Extended) {
  const auto module = crash_module();
  const std::string got = answer(R"({"options":{"extended":true},
      "stacktraces":[{"frames":[{"instruction_addr":"0x1"},{"instruction_addr":"0x401006"}]}],
      "modules":[{"type":"elf","image_addr":"0x400000"}]})",
                                 {{.status = ModuleStatus::found, .module = &module}});
  const json::value value = json::parse(got);
  const json::array& frames = value.at("stacktraces").at(0).at("frames").as_array();
  ASSERT_EQ(frames.size(), 3);
  EXPECT_FALSE(frames[0].as_object().contains("confidence"));
  EXPECT_EQ(frames[2].at("instruction_addr"), "0x401005");
  EXPECT_EQ(frames[2].at("original_instruction_addr"), "0x401006");
  EXPECT_EQ(frames[2].at("function_offset"), 5);
  EXPECT_EQ(frames[2].at("function_size"), 0x20);
  EXPECT_EQ(frames[2].at("colno"), 5);
  EXPECT_EQ(frames[2].at("confidence"), "line");
}

TEST(SymbolicateResponse, Candidates) {
  using stacks::DownloadStatus;
  const stacks::Features features{.has_debug_info = true};
  const std::vector<stacks::ModuleState> states = {
      {.status = ModuleStatus::missing,
       .unwind_status = ModuleStatus::unused,
       .candidates = {{.source = "s", .location = "http://a/x", .download = DownloadStatus::not_found},
                      {.source = "s", .location = "http://a/y", .download = DownloadStatus::error, .details = "why"},
                      {.source = "s",
                       .location = "http://a/z",
                       .download = DownloadStatus::ok,
                       .features = features,
                       .unwind = stacks::UseStatus{},
                       .debug = stacks::UseStatus{stacks::UseStatus::Kind::error, "unsupported: x"}}}}};
  const std::string got = answer(R"({"options":{"dif_candidates":true},"modules":[{"type":"elf"}]})", states);
  EXPECT_NE(got.find(R"("debug_status":"missing","unwind_status":"unused")"), got.npos);
  EXPECT_EQ(got.substr(got.find(R"("candidates":)")),
            R"("candidates":[{"source":"s","location":"http://a/x","download":{"status":"notfound"}},)"
            R"({"source":"s","location":"http://a/y","download":{"status":"error","details":"why"}},)"
            R"({"source":"s","location":"http://a/z","download":{"status":"ok","features":{"has_debug_info":true,)"
            R"("has_unwind_info":false,"has_symbols":false,"has_sources":false}},"unwind":{"status":"ok"},)"
            R"("debug":{"status":"error","details":"unsupported: x"}}]}]})");
  const std::string untold = answer(R"({"modules":[{"type":"elf"}]})", states);
  EXPECT_EQ(untold.find("candidates"), untold.npos);
}

TEST(SymbolicateResponse, LinesOfSource) {
  const stacks::Request request;
  ResponseWriter writer(request);
  const std::vector<std::string_view> before{"a", "\t\"b\""}, after{""};
  stacks::OutFrame out{.status = stacks::FrameStatus::symbolicated};
  out.frame.pre_context = &before;
  out.frame.context_line = "";
  out.frame.post_context = &after;
  out.frame.source_link = "https://a/x.cs";
  writer.begin_stack({});
  writer.frame(out);
  writer.end_stack();
  EXPECT_EQ(std::move(writer).finish(stacks::ModuleMap({}), {}),
            R"({"status":"completed","stacktraces":[{"frames":[{"status":"symbolicated","original_index":0,)"
            R"("instruction_addr":"0x0","pre_context":["a","\u0009\"b\""],"context_line":"","post_context":[""],)"
            R"("source_link":"https://a/x.cs"}]}],"modules":[]})");
}

TEST(SymbolicateResponse, HasALimit) {
  const auto module = crash_module();
  const auto parsed = parse_symbolicate_body(R"({"stacktraces":[{"frames":[{"instruction_addr":"0x401000"},
      {"instruction_addr":"0x401000"}]},{"frames":[{"instruction_addr":1}]}],
      "modules":[{"type":"elf","image_addr":"0x400000"}]})",
                                             {});
  ASSERT_TRUE(parsed);
  const stacks::ModuleMap modules(parsed->request.modules);
  const std::vector<stacks::ModuleState> states = {{.status = ModuleStatus::found, .module = &module}};
  stacks::Scratch scratch;
  ResponseWriter writer(parsed->request, {.limit = 100});
  symbolicate(parsed->request, modules, states, scratch, writer);
  EXPECT_TRUE(writer.is_full());
  EXPECT_EQ(std::move(writer).finish(modules, states),
            R"({"status":"failed","message":"the answer has more than 100 bytes; ask for fewer frames at once"})");
}

TEST(SymbolicateResponse, OtherAnswers) {
  EXPECT_EQ(pending_body("1-2", 30), R"({"status":"pending","request_id":"1-2","retry_after":30})");
  EXPECT_EQ(failed_body("no \"dump\""), R"({"status":"failed","message":"no \"dump\""})");
  EXPECT_EQ(timeout_body(), R"({"status":"timeout"})");
  EXPECT_EQ(internal_error_body(), R"({"status":"internal_error"})");
  EXPECT_EQ(error_body("what"), R"({"detail":"what"})");
  const std::vector<std::string> causes{"a", "b"};
  EXPECT_EQ(error_body("what", causes), R"({"detail":"what","causes":["a","b"]})");
}

/// Stack traces of .NET programs as their runtime tells them, against what it says of their frames.
class DotnetRequests : public testing::TestWithParam<std::string_view> {};

TEST_P(DotnetRequests, AreAnsweredAsTheRuntimeDoes) {
  const std::string pdb = testkit::dotnet_pdb(GetParam());
  const auto cache = symbolize::derive_ppdbcache({.file = as_bytes(pdb)});
  ASSERT_TRUE(cache) << cache.error();
  const auto module = symbolize::Module::view(cache->file);
  ASSERT_TRUE(module);
  std::vector<std::map<std::string, std::string>> wanted;
  std::string frames;
  for (const std::string& line : testkit::lines_of(testkit::dotnet_file(GetParam(), "frames.jsonl"))) {
    auto frame = testkit::json_line(line);
    if (frame["assembly"] != "Traces.dll" || frame["line"] == "0") continue;
    frames += fmt::format(R"({}{{"addr_mode":"rel:0","instruction_addr":"{}","function_id":"{:#x}","function":"f"}})",
                          frames.empty() ? "" : ",", frame["il"], std::stoul(frame["token"], nullptr, 0) & 0xFFFFFF);
    wanted.push_back(std::move(frame));
  }
  ASSERT_GT(wanted.size(), 10);
  const std::string got = answer(fmt::format(R"({{"stacktraces":[{{"frames":[{}]}}],
      "modules":[{{"type":"pe_dotnet","code_file":"Traces.dll","debug_file":"Traces.pdb"}}]}})",
                                             frames),
                                 {{.status = ModuleStatus::found, .module = &*module}});
  const json::value value = json::parse(got);
  const json::array& answered = value.at("stacktraces").at(0).at("frames").as_array();
  ASSERT_EQ(answered.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(answered[i].at("status"), "symbolicated") << i;
    EXPECT_EQ(answered[i].at("abs_path").as_string(), wanted[i]["file"]) << i;
    EXPECT_EQ(answered[i].at("lineno").to_number<unsigned>(), std::stoul(wanted[i]["line"])) << i;
    EXPECT_EQ(answered[i].at("lang"), "csharp") << i;
    EXPECT_EQ(answered[i].at("function"), "f") << i;
  }
}
INSTANTIATE_TEST_SUITE_P(Variants, DotnetRequests, testing::ValuesIn(testkit::kDotnetVariants),
                         [](const auto& row) { return std::string(row.param); });

TEST(SymbolicateResponse, ExplainsWhatIsMissingToThoseWhoAsk) {
  const std::string body = R"("stacktraces":[{"frames":[{"instruction_addr":"0x1"},{"instruction_addr":"0x400001"}]}],
      "modules":[{"type":"elf","code_id":"f1c3","code_file":"/a/srv","image_addr":"0x400000"}]})";
  const stacks::WallTime retry_at{std::chrono::seconds(58)};
  std::vector<stacks::ModuleState> states{{.status = ModuleStatus::missing}};
  states[0].candidates = {{.source = "s", .location = "http://s/f1/c3", .retry_at = retry_at}};
  const std::string plain = answer("{" + body, states);
  const std::string explained = answer(R"({"options":{"explain":true},)" + body, states);
  EXPECT_EQ(
      explained,
      plain.substr(0, plain.size() - 1) +
          R"x(,"explanations":[{"module":0,"frames":[{"stack":0,"original_index":1}],"frame_count":1,)x"
          R"x("reason":"no source has a debug file for this id",)x"
          R"x("fix":"upload the debug file of srv with build id f1c3; then ask again in 58 s",)x"
          R"x("asked":[{"source":"s","location":"http://s/f1/c3","status":"notfound","retry_at":58,"retry_after":58}]},)x"
          R"x({"frames":[{"stack":0,"original_index":0}],"frame_count":1,"reason":"no module covers this address",)x"
          R"x("fix":"send all modules of the process, with image_addr and image_size"}]})x");
}

}  // namespace
}  // namespace symcached::api
