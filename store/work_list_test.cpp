#include "store/work_list.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

class WorkListTest : public ::testing::Test {
 protected:
  std::string text() const {
    std::ifstream in(file());
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::filesystem::path file() const { return folder_.path() / "work"; }
  static std::vector<std::string> all(WorkList& list) {
    std::vector<std::string> lines;
    while (auto line = list.next()) lines.push_back(std::move(*line));
    return lines;
  }
  TempFolder folder_;
};

using Lines = std::vector<std::string>;

TEST_F(WorkListTest, OutlivesTheProcess) {
  {
    WorkList list(file());
    EXPECT_TRUE(list.add("one"));
    EXPECT_TRUE(list.add("two"));
    EXPECT_FALSE(list.add("one")) << "it waits already";
    EXPECT_EQ(list.next(), "one");
    EXPECT_FALSE(list.add("one")) << "it is under way";
  }
  WorkList list(file());
  EXPECT_EQ(all(list), (Lines{"one", "two"})) << "what was under way was not done";
  list.done("one");
  list.done("two");
  EXPECT_EQ(text(), "");
  EXPECT_TRUE(list.add("one")) << "done, and to be done again";
  EXPECT_EQ(text(), "one\n");
}

TEST_F(WorkListTest, ProcessesAddWithoutLosingEachOthersLines) {
  WorkList first(file()), second(file());
  EXPECT_TRUE(first.add("one"));
  EXPECT_TRUE(second.add("two"));
  first.done(*first.next());
  EXPECT_EQ(text(), "two\n");
  second.add("three");
  EXPECT_EQ(text(), "two\nthree\n");
}

TEST_F(WorkListTest, ThreadsAddAndStrikeOff) {
  WorkList list(file());
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&, t] {
        for (int i = 0; i < 100; ++i) {
          list.add(std::to_string(t) + " " + std::to_string(i));
          if (auto line = list.next()) list.done(*line);
        }
      });
  }
  for (const std::string& line : all(list)) list.done(line);
  EXPECT_EQ(text(), "");
  EXPECT_EQ(list.waiting(), 0u);
}

TEST_F(WorkListTest, WhateverLiesThereIsTakenForWhatItIs) {
  std::ofstream(file()) << "one\n\n"
                        << std::string("nul\0inside", 10) << "\n"
                        << std::string(5000, 'x') << "\ntwo\ncut";
  WorkList list(file());
  EXPECT_EQ(all(list), (Lines{"one", "two"}));
  EXPECT_FALSE(list.add("")) << "no work";
  EXPECT_FALSE(list.add("two\nlines"));
  EXPECT_FALSE(list.add(std::string(5000, 'x')));
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  EXPECT_TRUE(list.add("three")) << "in memory, where there is no file";
  EXPECT_EQ(list.next(), "three");
}

TEST_F(WorkListTest, ListsInMemoryHaveNoFile) {
  WorkList list({});
  EXPECT_TRUE(list.add("one"));
  EXPECT_EQ(list.next(), "one");
  list.done("one");
  EXPECT_FALSE(std::filesystem::exists(file()));
}

}  // namespace
}  // namespace symcached::store
