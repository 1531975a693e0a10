#include "store/journal.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

constexpr std::uint32_t kNow = 1'700'000'000;

Digest digest(std::size_t number) { return sha256(as_bytes(std::to_string(number))); }

/// A process that uses the directory.
struct Process {
  explicit Process(const std::filesystem::path& directory, std::uint64_t boot = 1) : journal(directory, boot) {
    journal.refresh(index);
  }
  void put(std::size_t number, std::uint32_t blocks = 1) {
    const auto place = *index.intern("symcaches/v1/global");
    journal.refresh(index);
    index.put(place, digest(number), {.blocks = blocks, .last_use = kNow});
    journal.note(index, place, digest(number));
    journal.flush(index);
  }
  void erase(std::size_t number) {
    const auto place = *index.intern("symcaches/v1/global");
    index.erase(place, digest(number));
    journal.note(index, place, digest(number));
    journal.flush(index);
  }
  /// How much it knows of, once it has read the news.
  std::size_t entries() {
    journal.refresh(index);
    return index.entries();
  }
  Index index;
  Journal journal;
};

class JournalTest : public ::testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / kJournalName; }
  std::uint64_t records() const { return std::filesystem::file_size(file()) / sizeof(JournalRecord); }

  TempFolder folder_;
};

TEST_F(JournalTest, ARestartReadsIt) {
  {
    Process before(folder_.path());
    for (std::size_t i = 0; i < 3; ++i) before.put(i, 2);
    before.erase(1);
  }
  Process after(folder_.path());
  EXPECT_EQ(after.entries(), 2u);
  EXPECT_EQ(after.index.bytes(), 4 * kBlock);
  EXPECT_EQ(records(), 5u) << "a place, three puts, one that is gone";
}

TEST_F(JournalTest, EachReadsTheNewsOfTheOthers) {
  Process a(folder_.path(), 1), b(folder_.path(), 2);
  a.put(1);
  b.put(2);
  a.put(3);
  EXPECT_EQ(a.entries(), 3u);
  EXPECT_EQ(b.entries(), 3u);
  b.erase(1);
  EXPECT_EQ(a.entries(), 2u);
  EXPECT_EQ(records(), 5u) << "the place once: b has read it";
}

TEST_F(JournalTest, ACutTailCostsWhatWasCutOff) {
  Process before(folder_.path());
  before.put(1);
  before.put(2);
  const auto size = std::filesystem::file_size(file());
  for (std::uint64_t cut = size - 2 * sizeof(JournalRecord) - 1; cut <= size; ++cut) {
    std::filesystem::copy_file(file(), folder_.path() / "kept", std::filesystem::copy_options::overwrite_existing);
    std::filesystem::resize_file(file(), cut);
    Process after(folder_.path());
    const std::size_t whole = cut / sizeof(JournalRecord);
    EXPECT_EQ(after.entries(), whole == 0 ? 0 : whole - 1) << cut;
    after.put(7);
    Process later(folder_.path());
    EXPECT_EQ(later.entries(), after.entries()) << cut << ": what is appended behind a torn record is read";
    EXPECT_TRUE(later.index.find(0, digest(7))) << cut;
    std::filesystem::rename(folder_.path() / "kept", file());
  }
}

TEST_F(JournalTest, GrowsToTwiceWhatIsAlive) {
  Process a(folder_.path(), 1), b(folder_.path(), 2);
  for (std::size_t i = 0; i < 5000; ++i) {
    a.put(i);
    if (i >= 100) a.erase(i - 100);
  }
  EXPECT_LE(records(), 2 * 101 + 1024u);
  EXPECT_EQ(a.entries(), 100u);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "tmp"));
  b.put(7000);
  EXPECT_EQ(a.entries(), 101u) << "both have the new file";
  EXPECT_EQ(Process(folder_.path()).entries(), 101u);
}

TEST_F(JournalTest, WhoeverDeletesItLosesNothingThatOneStillKnows) {
  Process a(folder_.path());
  a.put(1);
  std::filesystem::remove(file());
  EXPECT_EQ(a.entries(), 1u);
  EXPECT_EQ(Process(folder_.path(), 2).entries(), 1u);
  a.put(2);
  EXPECT_EQ(Process(folder_.path(), 3).entries(), 2u);
  std::filesystem::remove_all(folder_.path());
  a.put(3);
  std::filesystem::create_directory(folder_.path());
  a.put(4);
  EXPECT_EQ(Process(folder_.path(), 4).entries(), 4u);
}

TEST_F(JournalTest, WhateverIsInItsPlaceIsNoReasonToStop) {
  folder_.write("elsewhere", "x");
  std::filesystem::create_symlink(folder_.path() / "elsewhere", file());
  Process linked(folder_.path());
  linked.put(1);
  EXPECT_EQ(linked.entries(), 1u);
  EXPECT_EQ(std::filesystem::file_size(folder_.path() / "elsewhere"), 1u);
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  Process directory(folder_.path());
  directory.put(1);
  EXPECT_EQ(directory.entries(), 1u);
  std::filesystem::remove(file());
  folder_.write(kJournalName, std::string(1000, '\xd7') + "junk");
  Process junk(folder_.path());
  junk.put(1);
  EXPECT_EQ(Process(folder_.path()).entries(), 1u);
}

TEST_F(JournalTest, ReadOnlyWritesNothing) {
  Index index;
  Journal none(folder_.path(), 1, Journal::Mode::read_only);
  none.refresh(index);
  EXPECT_FALSE(std::filesystem::exists(file()));
  Process(folder_.path()).put(1);
  none.refresh(index);
  EXPECT_EQ(index.entries(), 1u);
  const auto size = std::filesystem::file_size(file());
  index.erase(0, digest(1));
  none.note(index, 0, digest(1));
  none.flush(index);
  EXPECT_EQ(std::filesystem::file_size(file()), size);
}

}  // namespace
}  // namespace symcached::store
