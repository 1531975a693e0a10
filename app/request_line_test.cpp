#include "app/request_line.hpp"

#include <gtest/gtest.h>

namespace symcached::app {
namespace {

using service::RequestResult;
using std::chrono::milliseconds;

constexpr milliseconds kSlow{10'000};
const std::string kId = "01234567-0000-4000-8000-000000000000";

service::RequestAnswer answer(RequestResult result) {
  service::RequestAnswer answer{200, "{...}", result};
  answer.numbers.scope = "team";
  answer.numbers.modules = {2, 1, 1};
  answer.numbers.frames = {30, 4, 1};
  return answer;
}

TEST(RequestLine, TellsWhatIsSlowOrFailed) {
  struct Row {
    const char* why;
    RequestResult result;
    milliseconds took;
    Severity severity;
    const char* want;  ///< empty: nothing
  };
  const Row rows[] = {
      {"as it should be", RequestResult::completed, kSlow, Severity::info, ""},
      {"slow", RequestResult::completed, milliseconds(10'001), Severity::info, "stack traces were answered"},
      {"failed", RequestResult::failed, milliseconds(5), Severity::warning, "stack traces have too long an answer"},
      {"invalid", RequestResult::invalid, milliseconds(5), Severity::info,
       "stack traces are not what the protocol says"},
      {"a fault", RequestResult::internal_error, milliseconds(5), Severity::error,
       "stack traces were not answered: bang"},
  };
  for (const Row& r : rows) {
    const auto made = answer(r.result);
    const auto line = line_of({kId, made, r.took, "bang"}, kSlow);
    EXPECT_EQ(line ? line->text : "", r.want) << r.why;
    EXPECT_EQ(line ? line->severity : Severity::info, r.severity) << r.why;
  }
}

TEST(RequestLine, HasTheNumbersInBothFormats) {
  const auto made = answer(RequestResult::failed);
  const auto line = line_of({kId, made, milliseconds(1'234)}, kSlow);
  ASSERT_TRUE(line);
  EXPECT_EQ(with_fields(line->text, line->fields),
            "stack traces have too long an answer request=" + kId +
                " scope=team status=failed ms=1234 modules=4 modules_found=2 modules_unused=1 frames=35"
                " frames_symbolicated=30 bytes=5");
  EXPECT_EQ(as_json(line->text, line->fields),
            R"("stack traces have too long an answer","request":")" + kId +
                R"(","scope":"team","status":"failed","ms":1234,"modules":4,"modules_found":2,"modules_unused":1,)"
                R"("frames":35,"frames_symbolicated":30,"bytes":5)");
}

TEST(LogFields, TextIsTextInJson) {
  const LogField fields[] = {{"scope", std::string("a\"b\n")}};
  EXPECT_EQ(as_json("a \"line\"", fields), R"("a \"line\"","scope":"a\"b\n")");
  EXPECT_EQ(as_json("a line", {}), R"("a line")");
}

}  // namespace
}  // namespace symcached::app
