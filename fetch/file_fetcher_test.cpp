#include "fetch/file_fetcher.hpp"

#include <gmock/gmock.h>

#include "fetch/verify.hpp"
#include "testing/managed/traces.hpp"
#include "testing/server/fake_pdb.hpp"
#include "testing/server/fake_upstream.hpp"

namespace symcached::fetch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using testkit::Traces;
using Kind = NotFetched::Kind;
constexpr auto kPdb = sources::FileType::portable_pdb;
constexpr auto kImage = sources::FileType::pe;

http::Response body(std::string content) {
  return {200, {{"Content-Type", "application/octet-stream"}}, std::move(content)};
}

class FileFetcherTest : public ::testing::Test {
 protected:
  std::unique_ptr<FileFetcher> fetcher(std::vector<std::string> symbols,
                                       const std::filesystem::path& cache = {}) const {
    Limits limits;
    limits.private_redirects = true;
    auto opened = FileFetcher::open({.symbols = std::move(symbols),
                                     .cache_dir = cache,
                                     .objects = {"objects", 1},
                                     .user_agent = "Test/1",
                                     .limits = limits});
    EXPECT_TRUE(opened) << opened.error();
    return std::move(*opened);
  }
  /// "found", "found, <note>", or the kind and why.
  static std::string say(const std::expected<Original, NotFetched>& got, std::string_view content) {
    if (got && as_text(got->bytes_in(*got->map())) != content) return "found other bytes";
    if (got) return got->note.empty() ? "found" : "found, " + got->note;
    constexpr std::string_view kKinds[] = {"absent", "malformed", "unavailable"};
    return std::string(kKinds[static_cast<std::size_t>(got.error().kind)]) + ": " + got.error().why;
  }
  std::string ask(std::vector<std::string> symbols, const sources::ModuleIds& request) const {
    return say(fetcher(std::move(symbols))->fetch(kPdb, request), release_.pdb);
  }

  const Traces release_{"release"};
  const TempFolder folder_;
};

TEST_F(FileFetcherTest, AsksLikeNuGetWantsIt) {
  FakeUpstream upstream, storage;
  upstream.demand("SymbolChecksum");
  upstream.redirect("/download/symbols" + release_.path(), storage.url() + "/blob");
  storage.put("/blob", body(release_.pdb));
  ASSERT_EQ(release_.pdb_request.checksums.size(), 1u);
  EXPECT_EQ(ask({upstream.url() + "/download/symbols"}, release_.pdb_request), "found");
  EXPECT_THAT(upstream.asked(), ElementsAre("/download/symbols/index2.txt", "/download/symbols" + release_.path()));
  EXPECT_THAT(upstream.header("SymbolChecksum"), StartsWith("SHA256:"));
  EXPECT_EQ(upstream.header("SymbolChecksum"), symbol_checksum(release_.pdb_request.checksums));
  EXPECT_THAT(storage.asked(), ElementsAre("/blob"));
  EXPECT_EQ(storage.header("SymbolChecksum"), "") << "what is said to one server is not told another";
}

TEST_F(FileFetcherTest, A403WithoutChecksumsHidesNothingElse) {
  FakeUpstream upstream;
  upstream.demand("SymbolChecksum");
  upstream.put(release_.path(), body(release_.pdb));
  const auto same_sources = fetcher({upstream.url()});
  EXPECT_THAT(say(same_sources->fetch(kPdb, release_.without_checksums()), release_.pdb),
              AllOf(StartsWith("unavailable: "), HasSubstr("HTTP status 403"), HasSubstr("supply the assembly too")));
  EXPECT_EQ(say(same_sources->fetch(kPdb, release_.pdb_request), release_.pdb), "found");
  upstream.demand("");
  upstream.put("/" + release_.image_path(), body(release_.assembly));
  EXPECT_EQ(say(same_sources->fetch(kImage, release_.image_request), release_.assembly), "found");
}

TEST_F(FileFetcherTest, A404EverywhereIsAbsence) {
  FakeUpstream upstream;
  EXPECT_THAT(ask({upstream.url(), folder_.path()}, release_.pdb_request),
              AllOf(StartsWith("absent: portablepdb:"), HasSubstr("not found in any source")));
  EXPECT_THAT(upstream.asked(), Contains(release_.path()));
}

TEST_F(FileFetcherTest, AnotherFileUnderTheKeySendsToTheNextSource) {
  const Traces debug("debug");
  auto other_stamp = release_.pdb_request;
  other_stamp.debug_id->age ^= 1;
  auto other_checksum = release_.pdb_request;
  other_checksum.checksums[0].digest[5] ^= std::byte{1};
  std::string changed = release_.pdb;
  changed.back() = static_cast<char>(changed.back() ^ 1);
  struct Row {
    std::string_view why;
    std::string first_has;
    sources::ModuleIds request;
    std::string_view want;
  };
  const Row rows[] = {
      {"another GUID", debug.pdb, release_.pdb_request, ", expected B08A"},
      {"another stamp", release_.pdb, other_stamp, ", expected B08A"},
      {"another checksum asked for", release_.pdb, other_checksum, "SHA256 checksum differs from the assembly's"},
      {"another content", changed, release_.pdb_request, "SHA256 checksum differs from the assembly's"},
      {"cut short", release_.pdb.substr(0, 100), release_.pdb_request, "cannot be read"},
      {"native", fake_pdb("x"), release_.pdb_request, ": a native PDB; expected a Portable PDB"},
      {"an assembly", release_.assembly, release_.pdb_request, ": a program or library; expected"},
  };
  const TempFolder good;
  good.write(release_.path().substr(1), release_.pdb);
  for (const Row& r : rows) {
    FakeUpstream upstream;
    upstream.put(release_.path(), body(r.first_has));
    EXPECT_THAT(ask({upstream.url()}, r.request), AllOf(StartsWith("malformed: "), HasSubstr(r.want))) << r.why;
    const TempFolder first;
    first.write(release_.path().substr(1), r.first_has);
    EXPECT_THAT(ask({first.path()}, r.request), AllOf(StartsWith("malformed: "), HasSubstr(r.want))) << r.why;
    const char* with_good = r.first_has == release_.pdb ? "malformed: " : "found";  // or is the request what is wrong?
    EXPECT_THAT(ask({upstream.url(), good.path()}, r.request), StartsWith(with_good)) << r.why;
    EXPECT_THAT(ask({first.path(), good.path()}, r.request), StartsWith(with_good)) << r.why;
  }
}

TEST_F(FileFetcherTest, ChecksWhatItKnows) {
  folder_.write(release_.path().substr(1), release_.pdb);
  auto no_stamp = release_.pdb_request;
  no_stamp.debug_id->age = sources::kNoStamp;
  EXPECT_EQ(ask({folder_.path()}, no_stamp), "found");
  EXPECT_EQ(ask({folder_.path()}, release_.without_checksums()), "found");
  auto unknown = release_.pdb_request;
  unknown.checksums.push_back({"BLAKE3", {std::byte{1}}});
  EXPECT_THAT(ask({folder_.path()}, unknown), StartsWith("found, a checksum was not compared"));
  auto many = release_.pdb_request;
  many.checksums.resize(9, many.checksums[0]);
  EXPECT_EQ(ask({folder_.path()}, many), "found, of 9 checksums, only the first 8 were compared");
}

TEST_F(FileFetcherTest, FindsEverySpellingInFoldersAndCabinets) {
  const std::string guid = release_.pdb_request.debug_id->guid.hex_upper();
  for (const std::string& path :
       {"traces.pdb/" + release_.key() + "/traces.pdb", "Traces.pdb/" + guid + "FFFFFFFF/Traces.pdb",
        "traces.pdb/" + release_.pdb_request.debug_id->guid.hex_lower() + "ffffffff/traces.pdb"}) {
    const TempFolder folder;
    folder.write(path, release_.pdb);
    EXPECT_EQ(ask({folder.path()}, release_.pdb_request), "found") << path;
    const TempFolder two_tiers;
    two_tiers.write("index2.txt", "");
    EXPECT_THAT(ask({two_tiers.path()}, release_.pdb_request), StartsWith("absent")) << path;
    two_tiers.write(path.substr(0, 2) + "/" + path, release_.pdb);
    EXPECT_EQ(ask({two_tiers.path()}, release_.pdb_request), "found") << path;
  }
  const auto cabinet = make_cabinet(folder_, {release_.pdb});
  if (!cabinet) GTEST_SKIP() << "gcab is not installed";
  FakeUpstream upstream;
  upstream.put("/traces.pdb/" + release_.key() + "/traces.pd_", body(*cabinet));
  EXPECT_EQ(ask({upstream.url()}, release_.pdb_request), "found");
}

TEST_F(FileFetcherTest, RefusesNamesThatAreNone) {
  FakeUpstream upstream;
  for (const std::string name :
       {"", "/", "..", "a/..", "C:", "a\nb.pdb", "a.pdb\r\nX: y", ".hidden", "\xff.pdb", "a?b.pdb"}) {
    auto request = release_.pdb_request;
    request.debug_file = name;
    EXPECT_THAT(ask({upstream.url(), folder_.path()}, request), StartsWith("malformed: file name")) << name;
  }
  EXPECT_TRUE(upstream.asked().empty());
  for (const std::string path : {"/_/obj/Traces.pdb", "C:\\build\\obj/Traces.pdb", "\\\\server\\share\\Traces.pdb"}) {
    auto request = release_.pdb_request;
    request.debug_file = path;
    EXPECT_EQ(request.debug_name(), "Traces.pdb");
  }
}

TEST_F(FileFetcherTest, KeepsWhatItFetchedAndHoldsItToTheNextRequest) {
  FakeUpstream upstream;
  upstream.put(release_.path(), body(release_.pdb));
  const auto ask_once = [&](const sources::ModuleIds& request) {
    return say(fetcher({upstream.url()}, folder_.path())->fetch(kPdb, request), release_.pdb);
  };
  EXPECT_EQ(ask_once(release_.without_checksums()), "found");
  folder_.write("tmp/of-another-program", "");
  EXPECT_EQ(upstream.asked().size(), 2u);
  EXPECT_EQ(ask_once(release_.pdb_request), "found");
  EXPECT_EQ(upstream.asked().size(), 2u) << "from the cache";
  auto other = release_.pdb_request;
  other.checksums[0].digest[0] ^= std::byte{1};
  EXPECT_THAT(ask_once(other), StartsWith("malformed"));
  EXPECT_EQ(upstream.asked().size(), 4u) << "asked again";
  EXPECT_EQ(ask_once(release_.pdb_request), "found");
  EXPECT_EQ(upstream.asked().size(), 4u) << "what was kept is still there";
  EXPECT_TRUE(std::filesystem::exists(folder_.path() / "tmp/of-another-program"));
}

TEST_F(FileFetcherTest, TheFileOutlivesTheFetcher) {
  FakeUpstream upstream;
  upstream.put(release_.path(), body(release_.pdb));
  const auto got = fetcher({upstream.url()})->fetch(kPdb, release_.pdb_request);
  EXPECT_EQ(say(got, release_.pdb), "found");
  EXPECT_EQ(got->origin, upstream.url() + release_.path());
}

TEST_F(FileFetcherTest, ImagesAreHeldToStampAndSize) {
  const auto& request = release_.image_request;
  const auto other_size = sources::ImageId{request.image()->timestamp, 0x1000};
  folder_.write("traces.dll/" + release_.image_key() + "/traces.dll", release_.assembly);
  folder_.write("traces.dll/" + pe_code_id(other_size.timestamp, 0x1000) + "/traces.dll", release_.assembly);
  const auto from_folder = fetcher({folder_.path()});
  EXPECT_EQ(say(from_folder->fetch(kImage, request), release_.assembly), "found");
  EXPECT_THAT(say(from_folder->fetch(kImage, {.code_file = "Traces.dll", .code_id = other_size.code_id()}), ""),
              AllOf(StartsWith("malformed"), HasSubstr("id is ")));
  EXPECT_THAT(say(from_folder->fetch(kImage, {.code_file = "Traces.dll", .code_id = "000000012"}), ""),
              StartsWith("absent"));
}

TEST_F(FileFetcherTest, SaysWhatIsWrongWithASource) {
  const auto opened = FileFetcher::open(
      {.symbols = {"/no/such/folder"}, .cache_dir = {}, .objects = {"objects", 1}, .user_agent = "Test/1"});
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error(), HasSubstr("not a directory"));
}

TEST(SymbolChecksum, JoinsWhatFitsAHeader) {
  const std::vector<std::byte> digest{std::byte{0x00}, std::byte{0x11}, std::byte{0xaa}};
  struct Row {
    std::string_view why;
    std::vector<Checksum> checksums;
    std::string_view want;
  };
  const Row rows[] = {
      {"none", {}, ""},
      {"one", {{"SHA256", digest}}, "SHA256:0011aa"},
      {"two", {{"SHA256", digest}, {"SHA384", digest}}, "SHA256:0011aa;SHA384:0011aa"},
      {"a line of its own", {{"SHA\r\nX", digest}, {"SHA1", digest}}, "SHA1:0011aa"},
      {"separators", {{"a;b", digest}, {"a:b", digest}, {"", digest}, {"\xff", digest}}, ""},
      {"no digest", {{"SHA256", {}}}, ""},
      {"a digest without end", {{"SHA256", std::vector<std::byte>(4096)}}, ""},
  };
  for (const Row& r : rows) EXPECT_EQ(symbol_checksum(r.checksums), r.want) << r.why;
  const std::string many = symbol_checksum(std::vector<Checksum>(100, {"SHA256", digest}));
  EXPECT_EQ(std::ranges::count(many, ':'), kMaxChecksums);
}

}  // namespace
}  // namespace symcached::fetch
