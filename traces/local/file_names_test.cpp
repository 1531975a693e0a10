#include "traces/local/file_names.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace symcached::traces {
namespace {

TEST(FileNames, WhatTheFilesOfAModuleMayBeCalled) {
  struct Row {
    std::string_view module, file;
    bool fits;
  };
  const Row rows[] = {
      {"/opt/a/Srv", "srv", true},
      {"/opt/a/srv", "srv.debug", true},
      {"/opt/a/srv", "srv2", false},
      {"c:\\a\\Srv.exe", "srv.exe", true},
      {"srv.exe", "srv.pdb", true},
      {"srv", "srv.dll", true},
      {"libx.so.1", "libx.so.1.2.3", true},
      {"libx.so.1.2", "libx.so", true},
      {"libx.so", "libx.so.1.debug", true},
      {"libx.so", "libxy.so", false},
      {"nf_tables", "nf-tables.ko", true},
      {"nf_tables", "nf_tables.ko.xz", true},
      {"vmlinux", "vmlinux-6.1.0-13", true},
      {"vmlinux", "vmlinux2", false},
      {"..", "..", false},
      {"a/..", "..", false},
      {"", "", false},
      {std::string_view("a\0b", 3), "a", false},
  };
  for (const Row& r : rows) {
    const auto patterns = file_names_of(r.module);
    EXPECT_EQ(std::ranges::any_of(patterns, [&](const FileName& p) { return fits(p, r.file); }), r.fits)
        << r.module << ": " << r.file;
  }
}

}  // namespace
}  // namespace symcached::traces
