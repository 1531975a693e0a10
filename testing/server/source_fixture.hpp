#pragma once
/// What the tests of sources share: one wanted PDB, a cache, and outcomes as text.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/overloaded.hpp"
#include "fetch/source.hpp"
#include "net/http.hpp"
#include "net/run_task.hpp"
#include "testing/server/fake_pdb.hpp"
#include "testing/server/fixed_endpoint.hpp"

namespace symcached::fetch {

inline constexpr std::string_view kGuid = "3249D99D0C4049318610F4E4FB0B6936";
inline const std::string kPath = "Crash.pdb/" + std::string(kGuid) + "1a/Crash.pdb";
inline const std::string kPackedPath = "Crash.pdb/" + std::string(kGuid) + "1a/Crash.pd_";

/// A request for a PDB of native code.
inline Wanted wanted_pdb(std::string name, std::uint32_t age = 26) {
  return wanted_of(
      {sources::FileType::pdb, {.debug_file = std::move(name), .debug_id = DebugId{*Guid::parse(kGuid), age}}});
}
inline const Wanted kWanted = wanted_pdb("Crash.pdb");

inline http::Response body(std::string content, std::string type = "application/octet-stream") {
  return {200, {{"Content-Type", std::move(type)}}, std::move(content)};
}

/// "found <content>", "not there", or a word for the rest and why.
inline std::string describe(const Outcome& outcome) {
  return std::visit(overloaded{[](const Original& o) {
                                 const auto mapped = o.map();
                                 EXPECT_TRUE(mapped) << mapped.error();
                                 return "found " + std::string(as_text(o.bytes_in(*mapped)));
                               },
                               [](const NotThere&) { return std::string("not there"); },
                               [](const Refused& r) { return "refused " + r.why; },
                               [](const NotWhole& n) { return "not whole " + n.why; },
                               [](const TransientError& t) { return "transient " + t.why; },
                               [](const Exhausted& e) { return "exhausted " + e.why; },
                               [](const SaysLess& l) { return "says " + std::to_string(static_cast<int>(l.best)); }},
                    outcome);
}

class SourceTest : public ::testing::Test {
 protected:
  std::unique_ptr<Source> source(std::string_view path_or_url) {
    auto made = make_source(path_or_url, objects_, client_);
    EXPECT_TRUE(made) << made.error();
    return std::move(*made);
  }
  std::string ask(std::string_view path_or_url) {
    const auto asked = source(path_or_url);
    return describe(run_task(asked->open(kWanted)));
  }
  std::string identify(std::string_view path_or_url) {
    const auto asked = source(path_or_url);
    return run_task(asked->identify(kWanted));
  }
  static Limits small_limits() {
    Limits limits;
    limits.max_download = 100'000;
    limits.connect_timeout_ms = 2'000;
    limits.silence_s = 1;
    limits.max_redirects = 3;
    return limits;
  }
  /// Temporary files of the cache: those with a name, and those without that this process has open.
  std::size_t left_over() const {
    const std::string temporary = (cache_.path() / "tmp").string();
    std::size_t count = 0;
    std::error_code error;
    for (const auto& named : std::filesystem::directory_iterator(temporary, error))
      count += named.exists(error) ? 1 : 0;
    for (const auto& open : std::filesystem::directory_iterator("/proc/self/fd"))
      count += std::filesystem::read_symlink(open.path(), error).string().starts_with(temporary) ? 1 : 0;
    return count;
  }

  TempFolder cache_;
  TempFolder folder_;
  std::unique_ptr<store::Store> store_ = std::move(*store::Store::open(cache_.path(), 1));
  ObjectCache objects_{*store_, {"objects", 1}, small_limits(), reader_of_this_process()};
  FakeTime time_;
  HttpClient client_{small_limits(), "Test/1", {}, time_.waits()};
};

}  // namespace symcached::fetch
