#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/sanitizers.hpp"
#include "net/run_task.hpp"
#include "service/cache_service.hpp"
#include "service/cache_versions.hpp"
#include "symbolize/derive.hpp"
#include "testing/pdb/rich_pdb.hpp"
#include "testing/server/faulty_worker.hpp"
#include "testing/server/process.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::service {
namespace {

using std::chrono::seconds;
using ::testing::ContainsRegex;

constexpr int kConversions = 1000;
constexpr int kFaulty = 10;  ///< every tenth is

std::size_t resident() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, pages = 0;
  file >> all >> pages;
  return pages * 4096;
}

std::string on_disk(const Guid& guid) {
  std::string bytes(guid.bytes.begin(), guid.bytes.end());
  std::reverse(bytes.begin(), bytes.begin() + 4);
  std::swap(bytes[4], bytes[5]);
  std::swap(bytes[6], bytes[7]);
  return bytes;
}

/// The real thing but for the worker, which goes wrong where a file tells it to: files in a directory, a store, a pool
/// of processes, conversions.
class Isolation : public ::testing::Test {
 protected:
  void SetUp() override {
    pdb_ = testkit::assemble(testkit::rich_pdb());
    const auto derived = symbolize::derive_symcache({.file = pdb_});
    ASSERT_TRUE(derived) << derived.error();
    id_ = derived->debug_id;
    cache_size_ = derived->file.size();
    ServiceOptions options;
    options.limits = {.memory_base_mib = 256, .seconds_base = 2};
    options.retry.settling = seconds(0);
    std::vector<std::unique_ptr<fetch::Source>> sources;
    sources.push_back(std::move(*fetch::make_source(symbols_.path().string(), objects_, client_)));
    service_ = std::make_unique<CacheService>(
        *store_, std::move(sources), [this](worker::Job job, worker::Sink sink) { return pool_.run(job, sink); },
        [](Severity, const std::string&) {}, options);
  }
  void TearDown() override {
    pool_.stop();
    client_.stop();
    service_->stop();
  }

  CacheQuery add(int number, std::string_view fault) {
    const DebugId id{*Guid::parse(fmt::format("{:08X}000000000000000000000001", number)), id_.age};
    std::string pdb(as_text(pdb_));
    pdb.replace(pdb.find(on_disk(id_.guid)), id.guid.bytes.size(), on_disk(id.guid));
    symbols_.write(fmt::format("a.pdb/{}/a.pdb", id.breakpad()), pdb + std::string(fault));
    return {.module = {.debug_file = "a.pdb", .debug_id = id}};
  }

  TempFolder symbols_, cache_;
  std::vector<std::byte> pdb_;
  DebugId id_;
  std::size_t cache_size_ = 0;
  std::unique_ptr<store::Store> store_ = std::move(*store::Store::open(cache_.path(), 1));
  fetch::ObjectCache objects_{*store_, kObjects, {}, fetch::reader_of_this_process()};
  fetch::HttpClient client_{{}, "Test/1"};
  worker::Pool pool_{{.command = faulty_worker(), .processes = 2}, [](Severity, const std::string&) {}};
  std::unique_ptr<CacheService> service_;
};

/// Which fault the n-th faulty file has, and what is said of it. Those that take seconds are few.
struct Fault {
  std::string_view word, reason;
};
Fault fault_of(int n) {
  constexpr Fault kQuick[] = {{kCrash, "signal 11"}, {kEat, "ran out of memory"}, {kExit, "exit status 7"}};
  if (n % 50 == 0) return {kHang, "took longer than 4 s"};
  if (n % 50 == 25) return {kSpin, "CPU time|took longer"};
  return kQuick[n % 3];
}

TEST_F(Isolation, EveryTenthConversionGoesWrongAndOnlyThat) {
  int ready = 0, refused = 0;
  std::size_t before = 0;
  for (int i = 0; i < kConversions; ++i) {
    const bool faulty = i % kFaulty == kFaulty - 1;
    const Fault fault = faulty ? fault_of(i / kFaulty) : Fault{};
    const Outcome outcome = run_task(service_->find(add(i, fault.word), seconds(60)));
    const auto* failed = std::get_if<Failed>(&outcome);
    const auto* found = std::get_if<Ready>(&outcome);
    ASSERT_EQ(faulty, failed != nullptr) << i;
    ASSERT_EQ(faulty, found == nullptr) << i;
    if (failed != nullptr) {
      ++refused;
      EXPECT_FALSE(failed->lasting) << i;
      EXPECT_THAT(failed->why, ContainsRegex(kSanitized ? "the worker" : std::string(fault.reason))) << i;
    } else {
      ++ready;
      EXPECT_EQ(found->entry->size(), cache_size_) << i;
    }
    if (i == kConversions / 10) before = resident();
  }
  const std::size_t after = resident();
  EXPECT_EQ(ready, kConversions - kConversions / kFaulty);
  EXPECT_EQ(refused, kConversions / kFaulty);
  EXPECT_EQ(pool_.stats().died, static_cast<std::uint64_t>(refused));
  fmt::print("{} conversions, {} right, {} refused; resident after 100: {} KiB, at the end: {} KiB\n", kConversions,
             ready, refused, before >> 10, after >> 10);
  EXPECT_LT(after, before + (kSanitized ? 512 << 20 : 8 << 20));
  pool_.stop();
  EXPECT_EQ(children(), 0u);
}

}  // namespace
}  // namespace symcached::service
