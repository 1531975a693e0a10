#include "service/worker_reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "fetch/part_file.hpp"
#include "fetch/stated_ids.hpp"
#include "testing/managed/traces.hpp"
#include "testing/server/faulty_worker.hpp"
#include "testing/server/service_fixture.hpp"

namespace symcached::service {
namespace {

using ::testing::HasSubstr;

/// Fetched over HTTP, held to ids and checksums and converted by worker processes.
class WorkerReaderTest : public ::testing::Test {
 protected:
  WorkerReaderTest() {
    ServiceOptions options = {.limits = kRules};
    options.retry.settling = std::chrono::seconds(0);
    std::vector<std::unique_ptr<fetch::Source>> sources;
    sources.push_back(std::move(*fetch::make_source(upstream_.url(), objects_, client_)));
    service_ =
        std::make_unique<CacheService>(*store_, std::move(sources), run_, [](Severity, const std::string&) {}, options);
  }
  ~WorkerReaderTest() override {
    pool_.stop();
    client_.stop();
    service_->stop();
  }
  Outcome find(const sources::ModuleIds& module) {
    return run_task(service_->find({.type = ModuleType::pe_dotnet, .module = module}, kLong));
  }

  static constexpr LimitRules kRules{.memory_base_mib = 256, .seconds_base = 2};
  TempFolder cache_;
  FakeUpstream upstream_;
  const testkit::Traces traces_{"release"};
  std::unique_ptr<store::Store> store_ = std::move(*store::Store::open(cache_.path(), 1));
  worker::Pool pool_{{.command = faulty_worker(), .processes = 2}, [](Severity, const std::string&) {}};
  const RunJob run_ = [this](worker::Job job, worker::Sink sink) { return pool_.run(std::move(job), std::move(sink)); };
  WorkerReader reader_{run_, kRules};
  fetch::ObjectCache objects_{*store_, kObjects, {}, reader_};
  fetch::HttpClient client_{{}, "Test/1"};
  std::unique_ptr<CacheService> service_;
};

TEST_F(WorkerReaderTest, APortablePdbBecomesAPpdbcache) {
  upstream_.put(traces_.path(), {200, {}, traces_.pdb});
  const Outcome outcome = find(traces_.pdb_request);
  ASSERT_TRUE(std::holds_alternative<Ready>(outcome)) << describe(outcome);
  const auto derived = symbolize::derive_cache({.file = as_bytes(traces_.pdb)});
  ASSERT_TRUE(derived) << derived.error();
  EXPECT_EQ(derived->kind, symbolize::CacheKind::ppdbcache);
  EXPECT_EQ(describe(outcome), "ready " + std::string(as_text(derived->file)));
}

TEST_F(WorkerReaderTest, APortablePdbIsHeldToItsIdAndChecksum) {
  sources::ModuleIds other_checksum = traces_.pdb_request, other_id = traces_.pdb_request;
  other_checksum.checksums.at(0).digest.at(0) ^= std::byte{1};
  other_id.debug_id->guid.bytes[0] ^= 1;
  other_id.checksums.clear();
  struct Row {
    std::string_view why;
    sources::ModuleIds wanted;
    std::string content;
    std::string_view want;
  };
  const Row rows[] = {
      {"another checksum", other_checksum, traces_.pdb, "checksum differs"},
      {"another id", other_id, traces_.pdb, "id is"},
      {"cut", traces_.pdb_request, traces_.pdb.substr(0, 1000), "cannot be read"},
      {"deadly", traces_.pdb_request, traces_.pdb + std::string(kCrash), "the worker"},
  };
  for (const Row& r : rows) {
    upstream_.answer_all_with({200, {}, r.content});
    CacheQuery query{.type = ModuleType::pe_dotnet, .module = r.wanted};
    query.module.debug_file = std::string(r.want.substr(0, 2)) + ".pdb";  // each row is a file of its own
    EXPECT_THAT(describe(run_task(service_->find(query, kLong))), HasSubstr(r.want)) << r.why;
  }
}

TEST_F(WorkerReaderTest, AWorkerSaysWhatAFileStates) {
  const std::string line = "MODULE Linux x86_64 0403020106050807090A0B0C0D0E0F107 a\n";
  struct Row {
    std::string_view why;
    std::string content;
    std::uint64_t offset, size;
    std::string_view want;
  };
  const Row rows[] = {
      {"whole", line, 0, line.size(), "breakpad - 0403020106050807090A0B0C0D0E0F107\n"},
      {"after something else", "head" + line, 4, line.size(), "breakpad - 0403020106050807090A0B0C0D0E0F107\n"},
      {"states nothing", "text", 0, 4, ""},
      {"cut", line, 1, line.size(), "bad truncated: 55 of 56 bytes (file.size at offset 1)"},
      {"deadly", line + std::string(kCrash), 0, line.size(), "bad the worker ended with"},  // a signal or a sanitizer
  };
  for (const Row& r : rows) {
    const TempFolder folder;
    folder.write("file", r.content);
    const Descriptor file(::open((folder.path() / "file").c_str(), O_RDONLY | O_CLOEXEC));
    const auto ids = run_task(reader_.state_ids(file.get(), r.offset, r.size));
    const std::string said =
        ids ? fetch::to_text(*ids) : fmt::format("{} {}", ids.error().ours ? "ours" : "bad", ids.error().why);
    EXPECT_EQ(r.why == "deadly" ? said.substr(0, r.want.size()) : said, r.want) << r.why;
  }
}

TEST_F(WorkerReaderTest, AWorkerLooksAtAFileInParts) {
  auto parts = std::move(*fetch::PartFile::make(std::uint64_t{1} << 30));
  const std::string line = "MODULE Linux x86_64 0403020106050807090A0B0C0D0E0F107 a\n";
  ASSERT_TRUE(parts.add(0, as_bytes(line)));
  ASSERT_TRUE(parts.add(1 << 20, as_bytes(line)));
  const auto seen = run_task(reader_.glimpse(parts.descriptor(), parts.known()));
  ASSERT_TRUE(seen) << seen.error().why;
  EXPECT_EQ(fetch::to_text(seen->stated), "breakpad - 0403020106050807090A0B0C0D0E0F107\n");
}

TEST(Parts, AreReadAsTheyWereWritten) {
  const std::vector<fetch::FilePart> parts{{0, 65536}, {1 << 20, 7}};
  EXPECT_EQ(text_of(parts), "0 65536 1048576 7");
  EXPECT_EQ(parse_parts(text_of(parts)), parts);
  EXPECT_EQ(parse_parts(""), std::vector<fetch::FilePart>());
  for (const std::string_view text : {"0", "0 ", "x y", "0 1 2", "0 1  2 3", "0 1 2 3 4"})
    EXPECT_FALSE(parse_parts(text)) << text;
}

TEST(VerifyOrder, IsReadAsItWasWritten) {
  const VerifyOrder order{sources::FileType::portable_pdb,
                          {4096, 123},
                          {.debug_id = DebugId{*Guid::parse(kGuid), sources::kNoStamp},
                           .checksums = {{"SHA256", {std::byte{1}, std::byte{2}}}, {"odd name", {std::byte{3}}}}}};
  const auto read = VerifyOrder::parse(order.text());
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->type, order.type);
  EXPECT_EQ(read->extent.offset, 4096u);
  EXPECT_EQ(read->extent.size, 123u);
  EXPECT_EQ(read->module, order.module);
  for (const std::string_view text : {"", "pdb", "pdb\n1 2", "pdb\n1\n{}", "none\n1 2\n{}", "pdb\n1 2\n{"})
    EXPECT_FALSE(VerifyOrder::parse(text)) << text;
}

}  // namespace
}  // namespace symcached::service
