#include "base/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

namespace symcached {
namespace {

/// A folder of its own that goes away with the test.
class MappedFileTest : public testing::Test {
 protected:
  MappedFileTest() {
    std::string name = testing::TempDir() + "mapped_file_XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~MappedFileTest() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(std::string_view name, std::string_view content) {
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return folder_ / name;
  }
  std::filesystem::path folder_;
};

TEST_F(MappedFileTest, HoldsWhatTheFileHolds) {
  const auto mapped = MappedFile::open(file("small", std::string_view("a\0b", 3)));
  ASSERT_TRUE(mapped) << mapped.error();
  EXPECT_EQ(as_text(mapped->bytes()), std::string_view("a\0b", 3));
}

TEST_F(MappedFileTest, AnEmptyFileIsNoBytes) {
  const auto mapped = MappedFile::open(file("empty", ""));
  ASSERT_TRUE(mapped) << mapped.error();
  EXPECT_TRUE(mapped->bytes().empty());
}

TEST_F(MappedFileTest, WhatCannotBeMappedIsNamed) {
  ASSERT_EQ(::symlink("nowhere", (folder_ / "dangling").c_str()), 0);
  file("plain", "x");
  struct Row {
    std::string_view why, name, want;
  };
  const Row rows[] = {
      {"missing", "missing", "cannot open {}: No such file or directory"},
      {"a link to nothing", "dangling", "cannot open {}: No such file or directory"},
      {"a file taken for a folder", "plain/inside", "cannot open {}: Not a directory"},
      {"a folder", ".", "{}: not a regular file"},
  };
  for (const Row& r : rows) {
    const auto mapped = MappedFile::open(folder_ / r.name);
    ASSERT_FALSE(mapped) << r.why;
    EXPECT_EQ(mapped.error(), fmt::format(fmt::runtime(r.want), (folder_ / r.name).string())) << r.why;
  }
  EXPECT_EQ(MappedFile::open("/dev/null").error(), "/dev/null: not a regular file");
}

TEST_F(MappedFileTest, OutlivesTheNameAndTheDescriptor) {
  const auto path = file("gone", "still here");
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(descriptor, 0);
  const auto mapped = MappedFile::from_descriptor(descriptor, path);
  ::close(descriptor);
  std::filesystem::remove(path);
  ASSERT_TRUE(mapped) << mapped.error();
  EXPECT_EQ(as_text(mapped->bytes()), "still here");
}

TEST_F(MappedFileTest, MovesLeaveNothingBehind) {
  auto first = MappedFile::open(file("first", "first"));
  auto second = MappedFile::open(file("second", "second"));
  ASSERT_TRUE(first && second);
  const auto* const address = first->bytes().data();
  MappedFile moved = std::move(*first);
  EXPECT_EQ(moved.bytes().data(), address);
  EXPECT_TRUE(first->bytes().empty());
  moved = std::move(*second);
  EXPECT_EQ(as_text(moved.bytes()), "second");
  moved = MappedFile();
  EXPECT_TRUE(moved.bytes().empty());
}

}  // namespace
}  // namespace symcached
