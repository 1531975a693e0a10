#include "formats/macho/uuid_map.hpp"

#include <gtest/gtest.h>

#include <string>

#include "testing/stored_inputs.hpp"

namespace symcached::macho {
namespace {

constexpr std::string_view kUuid = "01020304-0506-0708-090A-0B0C0D0E0F10";

std::string key(std::string_view name) { return "<key>" + std::string(name) + "</key>"; }
std::string string(std::string_view text) { return "\n\t<string>" + std::string(text) + "</string>\n"; }
const std::string kWanted = key("DBGOriginalUUID") + string(kUuid);

std::string list(std::string_view inside) {
  return "<plist version=\"1.0\">\n<dict>\n" + std::string(inside) + "</dict>\n</plist>\n";
}

/// As Xcode writes them, with paths of the machine that it was built on.
std::string usual() {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
         "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n" +
         list(key("DBGArchitecture") + string("arm64") + kWanted + key("DBGSourcePathRemapping") + "<dict>" +
              key("/a") + string("/b") + "</dict>" + key("DBGVersion") + "<integer>3</integer>");
}

TEST(UuidMap, NamesTheOriginal) {
  struct Row {
    std::string_view why;
    std::string text;
  };
  const Row rows[] = {
      {"as written", usual()},
      {"a byte order mark", "\xef\xbb\xbf" + usual()},
      {"a comment", list("<!-- <dict> -->" + kWanted)},
      {"blanks", list("<key> DBGOriginalUUID\n</key ><string\n>\r\n" + std::string(kUuid) + " </string >")},
      {"lower case, no dashes", list(key("DBGOriginalUUID") + string("0102030405060708090a0b0c0d0e0f10"))},
      {"other values", list(key("x") + "<true/>" + key("y") + "<array><dict><string/></dict></array>" + kWanted)},
      {"what follows is not looked at", list(kWanted + "</dict></plist><<<")},
  };
  for (const Row& r : rows) {
    const auto uuid = read_original_uuid(as_bytes(r.text));
    ASSERT_TRUE(uuid) << r.why << ": " << to_string(uuid.error());
    EXPECT_EQ(*uuid, *Guid::parse(kUuid)) << r.why;
  }
}

TEST(UuidMap, OtherTextsAreRefused) {
  struct Row {
    std::string_view why;
    std::string text;
    std::string_view field;
  };
  const Row rows[] = {
      {"nothing", "", "plist.DBGOriginalUUID"},
      {"binary", "bplist00\x01\x02", "plist.DBGOriginalUUID"},
      {"a web page", "<!DOCTYPE html><html><body>" + usual(), "plist.element"},
      {"no such key", list(key("DBGVersion") + string(kUuid)), "plist.DBGOriginalUUID"},
      {"of an inner dictionary", list(key("x") + "<dict>" + kWanted + "</dict>"), "plist.DBGOriginalUUID"},
      {"of an array", "<plist><array><dict>" + kWanted, "plist.element"},
      {"as a value", list(key("x") + string("DBGOriginalUUID") + string(kUuid)), "plist.DBGOriginalUUID"},
      {"no UUID", list(key("DBGOriginalUUID") + string("../../etc/passwd")), "plist.DBGOriginalUUID"},
      {"no value", list(key("DBGOriginalUUID") + std::string(kUuid) + "<string/>"), "plist.DBGOriginalUUID"},
      {"another kind of value", list(key("DBGOriginalUUID") + "<data>" + std::string(kUuid) + "</data>"),
       "plist.DBGOriginalUUID"},
      {"ends that begin nothing", "</dict></dict>", "plist.element"},
      {"CDATA", list("<key><![CDATA[DBGOriginalUUID]]></key>" + string(kUuid)), "plist.markup"},
      {"a tag without an end", "<plist><dict", "plist.tag"},
      {"a comment without an end", "<plist><!-- >", "plist.tag"},
  };
  for (const Row& r : rows) {
    const auto uuid = read_original_uuid(as_bytes(r.text));
    ASSERT_FALSE(uuid) << r.why;
    EXPECT_EQ(uuid.error().field, r.field) << r.why;
  }
}

TEST(UuidMap, EveryCutIsRefused) {
  const std::string whole = usual();
  const std::size_t enough = whole.find("</string>", whole.find(kUuid)) + std::string_view("</string>").size();
  for (std::size_t n = 0; n < whole.size(); ++n)
    EXPECT_EQ(read_original_uuid(as_bytes(std::string_view(whole).substr(0, n))).has_value(), n >= enough) << n;
  std::string deep = "<plist><dict>";
  for (int i = 0; i < 1'000'000; ++i) deep += "<a>";
  EXPECT_FALSE(read_original_uuid(as_bytes(deep))) << "and no stack is used up";
}

/// The stored fuzz inputs are these bytes. See fuzz_corpus/README.md for the command that writes them.
TEST(MachoFuzzCorpus, HasPropertyLists) {
  const auto bytes = [](std::string_view text) {
    return std::vector<std::byte>(as_bytes(text).begin(), as_bytes(text).end());
  };
  const testkit::StoredInput inputs[] = {
      {"usual.plist", bytes(usual())},
      {"short.plist", bytes(list(kWanted))},
      {"inner.plist", bytes(list(key("x") + "<dict>" + kWanted + "<true/></dict>"))},
      {"cdata.plist", bytes(list("<!-- x --><![CDATA[y]]>"))},
  };
  testkit::expect_stored("formats/macho/fuzz_corpus/uuid_map_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::macho
