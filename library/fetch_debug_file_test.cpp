#include <gmock/gmock.h>
#include <symcached/symcached.h>

#include <filesystem>
#include <string>

#include "testing/elf/image.hpp"
#include "testing/server/fake_upstream.hpp"
#include "testing/temp_folder.hpp"

namespace symcached {
namespace {

using ::testing::HasSubstr;

constexpr const char* kBuildId = "0123456789abcdef0123456789abcdef01234567";

struct Fetched {
  int status = 0;
  std::string path, error;
};

class LibraryDebugFile : public ::testing::Test {
 protected:
  Fetched fetch(const std::string& sources, const char* build_id = kBuildId, std::size_t path_size = 4096) {
    std::string path(path_size, '\0'), error(512, '\0');
    const int status = symcached_fetch_debug_file(sources.c_str(), build_id, (folder_.path() / "here").c_str(), 20'000,
                                                  path.data(), path.size(), error.data(), error.size());
    return {status, path.c_str(), error.c_str()};
  }

  TempFolder folder_;
  FakeUpstream upstream_;
};

/// An ELF file with that build id and a section that only debug files have.
std::string debug_file() {
  using namespace testkit;
  ElfBytes note({});
  note.u32(4).u32(20).u32(3).c_string("GNU");
  for (const unsigned byte : {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23,
                              0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67})
    note.u8(static_cast<std::uint8_t>(byte));
  ElfImage image;
  image.sections.push_back({.name = ".note.gnu.build-id", .type = elf::SectionType::note, .data = note.finish()});
  image.sections.push_back({.name = ".debug_info", .data = std::vector<std::byte>(16)});
  return std::string(as_text(testkit::assemble(image)));
}

TEST_F(LibraryDebugFile, ComesFromTheFirstServerThatHasIt) {
  upstream_.put("/two/buildid/" + std::string(kBuildId) + "/debuginfo", {200, {}, debug_file()});
  const std::string sources = upstream_.url() + "/one ima:enforcing  " + upstream_.url() + "/two";
  const Fetched got = fetch(sources);
  ASSERT_EQ(got.status, SYMCACHED_FETCHED) << got.error;
  EXPECT_EQ(std::filesystem::path(got.path).filename(), std::string(kBuildId) + ".debug");
  EXPECT_EQ(std::filesystem::file_size(got.path), debug_file().size());
  const std::size_t asked = upstream_.asked().size();
  EXPECT_EQ(fetch(sources).status, SYMCACHED_FETCHED);
  EXPECT_EQ(upstream_.asked().size(), asked);  // it is there
  EXPECT_THAT(fetch(sources, kBuildId, 8).error, HasSubstr("longer than the buffer"));
}

TEST_F(LibraryDebugFile, ComesFromDebuginfodWhichTakesOtherRequestsForErrorsOfItsOwn) {
  upstream_.answer_all_with({503, {}, "webapi error"});
  upstream_.put("/buildid/" + std::string(kBuildId) + "/debuginfo", {200, {}, debug_file()});
  EXPECT_EQ(fetch(upstream_.url()).status, SYMCACHED_FETCHED);
  EXPECT_EQ(upstream_.asked().size(), 1);
}

TEST_F(LibraryDebugFile, SendsCredentialsToItsServersAlone) {
  const std::string path = "/buildid/" + std::string(kBuildId) + "/debuginfo";
  FakeUpstream elsewhere;
  elsewhere.put(path, {200, {}, debug_file()});
  upstream_.redirect(path, elsewhere.url() + path);
  upstream_.demand("Authorization");
  EXPECT_EQ(fetch(upstream_.url()).status, SYMCACHED_FETCH_FAILED);
  symcached_fetch_options options{};
  options.struct_size = sizeof(options);
  options.bearer_token = "secret";
  std::string got(4096, '\0'), error(512, '\0');
  const int status =
      symcached_fetch_debug_file_with(upstream_.url().c_str(), kBuildId, (folder_.path() / "here").c_str(), &options,
                                      got.data(), got.size(), error.data(), error.size());
  EXPECT_EQ(status, SYMCACHED_FETCHED) << error;
  EXPECT_EQ(upstream_.header("Authorization"), "Bearer secret");
  EXPECT_EQ(elsewhere.header("Authorization"), "");
}

TEST_F(LibraryDebugFile, SaysWhyThereIsNone) {
  EXPECT_EQ(fetch(upstream_.url()).status, SYMCACHED_NOT_THERE);
  upstream_.put("/buildid/" + std::string(kBuildId) + "/debuginfo", {200, {}, "<html>"});
  for (const Fetched& got : {fetch(upstream_.url()), fetch(upstream_.url(), "../../etc/passwd"), fetch("ftp://host")}) {
    EXPECT_EQ(got.status, SYMCACHED_FETCH_FAILED);
    EXPECT_NE(got.error, "");
    EXPECT_EQ(got.path, "");
  }
}

}  // namespace
}  // namespace symcached
