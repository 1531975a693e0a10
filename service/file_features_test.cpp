#include "service/file_features.hpp"

#include <gtest/gtest.h>

#include "net/run_task.hpp"

namespace symcached::service {
namespace {

using object::FileInfo;
using object::FileKind;
using stacks::Features;

TEST(FileFeatures, AreThoseThatClientsKnow) {
  struct Row {
    FileKind kind;
    model::Arch arch;
    std::vector<std::string_view> features;
    std::string_view want;  ///< debug, unwind, symbols, sources
  };
  const Row rows[] = {
      {FileKind::elf, model::Arch::x86_64, {"symbols", "unwind"}, "-us-"},
      {FileKind::elf, model::Arch::x86_64, {"dwarf", "symbols"}, "d-s-"},
      {FileKind::pdb, model::Arch::x86, {}, "dus-"},
      {FileKind::pdb, model::Arch::x86_64, {}, "d-s-"},
      {FileKind::portable_pdb, model::Arch::unknown, {"lines", "embedded-sources"}, "d--x"},
      {FileKind::pe, model::Arch::x86_64, {"symbols", "unwind"}, "-u--"},
      {FileKind::macho, model::Arch::arm64, {"dwarf", "symbols", "unwind"}, "d-s-"},
      {FileKind::macho, model::Arch::arm64, {"symbols", "gopclntab", "unwind"}, "dus-"},
      {FileKind::breakpad, model::Arch::x86, {"publics", "unwind"}, "-us-"},
      {FileKind::source_bundle, model::Arch::unknown, {}, "---x"},
  };
  for (const Row& row : rows) {
    FileInfo info{.kind = row.kind, .arch = row.arch, .features = row.features};
    EXPECT_EQ(text_of(features_of(info)), row.want) << static_cast<int>(row.kind);
  }
}

TEST(FileFeatures, AreReadAsTheyAreWritten) {
  const Features some{.has_debug_info = true, .has_sources = true};
  EXPECT_EQ(parse_features(text_of(some)), some);
  for (const std::string_view bad : {"", "d-s", "d-s--", "x---", "D-S-"}) EXPECT_FALSE(parse_features(bad)) << bad;
}

/// A worker that says what it is told to.
struct Worker {
  worker::Result result = worker::Done{"du--"};
  int asked = 0;

  RunJob run() {
    return [this](worker::Job, worker::Sink) -> Task<worker::Result> {
      ++asked;
      co_return result;
    };
  }
};

fetch::Original original(unsigned char digest) {
  fetch::Original file;
  file.digest.fill(std::byte{digest});
  return file;
}

TEST(FileFeatures, AreRemembered) {
  Worker worker;
  FileFeatures features(worker.run(), {});
  EXPECT_EQ(text_of(*run_task(features.of(original(1)))), "du--");
  EXPECT_EQ(text_of(*run_task(features.of(original(1)))), "du--");
  EXPECT_EQ(worker.asked, 1);
  features.put_of_cache(original(2).digest, {.has_symbols = true});
  EXPECT_EQ(text_of(*features.of_cache(original(2).digest)), "--s-");
  EXPECT_FALSE(features.of_cache(original(1).digest)) << "that is a file";
}

TEST(FileFeatures, OfAFileThatNoWorkerCanReadAreNotKnown) {
  Worker worker{.result = worker::Died{"of a crash"}};
  FileFeatures features(worker.run(), {});
  EXPECT_FALSE(run_task(features.of(original(1))));
  EXPECT_FALSE(run_task(features.of(original(1))));
  EXPECT_EQ(worker.asked, 2) << "asked again";
}

}  // namespace
}  // namespace symcached::service
