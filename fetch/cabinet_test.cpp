#include "fetch/cabinet.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include "base/descriptor.hpp"
#include "testing/server/fake_pdb.hpp"

namespace symcached::fetch {
namespace {

struct Unpacked {
  std::string content;
  std::string error;
};

Unpacked unpack(const TempFolder& folder, std::string_view before, std::string_view cabinet, Limits limits = {}) {
  folder.write("input", std::string(before) + std::string(cabinet));
  const Descriptor file(::open((folder.path() / "input").c_str(), O_RDONLY | O_CLOEXEC));
  Unpacked unpacked;
  const auto done = unpack_cabinet(file.get(), before.size(), limits, [&](Bytes piece) {
    unpacked.content += as_text(piece);
    return std::expected<void, std::string>();
  });
  if (!done) unpacked.error = done.error().why;
  return unpacked;
}

class Cabinet : public ::testing::Test {
 protected:
  std::string cabinet_of(const std::vector<std::string>& members) {
    const auto made = make_cabinet(folder_, members);
    return made.value_or("");
  }
  void SetUp() override {
    one_ = cabinet_of({content_});
    if (one_.empty()) GTEST_SKIP() << "gcab is not installed";
  }
  TempFolder folder_;
  const std::string content_ = fake_pdb(std::string(300'000, 'x') + "end");
  std::string one_;
};

TEST_F(Cabinet, UnpacksItsMemberFromAnyOffset) {
  EXPECT_EQ(unpack(folder_, "", one_).content, content_);
  EXPECT_EQ(unpack(folder_, std::string(4096, '#'), one_).content, content_);
}

TEST_F(Cabinet, RefusesWhatItShould) {
  const std::string two = cabinet_of({"a", "b"});
  Limits small;
  small.max_unpacked = 1000;
  std::string broken = one_;
  broken[broken.size() - 5] = static_cast<char>(~broken[broken.size() - 5]);
  struct Row {
    std::string_view why;
    std::string cabinet;
    Limits limits;
    std::string_view error;
  };
  const Row rows[] = {
      {"two members", two, {}, "more than one member"},
      {"over the limit", one_, small, "over the limit of 1000"},
      {"cut short", one_.substr(0, one_.size() - 10), {}, "cabinet: truncated"},
      {"no cabinet", "MSCF and no more", {}, "cabinet: "},
      {"a flipped byte", broken, {}, "cabinet: "},
  };
  for (const Row& r : rows) {
    const Unpacked unpacked = unpack(folder_, "", r.cabinet, r.limits);
    EXPECT_NE(unpacked.error.find(r.error), std::string::npos) << r.why << ": " << unpacked.error;
  }
}

TEST_F(Cabinet, EveryCutIsRefused) {
  for (std::size_t n = 0; n < one_.size(); n += 7) EXPECT_NE(unpack(folder_, "", one_.substr(0, n)).error, "") << n;
}

TEST_F(Cabinet, ARatioOfABombIsRefused) {
  const std::string bomb = cabinet_of({std::string(80 << 20, '\0')});
  Limits limits;
  limits.max_ratio = 10;
  EXPECT_NE(unpack(folder_, "", bomb, limits).error.find("limit of 1:10"), std::string::npos);
}

}  // namespace
}  // namespace symcached::fetch
