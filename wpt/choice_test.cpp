#include "wpt/choice.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "base/overloaded.hpp"

namespace symcached::wpt {
namespace {

/// "serve 3.1.0, upgrade to 3.2.0"
std::string told(const Choice& choice) {
  return std::visit(
      overloaded{[](const Serve& s) {
                   return s.upgrade
                              ? fmt::format("serve {}, upgrade to {}", s.version.to_string(), s.upgrade->to_string())
                              : fmt::format("serve {}", s.version.to_string());
                 },
                 [](const Make& m) { return fmt::format("make {}", m.version.to_string()); },
                 [](NothingNewer) { return std::string("304"); }, [](NotThere) { return std::string("404"); }},
      choice);
}

struct Row {
  std::string_view why;
  Version requested;
  std::optional<Version> exceeds;
  std::vector<Version> cached;
  std::vector<Makeable> makeable;
  std::string_view want;
};

constexpr std::optional<Version> none;
constexpr Makeable barred(Version version) { return {version, true}; }
constexpr Makeable by(std::uint32_t a, std::uint32_t b, std::uint32_t c) { return {{a, b, c}}; }

TEST(Choice, Hits) {
  const Row rows[] = {
      {"exactly what was asked for", {3, 1, 0}, none, {{3, 1, 0}}, {}, "serve 3.1.0"},
      {"a lower minor, nothing better can be made", {3, 2, 0}, none, {{3, 1, 0}}, {by(3, 1, 0)}, "serve 3.1.0"},
      {"a higher minor", {3, 1, 0}, none, {{3, 2, 0}}, {}, "serve 3.2.0"},
      {"the exact one before a higher one", {3, 1, 0}, none, {{3, 1, 0}, {3, 2, 0}}, {}, "serve 3.1.0"},
      {"a lower major", {4, 1, 0}, none, {{3, 2, 0}}, {by(3, 2, 0)}, "serve 3.2.0"},
      {"the highest that can be read", {4, 1, 0}, none, {{3, 2, 0}, {4, 0, 0}}, {}, "serve 4.0.0"},
      {"a higher major is never served", {4, 1, 0}, none, {{5, 0, 0}}, {by(5, 0, 0)}, "404"},
      {"a higher major is never made", {3, 1, 0}, none, {{3, 1, 0}}, {by(4, 0, 0)}, "serve 3.1.0"},
      {"the lowest version, cached", {3, 0, 0}, none, {{3, 0, 0}}, {}, "serve 3.0.0"},
      {"the lowest version, to be made", {3, 0, 0}, none, {}, {by(3, 1, 0)}, "make 3.1.0"},
      {"below the lowest", {2, 9, 9}, none, {{2, 0, 0}}, {by(3, 1, 0)}, "404"},
      {"version zero", {0, 0, 0}, none, {}, {by(3, 1, 0)}, "404"},
      {"an old file is never served to a new client", {3, 1, 0}, none, {{2, 0, 0}}, {}, "404"},
      {"a better one for whoever asks next",
       {3, 2, 0},
       none,
       {{3, 1, 0}},
       {by(3, 2, 0)},
       "serve 3.1.0, upgrade to 3.2.0"},
      {"barred: no upgrade", {3, 2, 0}, none, {{3, 1, 0}}, {barred({3, 2, 0})}, "serve 3.1.0"},
      {"the exact one needs none", {3, 1, 0}, none, {{3, 1, 0}}, {by(3, 2, 0)}, "serve 3.1.0"},
  };
  for (const Row& r : rows) EXPECT_EQ(told(choose({r.requested, r.exceeds}, r.cached, r.makeable)), r.want) << r.why;
}

TEST(Choice, IfVersionExceeds) {
  const std::optional<Version> v310 = Version{3, 1, 0}, v320 = Version{3, 2, 0}, v400 = Version{4, 0, 0};
  const Row rows[] = {
      {"a newer one is there", {3, 2, 0}, v310, {{3, 2, 0}}, {}, "serve 3.2.0"},
      {"what the client has, and no better", {3, 2, 0}, v310, {{3, 1, 0}}, {by(3, 1, 0)}, "304"},
      {"what the client has, and a better can be made", {3, 2, 0}, v310, {{3, 1, 0}}, {by(3, 2, 0)}, "make 3.2.0"},
      {"the PDB has gone", {3, 2, 0}, v310, {{3, 1, 0}}, {barred({3, 2, 0})}, "304"},
      {"nothing cached, what could be made the client has", {3, 2, 0}, v310, {}, {by(3, 1, 0)}, "304"},
      {"nothing cached, known to be missing", {3, 2, 0}, v310, {}, {barred({3, 2, 0})}, "404"},
      {"the same, of a version the client has", {3, 2, 0}, v310, {}, {barred({3, 1, 0})}, "404"},
      {"the highest above it", {4, 1, 0}, v320, {{3, 1, 0}, {4, 0, 0}}, {}, "serve 4.0.0"},
      {"a higher major does not count", {4, 1, 0}, v400, {{4, 0, 0}, {5, 0, 0}}, {by(5, 0, 0)}, "304"},
      {"only what it cannot read", {4, 1, 0}, v400, {{5, 0, 0}}, {}, "404"},
      {"a newer one now, a better one next",
       {4, 1, 0},
       v310,
       {{3, 2, 0}},
       {by(4, 0, 0)},
       "serve 3.2.0, upgrade to 4.0.0"},
  };
  for (const Row& r : rows) EXPECT_EQ(told(choose({r.requested, r.exceeds}, r.cached, r.makeable)), r.want) << r.why;
}

TEST(Choice, SeveralMakers) {
  const std::vector<Makeable> both = {by(3, 2, 0), by(4, 0, 0)};
  const Row rows[] = {
      {"of the client's major", {3, 0, 5}, none, {}, both, "make 3.2.0"},
      {"the higher one", {4, 1, 0}, none, {}, both, "make 4.0.0"},
      {"the highest below", {5, 0, 0}, none, {}, both, "make 4.0.0"},
      {"the next when it failed", {5, 0, 0}, none, {}, {by(3, 2, 0), barred({4, 0, 0})}, "make 3.2.0"},
      {"all failed", {5, 0, 0}, none, {}, {barred({3, 2, 0}), barred({4, 0, 0})}, "404"},
      {"nobody makes any", {3, 1, 0}, none, {}, {}, "404"},
  };
  for (const Row& r : rows) EXPECT_EQ(told(choose({r.requested, r.exceeds}, r.cached, r.makeable)), r.want) << r.why;
}

TEST(Choice, TheOpenFormatHasAnotherMinimum) {
  const auto open = [](Version requested, std::optional<Version> exceeds, std::vector<Version> cached) {
    const Makeable makeable[] = {by(2, 1, 0)};
    return told(choose({requested, exceeds, kOpenMinimum}, cached, makeable));
  };
  EXPECT_EQ(open({2, 0, 9}, none, {}), "404");
  EXPECT_EQ(open({2, 1, 0}, none, {}), "make 2.1.0");
  EXPECT_EQ(open({3, 1, 0}, none, {{2, 1, 0}}), "serve 2.1.0");
  EXPECT_EQ(open({3, 1, 0}, Version{2, 1, 0}, {}), "304");
}

}  // namespace
}  // namespace symcached::wpt
