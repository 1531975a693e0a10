#include "service/hidden_names.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "symcache/reader.hpp"
#include "testing/macho/image.hpp"
#include "testing/server/eventually.hpp"
#include "testing/server/scripted_source.hpp"
#include "testing/server/service_fixture.hpp"

namespace symcached::service {
namespace {

using sources::FileType;
using std::chrono::seconds;
using testing::ElementsAre;

constexpr std::string_view kUuid = "0102030405060708090A0B0C0D0E0F10", kOriginal = "FFEEDDCCBBAA99887766554433221100";
constexpr std::string_view kMap = "BCSymbolMap Version: 2.0\nfirst\nsecond\n";
const std::string kList = "<plist><dict><key>DBGOriginalUUID</key><string>" + std::string(kOriginal) + "</string>";

/// A dSYM's symbol table, without lines.
std::string dsym_with(std::string_view name) {
  testkit::MachoImage image;
  image.type = macho::FileType::dsym;
  image.sections = {{.segment = "__TEXT",
                     .name = "__text",
                     .address = 0x100000400,
                     .data = std::vector<std::byte>(0x100),
                     .flags = testkit::kMachoCode}};
  image.symbols = {{.name = name, .value = 0x100000410}};
  return std::string(as_text(assemble(image)));
}

/// Runs in this process what a worker does.
Task<worker::Result> run_here(worker::Job job, worker::Sink sink) {
  std::vector<Descriptor> files;
  for (const worker::Input& input : job.inputs) files.emplace_back(::dup(input.file->get()));
  const worker::Output output = [&](Bytes piece) { static_cast<void>(sink(piece)); };
  const auto answer = worker_handlers().at(job.kind)({job.arguments, files, output});
  if (!answer) co_return worker::Refused{answer.error()};
  co_return worker::Done{*answer};
}

/// One source has the dSYM, the next one what is written into the folder under names such as "bcsymbolmap FFEE…".
class HiddenNamesTest : public ServiceTest {
 protected:
  void SetUp() override {
    put("mach_debug", kUuid, dsym_with("___hidden#1_"));
    first_.open = [this](const fetch::Wanted& wanted) { return open(wanted, {FileType::mach_debug}); };
    second_.open = [this](const fetch::Wanted& wanted) {
      return open(wanted, {FileType::uuid_map, FileType::bcsymbol_map});
    };
    std::vector<std::unique_ptr<fetch::Source>> sources;
    sources.push_back(std::make_unique<ScriptedSource>("first", first_));
    sources.push_back(std::make_unique<ScriptedSource>("second", second_));
    ServiceOptions options = settled();
    options.retry.absent = options.retry.upgrade_again = seconds(0);
    service_ = std::make_unique<CacheService>(
        *store_, std::move(sources), [](worker::Job job, worker::Sink sink) { return run_here(job, sink); },
        [](Severity, const std::string&) {}, options);
  }
  void put(std::string_view type, std::string_view uuid, std::string_view content) {
    symbols_.write(fmt::format("{} {}", type, uuid), std::string(content));
  }
  fetch::Outcome open(const fetch::Wanted& wanted, std::vector<FileType> types) {
    if (std::ranges::find(types, wanted.file.type) == types.end()) return fetch::NotThere{};
    const std::string name = fmt::format("{} {}", name_of(wanted.file.type), wanted.file.module.uuid()->hex_upper());
    {
      const std::scoped_lock lock(mutex_);
      asked_.push_back(name);
    }
    const auto mapped = MappedFile::open(symbols_.path() / name);
    if (!mapped) return fetch::NotThere{};
    return fetch::Original{.file = Descriptor(::open((symbols_.path() / name).c_str(), O_RDONLY | O_CLOEXEC)),
                           .size = mapped->bytes().size(),
                           .digest = store::sha256(mapped->bytes())};
  }
  /// The name of the one function.
  std::string name_seen_from(std::string scope) {
    CacheQuery query{.type = ModuleType::macho, .module = {.debug_id = DebugId{*Guid::parse(kUuid), 0}}};
    query.scope = std::move(scope);
    const Outcome outcome = run_task(service_->find(std::move(query), kLong));
    const auto* ready = std::get_if<Ready>(&outcome);
    if (ready == nullptr) return describe(outcome);
    const auto mapped = ready->entry->map();
    const auto cache = symcache::Symcache::open(mapped->bytes().subspan(store::kPayloadOffset));
    symcache::FrameBuffer buffer;
    return std::string(cache->function(0, buffer)->name);
  }
  /// The first three files.
  std::vector<std::string> first_asked() {
    auto all = asked();
    all.resize(std::min<std::size_t>(all.size(), 3));
    return all;
  }
  std::vector<std::string> asked() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(asked_, {});
  }

  const std::string kDsym = "mach_debug " + std::string(kUuid), kItsList = "uuidmap " + std::string(kUuid);
  const std::string kOwnMap = "bcsymbolmap " + std::string(kUuid),
                    kOriginalMap = "bcsymbolmap " + std::string(kOriginal);
  Script first_, second_;
  std::vector<std::string> asked_;
};

TEST_F(HiddenNamesTest, NobodyIsAskedForMapsOfAFileWithNames) {
  put("mach_debug", kUuid, dsym_with("_main"));
  EXPECT_EQ(name_seen_from("global"), "main");
  EXPECT_THAT(asked(), testing::Each(kDsym));
}

TEST_F(HiddenNamesTest, TheMapIsFoundByTheUuidInTheList) {
  put("uuidmap", kUuid, kList);
  put("bcsymbolmap", kOriginal, kMap);
  put("bcsymbolmap", kUuid, "BCSymbolMap Version: 2.0\nwrong\nwrong\n");
  EXPECT_EQ(name_seen_from("global"), "second");
  EXPECT_THAT(first_asked(), ElementsAre(kDsym, kItsList, kOriginalMap));
}

TEST_F(HiddenNamesTest, WithoutAListItIsTheFilesOwn) {
  put("bcsymbolmap", kUuid, kMap);
  EXPECT_EQ(name_seen_from("global"), "second");
  EXPECT_THAT(first_asked(), ElementsAre(kDsym, kItsList, kOwnMap));
}

TEST_F(HiddenNamesTest, ADamagedListIsAsNone) {
  put("uuidmap", kUuid, "damaged");
  put("bcsymbolmap", kUuid, kMap);
  EXPECT_EQ(name_seen_from("global"), "second");
  EXPECT_THAT(first_asked(), ElementsAre(kDsym, kItsList, kOwnMap));
}

TEST_F(HiddenNamesTest, ACacheWithoutTheMapIsServedUntilThereIsOne) {
  EXPECT_EQ(name_seen_from("global"), "__hidden#1_");
  put("bcsymbolmap", kUuid, "BCSymbolMap Version: 7\n");
  EXPECT_EQ(name_seen_from("global"), "__hidden#1_") << "a damaged map is as none";
  put("bcsymbolmap", kUuid, kMap);
  EXPECT_TRUE(eventually([&] { return name_seen_from("global") == "second"; }));
}

TEST_F(HiddenNamesTest, AMapOfAPrivateSourceIsSeenFromItsScopeAlone) {
  second_.is_public = false;
  const auto see_all = [this](const fetch::Wanted& wanted) {
    return open(wanted, {FileType::uuid_map, FileType::bcsymbol_map});
  };
  second_.open = [see_all](const fetch::Wanted& wanted) -> fetch::Outcome {
    if (wanted.scope != "mine") return fetch::NotThere{};
    return see_all(wanted);
  };
  put("bcsymbolmap", kUuid, kMap);
  EXPECT_EQ(name_seen_from("mine"), "second");
  EXPECT_EQ(name_seen_from("others"), "__hidden#1_");
  EXPECT_EQ(name_seen_from("global"), "__hidden#1_");
  EXPECT_EQ(name_seen_from("mine"), "second");
}

}  // namespace
}  // namespace symcached::service
