#include "symbolize/derive_sources.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sourcecache/reader.hpp"
#include "testing/managed/portable_pdb.hpp"
#include "testing/packed/zip_file.hpp"
#include "testing/pdb/image.hpp"
#include "testing/pdb/source_streams.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::symbolize {
namespace {

using testkit::to_bytes;
using testkit::zip_file;
using File = std::vector<std::byte>;

constexpr std::string_view kBundleHead{"SYSB\2\0\0\0", 8};
constexpr std::string_view kManifest = R"({"files":{
  "files/a.c":{"type":"source","path":"/src/a.c"},
  "files/b.c":{"type":"source","path":"C:\\src\\b.c","url":"https://example.com/b.c"},
  "files/gone.c":{"type":"source","path":"/src/gone.c"},
  "files/linked.c":{"type":"source","path":"/src/linked.c","url":"https://example.com/linked.c"},
  "../../etc/passwd":{"type":"source","path":"../../etc/passwd"},
  "files/m.js":{"type":"minified_source","path":"/src/m.js"},
  "files/odd":3},
  "source_links":{"/src/*":"https://example.com/*","odd":3},
  "debug_id":"c0bcc3f1-9827-fe65-3058-404b2831d9e6-2a"})";

File bundle(std::string_view manifest = kManifest) {
  return zip_file({{"files/a.c", to_bytes("int a;\n")},
                   {"files/b.c", to_bytes("int b;\nint b;\nint b;\n"), true},
                   {"files/m.js", to_bytes("m")},
                   {"../../etc/passwd", to_bytes("root\n")},
                   {"manifest.json", to_bytes(manifest), true}},
                  kBundleHead);
}

File managed() {
  const std::string text = "class A {}\nclass A {}\nclass A {}\n";
  testkit::Section packed;
  packed.u32(static_cast<std::uint32_t>(text.size()));
  File blob = packed.finish();
  const File deflated = testkit::deflate(as_bytes(text));
  blob.insert(blob.end(), deflated.begin(), deflated.end());
  File stored(4);
  const File plain = to_bytes("class B {}\n");
  stored.insert(stored.end(), plain.begin(), plain.end());
  testkit::PortablePdb pdb{.documents = {{"/src/A.cs", blob}, {"/src/B.cs", stored}, {"/src/C.cs"}}};
  pdb.source_link = R"({"documents":{"/src/*":"https://example.com/*"}})";
  return testkit::assemble(pdb).finish();
}

/// The text in `cache`; "-" without one, "?" without the file.
std::string text_in(const DerivedSources& cache, std::string_view path) {
  const auto opened = sourcecache::Reader::open(cache.file);
  const auto file = opened ? opened->find(path) : std::nullopt;
  if (!file) return "?";
  if (!file->has_text()) return "-";
  const auto text = sourcecache::unpack(*file, Bytes(cache.file).subspan(file->position, file->packed_size));
  return text ? std::string(as_text(text->bytes())) : "damaged";
}

TEST(DeriveSources, OfABundle) {
  const File file = bundle();
  const auto derived = derive_sources({.file = file});
  ASSERT_TRUE(derived) << derived.error();
  EXPECT_EQ(derived->debug_id.dashed(), "c0bcc3f1-9827-fe65-3058-404b2831d9e6-2a");
  EXPECT_EQ(text_in(*derived, "/src/a.c"), "int a;\n");
  EXPECT_EQ(text_in(*derived, "C:\\src\\b.c"), "int b;\nint b;\nint b;\n");
  EXPECT_EQ(text_in(*derived, "/src/gone.c"), "?");
  EXPECT_EQ(text_in(*derived, "/src/linked.c"), "-");
  EXPECT_EQ(text_in(*derived, "../../etc/passwd"), "root\n") << "a path is a name here, and leads nowhere";
  EXPECT_EQ(text_in(*derived, "/src/m.js"), "?");
  const auto cache = sourcecache::Reader::open(derived->file);
  ASSERT_TRUE(cache && cache->verify(derived->file));
  ASSERT_EQ(cache->link_count(), 1u);
  EXPECT_EQ(cache->link(0)->url, "https://example.com/*");
  EXPECT_EQ(derive_sources({.file = file})->file, derived->file);
}

TEST(DeriveSources, OfAPortablePdb) {
  const File file = managed();
  const auto derived = derive_sources({.file = file});
  ASSERT_TRUE(derived) << derived.error();
  EXPECT_EQ(text_in(*derived, "/src/A.cs"), "class A {}\nclass A {}\nclass A {}\n");
  EXPECT_EQ(text_in(*derived, "/src/B.cs"), "class B {}\n");
  EXPECT_EQ(text_in(*derived, "/src/C.cs"), "?");
  const auto cache = sourcecache::Reader::open(derived->file);
  ASSERT_TRUE(cache && cache->verify(derived->file));
  EXPECT_EQ(cache->link_count(), 1u);
}

/// A PDB with these streams.
File native(std::vector<std::pair<std::string, File>> streams, const testkit::MsfLayout& layout = {}) {
  return testkit::assemble(testkit::PdbImage{.info_age = 1, .dbi_age = 7, .named_streams = std::move(streams)}, layout);
}

std::string links_in(const DerivedSources& derived) {
  const auto cache = sourcecache::Reader::open(derived.file);
  if (!cache || !cache->verify(derived.file) || cache->file_count() != 0) return "damaged";
  std::string all;
  for (std::uint32_t i = 0; i < cache->link_count(); ++i)
    all.append(all.empty() ? "" : " ").append(cache->link(i)->path).append("=").append(cache->link(i)->url);
  return all;
}

TEST(DeriveSources, OfANativePdb) {
  const File server = to_bytes(testkit::source_server_text("SRCSRVTRG=https://srv/%var2%\n",
                                                           "c:\\a.c*1\nc:\\gone.c\nC:\\src\\b.c*2\nc:\\a.c*3"));
  const File folder =
      to_bytes(testkit::source_server_text("SRCSRVTRG=%targ%\\%var2%\nSRCSRVCMD=https://h/\n", "c:\\a.c*1"));
  const auto rule = [](std::string_view text) { return to_bytes("{\"documents\":{" + std::string(text) + "}}"); };
  const File src = rule(R"("c:\\src\\*":"https://link/*")"), d = rule(R"("d:\\*":"https://d/*")");
  struct Row {
    std::string_view why;
    std::vector<std::pair<std::string, File>> streams;
    std::string_view want;
  };
  const Row rows[] = {
      {"none", {}, ""},
      {"a source server",
       {{"srcsrv", server}},
       "c:\\a.c=https://srv/1 C:\\src\\b.c=https://srv/2 c:\\a.c=https://srv/3"},
      {"a folder", {{"srcsrv", folder}}, ""},
      {"Source Link", {{"sourcelink", src}}, "c:\\src\\*=https://link/*"},
      {"several of it, by their numbers",
       {{"sourcelink$10", src}, {"sourcelink$9", d}, {"sourcelink2", src}},
       "d:\\*=https://d/* c:\\src\\*=https://link/*"},
      {"Source Link counts first",
       {{"srcsrv", server}, {"sourcelink$1", src}},
       "c:\\src\\*=https://link/* c:\\a.c=https://srv/1 c:\\a.c=https://srv/3"},
      {"what cannot be read is none",
       {{"srcsrv", to_bytes("x")}, {"sourcelink$1", to_bytes("{")}, {"sourcelink$2", d}},
       "d:\\*=https://d/*"},
  };
  for (const Row& r : rows)
    for (const bool scattered : {false, true}) {
      const File file = native(r.streams, {.scattered = scattered});
      const auto derived = derive_sources({.file = file});
      ASSERT_TRUE(derived) << r.why << ": " << derived.error();
      EXPECT_EQ(links_in(*derived), r.want) << r.why;
      EXPECT_EQ(derived->debug_id.age, 7u);
    }
}

/// Few bytes that make long URLs of many entries.
TEST(DeriveSources, MakesNoMoreLinksOfANativePdbThanItIs) {
  std::string entries;
  for (int i = 0; i < 20'000; ++i) entries += std::to_string(i) + "\n";
  const std::string variables = "SRCSRVTRG=https://h/" + std::string(4000, 'x') + "/%var1%\n";
  const File file = native({{"srcsrv", to_bytes(testkit::source_server_text(variables, entries))}});
  const auto derived = derive_sources({.file = file});
  ASSERT_TRUE(derived) << derived.error();
  EXPECT_LE(derived->file.size(), 3 * file.size() + (2 << 20));
}

/// One text under many names is as much as the file's size allows.
TEST(DeriveSources, MakesNoMoreOfAFileThanItIs) {
  const std::string text(600'000, 'x');
  std::string files;
  for (int i = 0; i < 50; ++i)
    files += std::string(i == 0 ? "" : ",") + "\"t" + std::string(static_cast<std::size_t>(i), '/') +
             "\":{\"type\":\"source\",\"path\":\"" + std::to_string(i) + "\"}";
  std::vector<testkit::ZipInput> members{{"manifest.json", to_bytes("{\"files\":{" + files + "}}")}};
  members.push_back({"t", to_bytes(text)});
  const File file = zip_file(members, kBundleHead);
  const auto derived = derive_sources({.file = file});
  ASSERT_TRUE(derived) << derived.error();
  EXPECT_LE(derived->file.size(), 3 * file.size() + (1 << 20));
}

TEST(DeriveSources, RefusesWhatHasNone) {
  struct Row {
    std::string_view why;
    File file;
    std::string_view want;
  };
  const Row rows[] = {
      {"nothing", {}, "expected a file with sources, found "},
      {"another kind", to_bytes("MODULE Linux x86_64 0 a\n"), "expected a file with sources, found "},
      {"no zip", to_bytes(kBundleHead), "source_bundle: "},
      {"another version", to_bytes({"SYSB\7\0\0\0", 8}), "malformed: 0x7, expected 0x2 (source_bundle.version"},
      {"no JSON", bundle("{"), "source_bundle: manifest.json is not a JSON object"},
  };
  for (const Row& r : rows) {
    const auto derived = derive_sources({.file = r.file});
    ASSERT_FALSE(derived) << r.why;
    EXPECT_TRUE(derived.error().starts_with(r.want)) << r.why << ": " << derived.error();
  }
  const auto empty = derive_sources({.file = bundle("{}")});
  ASSERT_TRUE(empty);
  EXPECT_EQ(sourcecache::Reader::open(empty->file)->file_count(), 0u);
}

TEST(DeriveSourcesFuzzCorpus, IsWhatTheTestsWrite) {
  const File whole = bundle();
  testkit::expect_stored(
      "symbolize/fuzz_corpus/derive_sources_fuzz",
      std::vector<testkit::StoredInput>{
          {"bundle.bin", whole},
          {"cut.bin", {whole.begin(), whole.begin() + 200}},
          {"managed.bin", managed()},
          {"native.pdb",
           native({{"srcsrv", to_bytes(testkit::source_server_text("SRCSRVTRG=https://h/%var2%\n", "c:\\a.c*a.c"))},
                   {"sourcelink$1", to_bytes(R"({"documents":{"d:\\*":"https://d/*"}})")}})},
      });
}

}  // namespace
}  // namespace symcached::symbolize
