#include "object/managed/source_link.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/ppdb/reader.hpp"
#include "testing/managed/dotnet_files.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::object {
namespace {

using testing::HasSubstr;

SourceLink parsed(std::string_view json) {
  auto link = SourceLink::parse(json);
  EXPECT_TRUE(link) << json << ": " << to_string(link.error());
  return link ? std::move(*link) : SourceLink();
}

/// "" for no URL.
std::string url_of(const SourceLink& link, std::string_view document) { return link.url_of(document).value_or(""); }

struct UrlRow {
  std::string_view why, document, want;
};

TEST(SourceLink, TheExamplesOfTheSpecification) {
  const SourceLink link = parsed(R"({"documents": {
    "C:\\src\\*":                 "http://MyDefaultDomain.com/src/*",
    "C:\\src\\foo\\*":            "http://MyFooDomain.com/src/*",
    "C:\\src\\foo\\specific.txt": "http://MySpecificFoodDomain.com/src/specific.txt",
    "C:\\src\\bar\\*":            "http://MyBarDomain.com/src/*"}})");
  EXPECT_EQ(link.rules().size(), 4u);
  const UrlRow rows[] = {
      {"a rule of its own", "C:\\src\\foo\\specific.txt", "http://MySpecificFoodDomain.com/src/specific.txt"},
      {"the longer prefix", "C:\\src\\foo\\a\\b.cs", "http://MyFooDomain.com/src/a/b.cs"},
      {"the other longer prefix", "C:\\src\\bar\\b.cs", "http://MyBarDomain.com/src/b.cs"},
      {"what is left", "C:\\src\\baz\\b.cs", "http://MyDefaultDomain.com/src/baz/b.cs"},
      {"nothing but the prefix", "C:\\src\\", "http://MyDefaultDomain.com/src/"},
      {"behind all rules of the order", "D:\\src\\b.cs", ""},
      {"before all rules of the order", "/src/b.cs", ""},
      {"shorter than the prefix", "C:\\src", ""},
      {"slashes of the other kind are other characters", "C:/src/foo/a.cs", ""},
      {"no path", "", ""},
  };
  for (const UrlRow& r : rows) EXPECT_EQ(url_of(link, r.document), r.want) << r.why;
}

TEST(SourceLink, RulesOfARealPdb) {
  const std::string file = testkit::dotnet_pdb("sources");
  const auto pdb = ppdb::Pdb::open(as_bytes(file));
  ASSERT_TRUE(pdb);
  const SourceLink link = parsed(**pdb->source_link());
  ASSERT_EQ(link.rules().size(), 2u);
  EXPECT_EQ(link.rules()[0].path, "/src/Traces/*");
  EXPECT_EQ(link.rules()[1].url, "https://raw.example.com/special/Lines2.cs");
  const std::string raw = "https://raw.example.com/team/traces/0123456789abcdef/";
  const std::pair<std::string_view, std::string> want[] = {
      {"/src/Traces/Lines.cs", raw + "Lines.cs"},
      {"/src/Traces/Lines2.cs", "https://raw.example.com/special/Lines2.cs"},
      {"/src/Traces/Program.cs", raw + "Program.cs"},
      {"/src/Traces/Shapes.cs", raw + "Shapes.cs"},
      {"/src/Traces/obj/Debug/net10.0/.NETCoreApp,Version=v10.0.AssemblyAttributes.cs",
       raw + "obj/Debug/net10.0/.NETCoreApp%2CVersion%3Dv10.0.AssemblyAttributes.cs"},
      {"/src/Traces/obj/Debug/net10.0/Traces.AssemblyInfo.cs", raw + "obj/Debug/net10.0/Traces.AssemblyInfo.cs"},
      {"/src/Traces/generated/Elsewhere.cs", raw + "generated/Elsewhere.cs"},
  };
  ASSERT_EQ(pdb->document_count(), std::size(want));
  for (std::uint32_t row = 1; row <= pdb->document_count(); ++row) {
    const std::string name = pdb->document_name(row).value();
    EXPECT_EQ(name, want[row - 1].first);
    EXPECT_EQ(url_of(link, name), want[row - 1].second);
  }
}

TEST(SourceLink, RulesOneByOne) {
  struct Row {
    std::string_view why, path, url, document, want;
  };
  const Row rows[] = {
      {"case does not count", "/SRC/*", "u/*", "/src/A.cs", "u/A.cs"},
      {"nor for a path alone", "/src/a.CS", "u/A", "/SRC/A.cs", "u/A"},
      {"but beyond ASCII it does", "/\u00C9/*", "u/*", "/\u00E9/a", ""},
      {"everything", "*", "u/*", "any.cs", "u/any.cs"},
      {"within a name", "/src/lib*", "u/*.txt", "/src/libs/a.cs", "u/s/a.cs.txt"},
      {"* in the middle of a URL", "C:\\s\\*", "u?path=/*&v=1", "C:\\s\\a\\b.cs", "u?path=/a/b.cs&v=1"},
      {"what is no part of a URL is escaped", "/s/*", "u/*", "/s/a b/#1?%&+.cs", "u/a%20b/%231%3F%25%26%2B.cs"},
      {"so is what is not ASCII", "/s/*", "u/*", "/s/\u00FCber.cs", "u/%C3%BCber.cs"},
      {"and what is not UTF-8", "/s/*", "u/*", "/s/\xFC", "u/%FC"},
      {"and a * of the path", "/s/*", "u/*", "/s/*.cs", "u/%2A.cs"},
      {"what stays", "/s/*", "u/*", "/s/aZ09-_.~", "u/aZ09-_.~"},
      {"the URL is as it was written", "/s/a.cs", "u/a b%20#c", "/s/a.cs", "u/a b%20#c"},
      {"steps up are not resolved", "/s/*", "u/*", "/s/../b.cs", "u/../b.cs"},
      {"* only in the path", "/s/*", "u/", "/s/a.cs", ""},
      {"* only in the URL", "/s/a.cs", "u/*", "/s/a.cs", ""},
      {"* not at the end", "/s/*/a.cs", "u/*", "/s/b/a.cs", ""},
      {"two in the path", "/s/**", "u/*", "/s/b/a.cs", ""},
      {"two in the URL", "/s/*", "u/*/*", "/s/a.cs", ""},
      {"no path", "", "u", "", ""},
      {"no URL", "a.cs", "", "a.cs", ""},
  };
  for (const Row& r : rows) {
    std::string path(r.path);
    for (std::size_t at = 0; (at = path.find('\\', at)) != path.npos; at += 2) path.insert(at, 1, '\\');
    const auto json = "{\"documents\":{\"" + path + "\":\"" + std::string(r.url) + "\"}}";
    EXPECT_EQ(url_of(parsed(json), r.document), r.want) << r.why;
  }
}

TEST(SourceLink, WhatBreaksTheRulesIsCountedAndHidesNothing) {
  const SourceLink link = parsed(
      R"({"documents": {"/a/*/": "u/*", "/a/*": 7, "/b/*": null, "/c": ["u"], "/a*": "u/*"}, "more": {"/d": "u"}})");
  EXPECT_EQ(link.left_out(), 4u);
  ASSERT_EQ(link.rules().size(), 1u);
  EXPECT_EQ(url_of(link, "/a/b"), "u//b");
  EXPECT_EQ(url_of(link, "/d"), "");
}

TEST(SourceLink, TheFirstOfRulesThatDifferByCaseCounts) {
  const SourceLink link = parsed(R"({"documents": {"/FOO/*": "x/*", "/foo/*": "y/*", "/B.cs": "x", "/b.cs": "y"}})");
  EXPECT_EQ(link.rules().size(), 4u);
  EXPECT_EQ(url_of(link, "/foo/a"), "x/a");
  EXPECT_EQ(url_of(link, "/b.cs"), "x");
  const SourceLink same = parsed(R"({"documents": {"/a": "x", "/b/*": "z/*", "/a": "y"}})");
  EXPECT_EQ(same.rules().size(), 2u) << "JSON leaves open what one key twice means: the last counts";
  EXPECT_EQ(url_of(same, "/a"), "y");
}

TEST(SourceLink, PrefixesOfPrefixes) {
  const SourceLink link =
      parsed(R"({"documents": {"/a*": "1/*", "/a/b/*": "2/*", "/a/b/c/*": "3/*", "/a/b/d*": "4/*", "/a/c*": "5/*"}})");
  const UrlRow rows[] = {
      {"deepest", "/a/b/c/x", "3/x"},   {"its parent", "/a/b/cx", "2/cx"},
      {"beside it", "/a/b/dx", "4/x"},  {"behind", "/a/b/zz", "2/zz"},
      {"in between", "/a/bz", "1//bz"}, {"another", "/a/c/b/c", "5//b/c"},
      {"last", "/az", "1/z"},           {"none", "/b", ""},
      {"none before", "/", ""},
  };
  for (const UrlRow& r : rows) EXPECT_EQ(url_of(link, r.document), r.want) << r.why;
}

TEST(SourceLink, WhatIsNoSourceLinkIsRefused) {
  struct Row {
    std::string_view why;
    std::string json;
    std::string_view want;
  };
  const std::string deep(100'000, '[');
  const Row rows[] = {
      {"nothing", "", "malformed: 0x0 (source_link.json at offset 0)"},
      {"no JSON", "documents", "malformed: 0x64 (source_link.json at offset 0)"},
      {"cut short", R"({"documents":{"/a":"u")", "source_link.json"},
      {"something behind it", R"({"documents":{}} x)", "source_link.json"},
      {"a comment", R"({"documents":{/* none */}})", "source_link.json"},
      {"not UTF-8", "{\"documents\":{\"\xFF\":\"u\"}}", "source_link.json"},
      {"too deep", R"({"documents":{"/a":)" + deep, "source_link.json"},
      {"another value", "[]", "the JSON has no object \"documents\" (source_link)"},
      {"no documents", "{}", "the JSON has no object \"documents\" (source_link)"},
      {"documents of another kind", R"({"documents":[]})", "the JSON has no object \"documents\" (source_link)"},
      {"too long", std::string(kMaxSourceLink + 1, ' '),
       "too large: 4194305, the limit is 4194304 (source_link at offset 0)"},
  };
  for (const Row& r : rows) {
    const auto link = SourceLink::parse(r.json);
    ASSERT_FALSE(link) << r.why;
    EXPECT_THAT(to_string(link.error()), HasSubstr(r.want)) << r.why;
  }
  EXPECT_TRUE(SourceLink::parse("{\"documents\":{}}")) << "no rules are rules";
  EXPECT_EQ(url_of(parsed("\xEF\xBB\xBF{\"documents\":{\"/a\":\"u\"}}"), "/a"), "u") << "a byte order mark";
}

TEST(SourceLink, ManyRulesAreNoMoreWorkThanTheirText) {
  std::string wide = R"({"documents":{)", nested = wide;
  for (int i = 0; i < 100'000; ++i) wide += "\"/src/" + std::to_string(i) + "/*\":\"u/" + std::to_string(i) + "/*\",";
  for (std::string path = "/"; nested.size() < kMaxSourceLink - 10'000; path += 'a')
    nested += '"' + path + "*\":\"u*\",";
  wide += R"("/src/*":"u/*"}})", nested += R"("/b":"u"}})";
  const SourceLink many = parsed(wide), deep = parsed(nested);
  EXPECT_EQ(many.rules().size(), 100'001u);
  for (int i = 0; i < 100'000; i += 7) {
    const std::string number = std::to_string(i);
    EXPECT_EQ(url_of(many, "/src/" + number + "/a.cs"), "u/" + number + "/a.cs");
    EXPECT_EQ(url_of(many, "/src/" + number + "x/a.cs"), "u/" + number + "x/a.cs");
  }
  for (int i = 0; i < 100; ++i) EXPECT_EQ(url_of(deep, "/aab"), "ub");
}

TEST(SourceLinkFuzzCorpus, Stored) {
  const auto input = [](std::string_view json, std::string_view paths) {
    const std::string both = std::string(json) + '\0' + std::string(paths);
    const Bytes bytes = as_bytes(both);
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  const testkit::StoredInput inputs[] = {
      {"plain.bin", input(R"({"documents":{"/src/*":"https://example.com/*"}})", "/src/a.cs\n/b.cs")},
      {"nested.bin", input(R"({"documents":{"C:\\a\\*":"u/*","C:\\a\\b\\*":"v?p=*&q","c:\\A\\b\\c.cs":"w"}})",
                           "C:\\a\\x y.cs\nc:\\a\\B\\x.cs\nC:\\a\\b\\c.cs\nC:\\a")},
      {"wrong_stars.bin", input(R"({"documents":{"*":"u","a":"*","**":"**","b*c":"*","":""},"x":[[{}]]})", "a\nb")},
      {"same_twice.bin", input(R"({"documents":{"A":"1","a":"2","B*":"3*","b*":"4*"}})", "a\nb\nbc")},
      {"mark.bin", input("\xEF\xBB\xBF{\"documents\":{\"\\u00fc*\":\"*\"}}", "\u00FC\u00E4 ")},
      {"no_object.bin", input("[1,2.5e3,null,true]", "a")},
  };
  testkit::expect_stored("object/managed/fuzz_corpus/source_link_fuzz", inputs);
}

TEST(SourceLink, OfRulesThatAreAtHand) {
  const SourceLink link =
      SourceLink::of({{"/src/*", "https://a/*"}, {"/src/x/*", "https://b/*"}, {"*/odd", "https://c"}});
  EXPECT_EQ(link.rules().size(), 2u);
  EXPECT_EQ(link.left_out(), 1u);
  EXPECT_EQ(link.url_of("/SRC/X/y.c"), "https://b/y.c");
  EXPECT_EQ(link.url_of("/src/y.c"), "https://a/y.c");
  EXPECT_EQ(link.url_of("/other/y.c"), std::nullopt);
}

}  // namespace
}  // namespace symcached::object
