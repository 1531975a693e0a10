#include "api/proxy/request.hpp"

#include <gtest/gtest.h>

#include "net/http.hpp"

namespace symcached::api {
namespace {

/// "/a/b/c" to what it names, as a key; empty if that is nothing.
std::string named(std::string_view path) {
  const auto segments = http::path_segments(path);
  const auto file = segments ? parse_proxy_path(*segments) : std::nullopt;
  return file ? sources::key_text(*file) : std::string();
}

TEST(ProxyPaths, NameFiles) {
  struct Row {
    std::string_view path, want;
  };
  const Row rows[] = {
      {"/crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb", "crash.pdb/3249D99D0C4049318610F4E4FB0B69361"},
      {"/crash.pdb/3249d99d0c4049318610f4e4fb0b6936a/CRASH.pdb", "crash.pdb/3249D99D0C4049318610F4E4FB0B6936a"},
      {"/crash%2Epdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb", "crash.pdb/3249D99D0C4049318610F4E4FB0B69361"},
      {"/x.pdb/526f365f4d8d4fa8b370eae9a9136de4FFFFFFFF/x.pdb", "portablepdb:x.pdb/526F365F4D8D4FA8B370EAE9A9136DE4"},
      {"/crash.exe/5AB380779000/crash.exe", "pe:crash.exe/5AB380779000"},
      {"/libfoo.so/elf-buildid-f1c3bcc0279865fe3058404b2831d9e64135386c/libfoo.so",
       "elf_code:f1c3bcc0279865fe3058404b2831d9e64135386c"},
      {"/_.debug/elf-buildid-sym-F1C3BCC0279865FE3058404B2831D9E64135386C/_.debug",
       "elf_debug:f1c3bcc0279865fe3058404b2831d9e64135386c"},
      {"/crash/mach-uuid-67e9247c814e392ba027dbde6748fcbf/crash", "mach_code:67e9247c814e392ba027dbde6748fcbf"},
      {"/_.dwarf/mach-uuid-sym-67e9247c814e392ba027dbde6748fcbf/_.dwarf",
       "mach_debug:67e9247c814e392ba027dbde6748fcbf"},
      {"/crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.sym",
       "breakpad:crash.pdb/3249d99d-0c40-4931-8610-f4e4fb0b6936-1"},
  };
  for (const Row& row : rows) {
    const std::string key = named(row.path);
    EXPECT_TRUE(key.find(row.want.substr(row.want.find(':') + 1)) != key.npos || key == row.want)
        << row.path << " is " << key;
    EXPECT_FALSE(key.empty()) << row.path;
  }
}

TEST(ProxyPaths, ThatNameNothing) {
  for (const std::string_view path :
       {"/", "/a", "/a/b", "/a/b/a", "/a/b/a/d", "/index2.txt", "/000Admin/lastid.txt",
        "/crash.pdb/3249D99D0C4049318610F4E4FB0B69361/other.pdb",
        "/crash.pdb/3249D99D0C4049318610F4E4FB0B6936/crash.pdb", "/crash.pdb/nonsense/crash.pdb",
        "/crash.pdb//3249D99D0C4049318610F4E4FB0B69361/crash.pdb",
        "/crash.pdb/3249D99D0C4049318610F4E4FB0B69361/crash.pdb/", "/%2e%2e/%2e%2e/etc/passwd", "/a%2Fb/c/a%2Fb",
        "/x%00.exe/5AB380779000/x%00.exe", "/%zz/5AB380779000/%zz", "/x/elf-buildid-/x", "/x/elf-buildid-xyz/x"})
    EXPECT_EQ(named(path), "") << path;
}

}  // namespace
}  // namespace symcached::api
