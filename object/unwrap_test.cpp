#include "object/unwrap.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "object/identify.hpp"
#include "object/packed/describe_source_bundle.hpp"
#include "testing/packed/files.hpp"
#include "testing/stored_inputs.hpp"
#include "testing/text/breakpad_text.hpp"

namespace symcached::object {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testkit::cabinet_file;
using testkit::to_bytes;
using testkit::zip_file;
using Packed = std::vector<std::byte>;

const std::vector<std::byte>& symbols() {
  static const std::vector<std::byte> bytes = to_bytes(testkit::kRichSymbols);
  return bytes;
}

/// What came of it in one line: "gzip zip a.sym, 1234 bytes", "plain" or the error.
std::string outcome(Bytes file, const InflateLimits& limits = {}) {
  const auto unwrapped = unwrap(file, limits);
  if (!unwrapped) return unwrapped.error();
  if (!*unwrapped) return "plain";
  std::string out;
  for (const FileKind kind : (*unwrapped)->wrappers) out += std::string(name_of(kind)) + " ";
  out += (*unwrapped)->member;
  return out + (std::ranges::equal((*unwrapped)->file.bytes(), symbols()) ? "= symbols" : "= other");
}

TEST(Unwrap, EveryWrapper) {
  struct Row {
    std::string_view why;
    Packed file;
    std::string_view want;
  };
  const Row rows[] = {
      {"no wrapper", symbols(), "plain"},
      {"nothing at all", {}, "plain"},
      {"gzip", testkit::gzipped(symbols()), "gzip = symbols"},
      {"zstd", testkit::zstd_file(symbols()), "zstd = symbols"},
      {"xz", testkit::xz_file(symbols()), "xz = symbols"},
      {"szdd", testkit::szdd_file(symbols()), "szdd = symbols"},
      {"kwaj", testkit::kwaj_file(symbols()), "kwaj = symbols"},
      {"cabinet", cabinet_file({{"a.sym", symbols()}}), "cab a.sym= symbols"},
      {"zip, stored", zip_file({{"a.sym", symbols()}}), "zip a.sym= symbols"},
      {"zip, deflated", zip_file({{"d/a.sym", symbols(), true}}), "zip d/a.sym= symbols"},
      {"a folder in the zip", zip_file({{"d/", {}}, {"d/a.sym", symbols()}}), "zip d/a.sym= symbols"},
      {"one known kind in a zip", zip_file({{"read.me", to_bytes("hi")}, {"a.sym", symbols()}}), "zip a.sym= symbols"},
      {"one known kind in a cabinet", cabinet_file({{"read.me", to_bytes("hi")}, {"a.sym", symbols()}}),
       "cab a.sym= symbols"},
      {"two deep", testkit::gzipped(zip_file({{"a.sym", symbols()}})), "gzip zip a.sym= symbols"},
      {"the other way round", zip_file({{"a.sym.gz", testkit::gzipped(symbols())}}), "zip gzip a.sym.gz= symbols"},
      {"three deep", testkit::xz_file(testkit::zstd_file(testkit::gzipped(symbols()))), "xz zstd gzip = symbols"},
      {"a cabinet of something else", cabinet_file({{"a", to_bytes("hi")}}), "cab a= other"},
  };
  for (const Row& r : rows) EXPECT_EQ(outcome(r.file), r.want) << r.why;
}

TEST(Unwrap, RefusesWithAReason) {
  const auto bomb = [](std::size_t size) { return std::vector<std::byte>(size); };
  struct Row {
    std::string_view why;
    Packed file;
    std::string_view want;
  };
  const Row rows[] = {
      {"four deep", testkit::gzipped(testkit::xz_file(testkit::zstd_file(testkit::gzipped(symbols())))),
       "compressed more than 3 times"},
      {"two of a known kind", zip_file({{"a.sym", symbols()}, {"b.sym", symbols()}}),
       "zip: the archive has 2 debug files: a.sym (breakpad), b.sym (breakpad); extract one"},
      {"two in a cabinet", cabinet_file({{"a.sym", symbols()}, {"b.sym", symbols()}}), "a.sym (breakpad), b.sym"},
      {"none of a known kind", zip_file({{"a.txt", to_bytes("hi")}, {"b\n.txt", to_bytes("ho")}}),
       "a.txt (unknown), b?.txt (unknown)"},
      {"a zip without members", zip_file({}), "zip: the archive is empty"},
      {"a zip of folders", zip_file({{"d/", {}}}), "zip: the archive is empty"},
      {"another size than stated", zip_file({{"a.sym", symbols(), true, 100}}), "zip: "},
      {"less than stated", zip_file({{"a.sym", symbols(), true, 100'000}}), "size differs from its header"},
      {"far more than a file can hold", zip_file({{"a.sym", symbols(), true, 0xFFFF0000}}),
       "the limit of 67108864 bytes"},
      {"a wrong checksum", zip_file({{"a.sym", symbols(), true, 0, true}}), "CRC"},
      {"a file that grows too much", testkit::zstd_file(bomb(80 << 20)),
       "zstd: decompresses to more than the limit of 67108864 bytes; set another with convert --max-unpacked"},
      {"part of a multi-cabinet set", cabinet_file({{"a.sym", symbols()}}, 2), "part of a multi-cabinet set"},
      {"a cabinet with no member", cabinet_file({}), "cab: "},
      {"gzip, its header alone", to_bytes("\x1F\x8B\x08"), "gzip: truncated or corrupt data at offset"},
      {"zip, its magic alone", to_bytes("PK\3\4"), "zip: "},
  };
  for (const Row& r : rows) EXPECT_THAT(outcome(r.file), HasSubstr(r.want)) << r.why;
}

TEST(Unwrap, NoMoreThanAllowed) {
  const std::size_t size = symbols().size();
  const Packed wrapped[] = {testkit::gzipped(symbols()),
                            testkit::zstd_file(symbols()),
                            testkit::xz_file(symbols()),
                            testkit::szdd_file(symbols()),
                            testkit::kwaj_file(symbols()),
                            cabinet_file({{"a.sym", symbols()}}),
                            cabinet_file({{"a.sym", symbols()}, {"read.me", to_bytes("hi")}}),
                            zip_file({{"a.sym", symbols()}}),
                            zip_file({{"a.sym", symbols(), true}})};
  for (const Packed& file : wrapped) {
    const auto kind = name_of(identify(file));
    EXPECT_THAT(outcome(file, InflateLimits::exactly(4 * size)), HasSubstr("= symbols")) << kind;
    EXPECT_THAT(outcome(file, InflateLimits::exactly(size - 1)),
                HasSubstr(fmt::format("more than the limit of {} bytes", size - 1)))
        << kind;
  }
}

TEST(Unwrap, LayersShareTheLimit) {
  const Packed inner = testkit::gzipped(symbols());
  const Packed file = testkit::xz_file(inner);
  const std::size_t both = inner.size() + symbols().size();
  const auto unwrapped = unwrap(file, InflateLimits::exactly(both + 7));
  ASSERT_TRUE(unwrapped);
  EXPECT_EQ((*unwrapped)->inner.allowed(~std::uint64_t{0}), 7u) << "what is left for compressed sections";
  EXPECT_THAT(outcome(file, InflateLimits::exactly(both - 1)), HasSubstr("gzip: decompresses to more than"));
}

TEST(Unwrap, EveryCutIsRefused) {
  const Packed wrapped[] = {testkit::gzipped(symbols()),           testkit::zstd_file(symbols()),
                            testkit::xz_file(symbols()),           testkit::szdd_file(symbols()),
                            testkit::kwaj_file(symbols()),         cabinet_file({{"a.sym", symbols()}}),
                            zip_file({{"a.sym", symbols(), true}})};
  for (const Packed& whole : wrapped) {
    const FileKind kind = identify(whole);
    for (std::size_t n = 0; n < whole.size(); ++n) {
      const std::vector<std::byte> cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n));
      EXPECT_THAT(outcome(cut), testing::Not(HasSubstr("= symbols"))) << name_of(kind) << " cut to " << n;
    }
  }
}

TEST(Unwrap, ManyMembersAreCountedAndSomeNamed) {
  std::vector<testkit::ZipInput> members;
  for (int i = 0; i < 30; ++i) members.push_back({std::to_string(i), symbols()});
  EXPECT_THAT(outcome(zip_file(members)), HasSubstr("9 (breakpad) and 20 more"));
  members.clear();
  for (int i = 0; i < 5000; ++i) members.push_back({std::to_string(i), {}});
  EXPECT_EQ(outcome(zip_file(members)), "zip: 5000 members, over the limit");
}

TEST(DescribeWrapped, BothLayers) {
  const FileInfo info = describe(testkit::gzipped(zip_file({{"a.sym", symbols()}})));
  EXPECT_EQ(info.kind, FileKind::breakpad);
  EXPECT_THAT(info.wrappers, ElementsAre(FileKind::gzip, FileKind::zip));
  EXPECT_EQ(info.member, "a.sym");
  EXPECT_EQ(info.debug_file, "a program.pdb");
  EXPECT_EQ(info.trouble, "");
  const FileInfo broken = describe(as_bytes("PK\3\4"));
  EXPECT_EQ(broken.kind, FileKind::zip);
  EXPECT_THAT(broken.trouble, HasSubstr("zip: "));
}

constexpr std::string_view kManifest = R"({"files":{
  "files/a.cpp":{"type":"source","path":"/src/a.cpp"},
  "files/b.h":{"type":"source","path":"/src/b.h","headers":{}},
  "files/m.js":{"type":"minified_source","url":"~/m.js"}},
  "debug_id":"c0bcc3f1-9827-fe65-3058-404b2831d9e6-2a","code_id":"f1c3bcc0","object_name":"/bin/app","arch":"x86_64"})";

Packed bundle(std::string_view manifest, bool counted = true, std::string_view version = {"\2\0\0\0", 4}) {
  return zip_file({{"files/a.cpp", to_bytes("int a;")}, {"manifest.json", to_bytes(manifest), true}},
                  "SYSB" + std::string(version), counted);
}

TEST(DescribeSourceBundle, WhatTheManifestSays) {
  for (const bool counted : {true, false}) {
    const FileInfo info = describe(bundle(kManifest, counted));
    EXPECT_EQ(info.kind, FileKind::source_bundle);
    EXPECT_EQ(info.trouble, "") << "positions count from the header: " << counted;
    ASSERT_TRUE(info.debug_id);
    EXPECT_EQ(info.debug_id->dashed(), "c0bcc3f1-9827-fe65-3058-404b2831d9e6-2a");
    EXPECT_EQ(info.code_id, "f1c3bcc0");
    EXPECT_EQ(info.debug_file, "/bin/app");
    EXPECT_EQ(info.arch, model::Arch::x86_64);
    EXPECT_EQ(info.file_count, 3u);
    EXPECT_THAT(info.features, ElementsAre("sources", "minified-sources"));
  }
}

TEST(DescribeSourceBundle, WhatIsMissingOrWrong) {
  struct Row {
    std::string_view why;
    Packed file;
    std::string_view want;
  };
  const Row rows[] = {
      {"nothing said", bundle("{}"), ""},
      {"things of other types", bundle(R"({"files":3,"debug_id":[],"arch":null})"), ""},
      {"no object", bundle("[]"), "not a JSON object"},
      {"no JSON", bundle("{"), "not a JSON object"},
      {"no manifest", zip_file({{"a", {}}}, {"SYSB\2\0\0\0", 8}), "no manifest.json"},
      {"no zip", to_bytes({"SYSB\2\0\0\0zip", 11}), "source_bundle: "},
  };
  for (const Row& r : rows) {
    const FileInfo info = describe(r.file);
    EXPECT_EQ(info.kind, FileKind::source_bundle);
    EXPECT_THAT(info.trouble, r.want.empty() ? testing::Matcher<std::string>(IsEmpty()) : HasSubstr(r.want)) << r.why;
    EXPECT_FALSE(info.debug_id);
  }
  for (const std::string_view version : {std::string_view("\0\0\0\0", 4), std::string_view("\3\0\0\0", 4)})
    EXPECT_EQ(describe(bundle("{}", true, version)).error->field, "source_bundle.version");
  EXPECT_TRUE(describe(as_bytes("SYSB\2")).error);
}

/// See fuzz_corpus/README.md for the command that writes them. Nothing here is compressed: other versions of the
/// libraries may make other streams.
TEST(UnwrapFuzzCorpus, IsWhatTheAssemblerMakes) {
  const auto small = to_bytes("MODULE Linux x86 0 a\n");
  const testkit::StoredInput inputs[] = {
      {"szdd.bin", testkit::szdd_file(small)},
      {"kwaj.bin", testkit::kwaj_file(small)},
      {"cabinet.bin", cabinet_file({{"a.txt", to_bytes("hi")}, {"a.sym", small}})},
      {"set.bin", cabinet_file({{"a.sym", small}}, 2)},
      {"stored.zip", zip_file({{"a.sym", small}, {"b.txt", to_bytes("hi")}})},
      {"bundle.bin", zip_file({{"manifest.json", to_bytes(kManifest)}}, {"SYSB\2\0\0\0", 8})},
      {"cut.zip",
       [&] {
         auto whole = zip_file({{"a.sym", small}});
         whole.resize(whole.size() - 30);
         return whole;
       }()},
  };
  testkit::expect_stored("object/fuzz_corpus/unwrap_fuzz", inputs);
}

}  // namespace
}  // namespace symcached::object
