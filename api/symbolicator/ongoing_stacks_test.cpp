#include "api/symbolicator/ongoing_stacks.hpp"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/symbolicator/request.hpp"
#include "testing/caches/answering_modules.hpp"

namespace symcached::api {
namespace {

namespace json = boost::json;
using stacks::ModuleStatus;

constexpr std::string_view kBody = R"({"options":{"explain":true},
    "stacktraces":[{"frames":[{"instruction_addr":"0x401004"},{"instruction_addr":"0x601004"}]}],
    "modules":[{"type":"elf","image_addr":"0x400000"},{"type":"elf","image_addr":"0x600000"},
               {"type":"elf","image_addr":"0x800000"}]})";

std::string statuses(const json::value& answer) {
  std::string text;
  for (const json::value& frame : answer.at("stacktraces").at(0).at("frames").as_array())
    (text += frame.at("status").as_string()) += ' ';
  for (const json::value& module : answer.at("modules").as_array())
    (text += module.at("debug_status").as_string()) += ' ';
  return text;
}

TEST(OngoingStacks, AreAnsweredFromWhatIsThere) {
  auto parsed = parse_symbolicate_body(kBody, {});
  ASSERT_TRUE(parsed) << parsed.error().why;
  OngoingStacks stacks(std::move(parsed->request));
  const auto ask = [&] { return json::parse(stacks.partial("a-1", std::chrono::seconds(7))); };
  const json::value first = ask();
  EXPECT_EQ(first.at("status").as_string(), "pending");
  EXPECT_EQ(first.at("request_id").as_string(), "a-1");
  EXPECT_EQ(first.at("retry_after").as_int64(), 7);
  EXPECT_FALSE(first.as_object().contains("explanations"));
  EXPECT_EQ(statuses(first), "pending pending fetching fetching unused ");
  const auto module = std::make_shared<const symbolize::Module>(testkit::native_module());
  stacks.found(0, {.status = ModuleStatus::found, .module = module.get()}, module);
  EXPECT_EQ(statuses(ask()), "symbolicated symbolicated pending found fetching unused ") << "one is inlined";
  stacks.found(1, {.status = ModuleStatus::missing}, nullptr);
  EXPECT_EQ(statuses(ask()), "symbolicated symbolicated missing found missing unused ");
}

}  // namespace
}  // namespace symcached::api
