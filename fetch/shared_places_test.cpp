/// Places where files of several types may lie.
#include <gmock/gmock.h>

#include "fetch/source.hpp"
#include "testing/server/fake_upstream.hpp"
#include "testing/server/source_fixture.hpp"

namespace symcached::fetch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using SharedPlaces = SourceTest;

TEST_F(SharedPlaces, APlaceOfSeveralTypesIsAskedOnceForAFile) {
  const std::string path = "/crash.exe/5ab380779000/symbols", pdb = fake_pdb("it");
  FakeUpstream upstream;
  upstream.put(path, body(pdb));
  const sources::SourceConfig config{.location = sources::HttpPlace{.url = upstream.url()},
                                     .layout = sources::Layout::slashsymbols};
  const auto source = make_source(config, objects_, client_);
  ASSERT_TRUE(source) << source.error();
  const auto ask = [&](sources::FileType type) {
    const sources::ModuleIds module{.code_file = "crash.exe",
                                    .debug_file = "crash.pdb",
                                    .code_id = "5ab380779000",
                                    .debug_id = DebugId{*Guid::parse(kGuid), 26}};
    return describe(run_task((*source)->open(wanted_of(*sources::make_request(type, module)))));
  };
  EXPECT_EQ(ask(sources::FileType::pdb), "found " + pdb);
  EXPECT_THAT(ask(sources::FileType::pe), HasSubstr(": a native PDB; expected a program or library"));
  EXPECT_THAT(ask(sources::FileType::breakpad), HasSubstr(": a native PDB; expected"));
  EXPECT_EQ(ask(sources::FileType::pdb), "found " + pdb);
  EXPECT_THAT(upstream.asked(), ElementsAre(path));
}

TEST_F(SharedPlaces, APdbOfNativeCodeIsToldFromOneOfDotnetByThoseWhoWantIt) {
  const std::string pdb = fake_pdb("native");
  Wanted wanted = wanted_of(
      {sources::FileType::portable_pdb, {.debug_file = "x.pdb", .debug_id = DebugId{*Guid::parse(kGuid), 26}}});
  FakeUpstream upstream;
  const auto asked = source(upstream.url());
  for (const std::string& path : asked->places(wanted)) upstream.put('/' + path, body(pdb));
  EXPECT_THAT(describe(run_task(asked->open(wanted))), HasSubstr(": a native PDB; expected a Portable PDB"));
  wanted.or_native = true;
  for (int i = 0; i < 2; ++i) {
    const Outcome outcome = run_task(asked->open(wanted));
    EXPECT_EQ(describe(outcome), "found " + pdb);
    EXPECT_TRUE(std::holds_alternative<Original>(outcome) && is_native_pdb(std::get<Original>(outcome)));
  }
  EXPECT_EQ(upstream.asked().size(), 3u) << "the two-tier marker, once refused, once kept";
  wanted.or_native = false;
  EXPECT_THAT(describe(run_task(asked->open(wanted))), HasSubstr("expected a Portable PDB")) << "kept for others";
}

}  // namespace
}  // namespace symcached::fetch
