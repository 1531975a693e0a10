#pragma once
/// For tests of the client: one symcache, and a directory to keep it in.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>

#include "client/symcache_client.hpp"
#include "net/run_task.hpp"
#include "testing/server/faulty_upstream.hpp"
#include "testing/server/fixed_endpoint.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::client {

using namespace std::chrono_literals;
using Fault = FaultyUpstream::Fault;
namespace fs = std::filesystem;

inline constexpr std::string_view kFolder = "app.pdb/3249D99D0C4049318610F4E4FB0B69361A";
inline constexpr std::string_view kRequest = "/v3.1.0/app.pdb/3249D99D0C4049318610F4E4FB0B6936/26";
inline const std::string kTheirs = "Content-Type: application/vnd.ms-symcache";
inline const SymcacheKey kApp{"app.pdb", {*Guid::parse("3249D99D0C4049318610F4E4FB0B6936"), 26}};

inline std::string sample(std::size_t size) {
  std::string text;
  for (unsigned i = 0; text.size() < size; ++i) text += "symbol " + std::to_string(i) + "\n";
  text.resize(size);
  return text;
}

inline std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Paths of all files below a folder, relative to it; those for locks are empty and left out.
inline std::vector<std::string> all_files_in(const fs::path& folder) {
  std::vector<std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.file_size() != 0) all.push_back(entry.path().lexically_relative(folder));
  std::ranges::sort(all);
  return all;
}

/// The same without what a later run can go on with.
inline std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> all = all_files_in(folder);
  std::erase_if(all, [](const std::string& name) { return name.starts_with(".symcached/parts/"); });
  return all;
}

/// "kept 3.1.0", "here 3.0.0", "not there", or why not.
inline std::string told(const Outcome& outcome) {
  if (const auto* kept = std::get_if<Kept>(&outcome))
    return (kept->is_new ? "kept " : "here ") + kept->version.to_string();
  if (const auto* not_kept = std::get_if<NotKept>(&outcome))
    return (not_kept->is_unfinished ? "unfinished: " : "failed: ") + not_kept->why;
  return "not there";
}

class SymcacheClientTest : public ::testing::Test {
 protected:
  std::unique_ptr<SymcacheClient> client(const std::vector<std::string>& urls, wpt::Version version = {3, 1, 0}) {
    ClientOptions options{.directory = folder_.path(), .patience = 60s, .user_agent = "Test/1", .waits = time_.waits()};
    options.limits.silence_s = 1;
    for (const std::string& url : urls) options.places.push_back({ServerPlace{{.url = url}, version}});
    auto opened = SymcacheClient::open(std::move(options));
    EXPECT_TRUE(opened) << opened.error();
    return std::move(*opened);
  }
  Outcome fetch(const std::string& url, wpt::Version version = {3, 1, 0}) {
    return run_task(client({url}, version)->fetch(kApp));
  }
  void put_here(const std::string& version, std::string_view content = "local") {
    folder_.write(fs::path(kFolder) / ("app.pdb-v" + version + ".symcache"), content);
  }

  TempFolder folder_;
  fetch::FakeTime time_;
};

}  // namespace symcached::client
