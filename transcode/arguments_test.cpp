#include "transcode/arguments.hpp"

#include <gmock/gmock.h>

namespace symcached::transcode {
namespace {

using ::testing::ElementsAreArray;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Command = std::vector<std::string>;

const JobPlaces kPlaces{"/job", "/job/pdb/a b.pdb", "/job/out"};

TEST(Arguments, PlacesAreFilledIn) {
  struct Row {
    std::string why;
    Command command, want;
  };
  const Row rows[] = {
      {"symcachegen's contract", {"gen"}, {"gen", "-pdb", "/job/pdb/a b.pdb"}},
      {"by name", {"gen", "-pdb", "{pdb}"}, {"gen", "-pdb", "/job/pdb/a b.pdb"}},
      {"within an argument", {"gen", "--to={out}:{job}/x"}, {"gen", "--to=/job/out:/job/x"}},
      {"Wine", {"wine", "gen.exe", "-pdb", "{pdb:windows}"}, {"wine", "gen.exe", "-pdb", "Z:\\job\\pdb\\a b.pdb"}},
      {"all for Windows", {"{out:windows}{job:windows}"}, {"Z:\\job\\outZ:\\job"}},
      {"unknown words stay", {"gen", "{x}", "{", "{pdb}"}, {"gen", "{x}", "{", "/job/pdb/a b.pdb"}},
  };
  for (const Row& r : rows) EXPECT_THAT(with_places(r.command, kPlaces), ElementsAreArray(r.want)) << r.why;
  const JobPlaces odd{"/job", "/job/{out}.pdb", "/out"};
  EXPECT_EQ(with_places({"{pdb}"}, odd).front(), "/job/{out}.pdb") << "a name is not expanded again";
}

TEST(Arguments, WindowsPaths) {
  EXPECT_TRUE(has_windows_paths({"wine", "{pdb:windows}"}));
  EXPECT_FALSE(has_windows_paths({"wine", "{pdb}"}));
}

TEST(Arguments, Checked) {
  EXPECT_THAT(check_command({"gen"}), IsEmpty());
  EXPECT_THAT(check_command({"gen", "x{pdb}{out:windows}"}), IsEmpty());
  EXPECT_THAT(check_command({}), HasSubstr("no program"));
  EXPECT_THAT(check_command({""}), HasSubstr("no program"));
  EXPECT_THAT(check_command({"gen", "{PDB}"}), HasSubstr("\"{PDB}\": use {pdb}"));
}

}  // namespace
}  // namespace symcached::transcode
