#include "sourcecache/reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sourcecache/writer.hpp"
#include "testing/packed/zip_file.hpp"
#include "testing/stored_inputs.hpp"

namespace symcached::sourcecache {
namespace {

NewFile stored(std::string_view path, std::string_view text) {
  return {.path = path, .url = {}, .codec = TextCodec::stored, .packed = as_bytes(text), .size = text.size()};
}

/// Three files, of which one is deflated and one only a URL, and two rules.
std::vector<std::byte> small() {
  const std::string text = "int main() {}\n";
  const auto packed = testkit::deflate(as_bytes(text));
  Writer writer;
  writer.debug_id({Guid{{1, 2, 3}}, 7});
  writer.file({.path = "/src/z.c", .url = "", .codec = TextCodec::deflate, .packed = packed, .size = text.size()});
  writer.file(stored("/src/a.c", "a\n"));
  writer.file({.path = "/src/m.c", .url = "https://example.com/m.c"});
  writer.link("/src/*", "https://example.com/*");
  writer.link("/src/exact.c", "https://example.com/other.c");
  return std::move(writer).finish();
}

std::optional<std::string> text_of(const Reader& cache, Bytes file, std::string_view path) {
  const auto found = cache.find(path);
  if (!found || !found->has_text()) return std::nullopt;
  const auto text = unpack(*found, file.subspan(found->position, found->packed_size));
  return text ? std::optional(std::string(as_text(text->bytes()))) : std::nullopt;
}

TEST(Sourcecache, FindsFilesByExactlyTheirPath) {
  const auto file = small();
  const auto end = table_end(Bytes(file).first(sizeof(Header)));
  ASSERT_TRUE(end && *end < file.size());
  const auto cache = Reader::open(Bytes(file).first(*end));  // the texts need not be there
  ASSERT_TRUE(cache && cache->verify(file));
  EXPECT_EQ(cache->debug_id(), (DebugId{Guid{{1, 2, 3}}, 7}));
  EXPECT_EQ(text_of(*cache, file, "/src/z.c"), "int main() {}\n");
  EXPECT_EQ(text_of(*cache, file, "/src/a.c"), "a\n");
  EXPECT_EQ(text_of(*cache, file, "/src/m.c"), std::nullopt);
  EXPECT_EQ(cache->find("/src/m.c")->url, "https://example.com/m.c");
  for (const std::string_view other : {"", "/src/A.c", "/src/a", "/src/a.c ", "/src/zz.c"})
    EXPECT_FALSE(cache->find(other)) << other;
  ASSERT_EQ(cache->link_count(), 2u);
  EXPECT_EQ(cache->link(0)->path, "/src/*");
  EXPECT_EQ(cache->link(1)->url, "https://example.com/other.c");
}

TEST(Sourcecache, EmptyIsWhole) {
  const auto file = Writer().finish();
  const auto cache = Reader::open(file);
  ASSERT_TRUE(cache && cache->verify(file));
  EXPECT_EQ(cache->file_count() + cache->link_count(), 0u);
  EXPECT_FALSE(cache->find(""));
}

TEST(SourcecacheWriter, KeepsTheFirstOfAPathAndLeavesOutWhatIsTooMuch) {
  const std::string long_path(kMaxString + 1, 'x');
  const std::vector<std::byte> long_text(kMaxText + 1);
  Writer writer;
  writer.file(stored("a", "first"));
  writer.file(stored("a", "second"));
  writer.file(stored("", "no name"));
  writer.file(stored(long_path, "long name"));
  writer.file({.path = "b", .url = {}, .codec = TextCodec::stored, .packed = long_text, .size = long_text.size()});
  writer.file({.path = "c"});  // neither text nor URL
  writer.link(long_path, "");
  EXPECT_EQ(writer.left_out(), 5u);
  const auto file = std::move(writer).finish();
  const auto cache = Reader::open(file);
  ASSERT_TRUE(cache && cache->verify(file));
  EXPECT_EQ(cache->file_count(), 1u);
  EXPECT_EQ(text_of(*cache, file, "a"), "first");
}

/// A text of another size than was stated is no text.
TEST(Sourcecache, SizesAreExact) {
  const auto packed = testkit::deflate(as_bytes("twelve bytes"));
  for (const std::uint64_t size : {11, 12, 13}) {
    Writer writer;
    writer.file({.path = "a", .url = {}, .codec = TextCodec::deflate, .packed = packed, .size = size});
    const auto file = std::move(writer).finish();
    const auto cache = Reader::open(file);
    ASSERT_TRUE(cache);
    EXPECT_EQ(text_of(*cache, file, "a").has_value(), size == 12) << size;
    EXPECT_EQ(cache->verify(file).has_value(), size == 12) << size;
  }
}

TEST(Sourcecache, EveryCutAndEveryChangedByteIsSeen) {
  const auto whole = small();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const auto cut = Reader::open(Bytes(whole).first(n));
    EXPECT_FALSE(cut && cut->verify(Bytes(whole).first(n))) << n << " bytes";
    auto changed = whole;
    changed[n] ^= std::byte{0x41};
    const auto cache = Reader::open(changed);
    EXPECT_FALSE(cache && cache->verify(changed)) << "byte " << n;
  }
}

TEST(SourcecacheFuzzCorpus, IsWhatTheTestsWrite) {
  const auto whole = small();
  testkit::expect_stored("sourcecache/fuzz_corpus/reader_fuzz",
                         std::vector<testkit::StoredInput>{
                             {"small.sourcecache", whole},
                             {"empty.sourcecache", Writer().finish()},
                             {"cut.sourcecache", {whole.begin(), whole.begin() + 150}},
                         });
}

}  // namespace
}  // namespace symcached::sourcecache
