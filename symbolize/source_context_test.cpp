#include "symbolize/source_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/assembler.hpp"
#include "testing/managed/dotnet_files.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::symbolize {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::Exact;

/// "BEFORE|BEFORE>LINE<AFTER|AFTER"; "-" for a line that the file does not have.
std::string shown(const std::optional<SourceContext>& context) {
  if (!context) return "-";
  std::string out;
  for (std::size_t i = 0; i < context->before.size(); ++i) out += (i == 0 ? "" : "|") + context->before[i];
  out += ">" + context->line + "<";
  for (std::size_t i = 0; i < context->after.size(); ++i) out += (i == 0 ? "" : "|") + context->after[i];
  return out;
}

std::string context_text(std::string_view source, std::uint32_t line, std::uint32_t around) {
  const Exact exact(as_bytes(source));
  return shown(source_context(exact.bytes(), line, around));
}

TEST(SourceContext, LinesAndTheirEnds) {
  struct Row {
    std::string_view why, source;
    std::uint32_t line, around;
    std::string_view want;
  };
  constexpr std::string_view kSeven = "1\n2\n3\n4\n5\n6\n7";
  const Row rows[] = {
      {"in the middle", kSeven, 4, 2, "2|3>4<5|6"},
      {"at the start", kSeven, 1, 2, ">1<2|3"},
      {"near the start", kSeven, 2, 2, "1>2<3|4"},
      {"at the end", kSeven, 7, 2, "5|6>7<"},
      {"near the end", kSeven, 6, 2, "4|5>6<7"},
      {"everything", kSeven, 4, 50, "1|2|3>4<5|6|7"},
      {"nothing around", kSeven, 4, 0, ">4<"},
      {"behind the end", kSeven, 8, 2, "-"},
      {"far behind the end", kSeven, 0xFFFFFFFF, 0xFFFFFFFF, "-"},
      {"line 0", kSeven, 0, 2, "-"},
      {"no text", "", 1, 2, "-"},
      {"one end is one empty line", "\n", 1, 2, "><"},
      {"and no second one", "\n", 2, 2, "-"},
      {"the last line may have its end", "1\n2\n", 2, 2, "1>2<"},
      {"empty lines count", "\n\n3\n\n", 3, 5, "|>3<"},
      {"\\r\\n", "1\r\n2\r\n3\r\n", 2, 1, "1>2<3"},
      {"\\r", "1\r2\r3\r", 2, 1, "1>2<3"},
      {"\\n\\r are two", "1\n\r3", 3, 2, "1|>3<"},
      {"U+0085", "1\u00852\u00853", 2, 1, "1>2<3"},
      {"U+2028", "1\u20282\u20283", 2, 1, "1>2<3"},
      {"U+2029", "1\u20292\u20293", 2, 1, "1>2<3"},
      {"form feed and vertical tab are none", "1\f\v\n2", 1, 1, ">1\f\v<2"},
      {"nor are their neighbours", "\u2027\u202A\u0084\u0086\u20A8\n2", 1, 1, ">\u2027\u202A\u0084\u0086\u20A8<2"},
      {"starts of them at the end", "1\n\xC2\n\xE2\x80", 3, 1, "\uFFFD>\uFFFD<"},
  };
  for (const Row& r : rows) EXPECT_EQ(context_text(r.source, r.line, r.around), r.want) << r.why;
}

TEST(SourceContext, Encodings) {
  struct Row {
    std::string_view why, source, want;  ///< of line 1
  };
  using namespace std::string_view_literals;
  const Row rows[] = {
      {"UTF-8", "a\u00E4\u20AC\U0001F600\n2"sv, ">a\u00E4\u20AC\U0001F600<2"},
      {"its mark is no text",
       "\xEF\xBB\xBF"
       "a\n2"sv,
       ">a<2"},
      {"a mark elsewhere is", "a\uFEFF\n2"sv, ">a\uFEFF<2"},
      {"half a mark", "\xEF\xBB"sv, ">\uFFFD<"},
      {"only a mark", "\xEF\xBB\xBF"sv, "-"},
      {"Latin-1",
       "\xFC"
       "ber \xE9t\xE9\n2"sv,
       ">\uFFFD"
       "ber \uFFFDt\uFFFD<2"},
      {"too long for what they are", "\xC0\x80\xE0\x9F\xBF\xF0\x8F\xBF\xBF"sv,
       ">\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD<"},
      {"surrogates, and above U+10FFFF", "\xED\xA0\x80\xF4\x90\x80\x80"sv,
       ">\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD<"},
      {"the ends of the ranges", "\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"sv, ">\uD7FF\uE000\U0010FFFF<"},
      {"what breaks off is one", "\xF0\x9F\x98|\xE2\x82|\xC3"sv, ">\uFFFD|\uFFFD|\uFFFD<"},
      {"controls stay", "a\0\x1B\t\n2"sv, ">a\0\x1B\t<2"sv},
      {"UTF-16, low byte first",
       "\xFF\xFE"
       "a\0\xE4\0\xAC\x20\x3D\xD8\0\xDE\r\0\n\0"
       "2\0"sv,
       ">a\u00E4\u20AC\U0001F600<2"},
      {"high byte first",
       "\xFE\xFF\0a\0\xE4\x20\xAC\xD8\x3D\xDE\0\0\r\0\n\0"
       "2"sv,
       ">a\u00E4\u20AC\U0001F600<2"},
      {"its line ends",
       "\xFF\xFE"
       "1\0\x85\0"
       "2\0\x28\x20"
       "3\0\x29\x20"
       "4\0\r\0"
       "5\0\n\0"
       "6\0"sv,
       ">1<2|3|4|5|6"},
      {"bytes of ends are none", "\xFF\xFE\x0A\x0A\x0D\x0D\x28\x21\n\0"sv, ">\u0A0A\u0D0D\u2128<"},
      {"halves of pairs",
       "\xFF\xFE\0\xDE"
       "a\0\x3D\xD8\n\0\x3D\xD8"sv,
       ">\uFFFD"
       "a\uFFFD<\uFFFD"},
      {"half a unit",
       "\xFF\xFE"
       "a\0b"sv,
       ">a\uFFFD<"},
      {"only its mark", "\xFF\xFE"sv, "-"},
  };
  for (const Row& r : rows) EXPECT_EQ(context_text(r.source, 1, 5), r.want) << r.why;
}

TEST(SourceContext, LongLinesAreCut) {
  const std::string full(kMaxContextLine, 'x'), half = full.substr(1), dots = "\u2026";
  std::string replaced;
  while (replaced.size() + 3 <= kMaxContextLine) replaced += "\uFFFD";
  const std::pair<std::string, std::string> rows[] = {
      {full, full},
      {full + "y", full + dots},
      {half + "\u00E4", half + dots},  // a character is not cut in two
      {std::string(1 << 20, '\xFF'), replaced + dots},
  };
  for (const auto& [source, want] : rows) {
    const auto context = source_context(as_bytes(source + "\nnext"), 1);
    ASSERT_TRUE(context);
    EXPECT_EQ(context->line, want);
    EXPECT_THAT(context->after, ElementsAre("next"));
  }
}

TEST(SourceContext, ManyLinesInOnePass) {
  std::string source;
  for (int i = 1; i <= 1000; ++i) source += std::to_string(i) + "\n";
  std::vector<std::uint32_t> lines = {500, 3, 1000, 0, 503, 500, 1001, 1};
  const auto all = source_contexts(as_bytes(source), lines, 2);
  ASSERT_EQ(all.size(), lines.size());
  const std::string_view want[] = {"498|499>500<501|502", "1|2>3<4|5", "998|999>1000<", "-", "501|502>503<504|505",
                                   "498|499>500<501|502", "-",         ">1<2|3"};
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(shown(all[i]), want[i]) << lines[i];
  lines.clear();
  for (std::uint32_t i = 0; i <= 1010; ++i) lines.push_back(i * 7 % 1011);
  const auto each = source_contexts(as_bytes(source), lines, 3);
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(each[i], source_context(as_bytes(source), lines[i], 3));
  EXPECT_THAT(source_contexts(as_bytes(source), {}), IsEmpty());
  EXPECT_EQ(source_context(as_bytes(source), 500, 0xFFFFFFFF)->before.size(), kMaxContextLines);
}

/// The lines of frames as the runtime resolved them.
TEST(SourceContext, LinesOfRealFrames) {
  struct Row {
    std::string_view file;
    std::uint32_t line;
    std::string_view want;
  };
  int compared = 0;
  for (const std::string& text : testkit::lines_of(testkit::dotnet_file("debug", "frames.jsonl"))) {
    auto frame = testkit::json_line(text);
    const std::string file = frame["file"];
    if (!file.starts_with("/src/Traces/") || file.find("/obj/") != file.npos) continue;
    const auto line = static_cast<std::uint32_t>(std::stoul(frame["line"]));
    const std::string source = testkit::dotnet_file("", file.substr(1));
    const auto lines = testkit::lines_of(source);
    const auto context = source_context(as_bytes(source), line);
    ASSERT_TRUE(context) << text;
    EXPECT_EQ(context->line, lines[line - 1]);
    EXPECT_EQ(context->before.size(), std::min<std::size_t>(line - 1, kContextLines));
    EXPECT_EQ(context->after.size(), std::min<std::size_t>(lines.size() - line, kContextLines));
    for (std::size_t i = 0; i < context->before.size(); ++i)
      EXPECT_EQ(context->before[i], lines[line - 1 - context->before.size() + i]);
    for (std::size_t i = 0; i < context->after.size(); ++i) EXPECT_EQ(context->after[i], lines[line + i]);
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

TEST(SourceContextFuzzCorpus, Stored) {
  const auto input = [](std::string_view head, std::string_view text) {
    const std::string both = std::string(head) + std::string(text);
    const Bytes bytes = as_bytes(both);
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  using namespace std::string_view_literals;
  const testkit::StoredInput inputs[] = {
      {"utf8.bin", input("\x02\x01\x04\x02"sv, "a\nb\r\n\u00E4\r\u0085\u2028\u2029\U0001F600"sv)},
      {"mark.bin", input("\x05\x01\x02\x03"sv,
                         "\xEF\xBB\xBF"
                         "a\nb\nc"sv)},
      {"utf16_le.bin", input("\x01\x01\x02\x03"sv,
                             "\xFF\xFE"
                             "a\0\n\0\x3D\xD8\0\xDE\x28\x20"
                             "b\0"sv)},
      {"utf16_be.bin", input("\x01\x01\x02\x03"sv, "\xFE\xFF\0a\0\n\xD8\x3D\xDE\0\x20\x28\0b"sv)},
      {"latin.bin", input("\x32\x01\x02\x03"sv, "\xFC\n\xE9\xC2\n\xE2\x80"sv)},
      {"empty.bin", input("\x01\x01\x02\x03"sv, ""sv)},
  };
  testkit::expect_stored("symbolize/fuzz_corpus/source_context_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::symbolize
