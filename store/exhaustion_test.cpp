/// A machine that runs out of something, or whose disk fails: nothing is known, and nobody tries at once again.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <utility>

#include "store/failing_files.hpp"
#include "store/store_testing.hpp"
#include "testing/server/process.hpp"
#include "testing/temp_folder.hpp"

namespace symcached::store {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Machine {
  explicit Machine(const std::filesystem::path& creates = "/dev/null") { files->creates = creates; }
  StoreOptions options() {
    return {.now = [this] { return now; }};
  }
  SteadyTime now{};
  FailingFiles* files = new FailingFiles;
  Store store{std::unique_ptr<Files>(files), options()};
};

TEST(Exhaustion, OnlyAMissingFileIsAMiss) {
  struct Row {
    int error;
    bool miss;
  };
  for (const Row& r :
       {Row{ENOENT, true}, Row{ENOTDIR, true}, Row{ELOOP, true}, Row{EMFILE, false}, Row{ENFILE, false},
        Row{ENOMEM, false}, Row{EIO, false}, Row{EACCES, false}, Row{ESTALE, false}, Row{EPERM, false}}) {
    Machine machine;
    machine.files->open_error = r.error;
    EXPECT_THAT(say(machine.store.lookup(kKey)),
                StartsWith(r.miss ? "miss" : "exhausted cannot open failing/symcaches"))
        << r.error;
    machine.store.remember(kKey, Absent{Store::now()});
    EXPECT_THAT(say(machine.store.lookup_checked(kKey)), StartsWith(r.miss ? "absent" : "exhausted")) << r.error;
  }
}

TEST(Exhaustion, NoMemoryLeft) {
  Machine machine;
  machine.files->out_of_memory = true;
  EXPECT_EQ(say(machine.store.lookup(kKey)), "exhausted out of memory");
  EXPECT_EQ(say(machine.store.lookup_checked(kKey)), "exhausted out of memory");
}

TEST(Exhaustion, AnErrorWhileReadingIsNotAMiss) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, std::string(100'000, 'p'));
  Machine machine;
  machine.files->opens = store->path_of(kKey);
  EXPECT_THAT(say(machine.store.lookup(kKey)), StartsWith("hit ppp"));
  Machine failing;
  failing.files->opens = store->path_of(kKey);
  failing.files->open_flags = O_WRONLY;  // pread() fails
  EXPECT_THAT(say(failing.store.lookup(kKey)), AllOf(HasSubstr("cannot read "), HasSubstr(": Bad file descriptor")));
  EXPECT_THAT(say(failing.store.lookup_checked(kKey)), StartsWith("exhausted"));
}

TEST(Exhaustion, NoDescriptorsLeft) {
  const TempFolder folder;
  const auto store = open_store(folder.path());
  put(*store, "payload");
  const auto unnamed = Store::unnamed();
  put(*unnamed, "payload");
  EXPECT_EQ(say(store->lookup(kKey)), "hit payload");
  {
    const NoDescriptors none;
    EXPECT_THAT(say(store->lookup(kKey)), AllOf(HasSubstr("cannot open "), HasSubstr(": Too many open files")));
    EXPECT_THAT(say(store->lookup_checked(kKey)), StartsWith("exhausted"));
    EXPECT_THAT(say(store->lookup(key_of(1))), StartsWith("exhausted")) << "an unknown key is not absent";
    EXPECT_THAT(say(unnamed->lookup(kKey)), StartsWith("exhausted"));
    EXPECT_THAT(try_put(*store, "payload"), HasSubstr("Too many open files"));
    EXPECT_EQ(store->remove_left_overs(), 0u);
    EXPECT_FALSE(store->no_space()) << "that is not of the disk";
    EXPECT_FALSE(Store::open(folder.path(), 2));
  }
  EXPECT_EQ(say(store->lookup(kKey)), "hit payload");
  EXPECT_EQ(say(unnamed->lookup(kKey)), "hit payload");
  put(*store, "second");
  EXPECT_EQ(say(store->lookup(kKey)), "hit second");
}

TEST(DiskFull, NothingIsTriedForAWhile) {
  Machine machine("/dev/full");
  EXPECT_FALSE(machine.store.no_space());
  auto early = machine.store.create(key_of(1));
  ASSERT_TRUE(early) << early.error();
  for (const int pause : {5, 10, 20, 40, 60, 60}) {
    EXPECT_THAT(try_put(machine.store, "payload"),
                AllOf(HasSubstr("cannot write "), HasSubstr(": No space left on device")));
    EXPECT_THAT(machine.store.no_space().value_or(""), HasSubstr("No space left on device"));
    EXPECT_THAT(try_put(machine.store, "payload"), StartsWith("not written: ")) << "not tried at all";
    machine.now += seconds(pause) - std::chrono::milliseconds(1);
    EXPECT_TRUE(machine.store.no_space()) << pause;
    machine.now += std::chrono::milliseconds(1);
    EXPECT_FALSE(machine.store.no_space()) << pause;
  }
  machine.files->creates = "/dev/null";
  put(machine.store, "payload");
  machine.files->creates = "/dev/full";
  EXPECT_FALSE(early->write(as_bytes("payload")));
  EXPECT_TRUE(machine.store.no_space());
  machine.now += seconds(5);
  EXPECT_FALSE(machine.store.no_space()) << "a success counts: from the start again";
}

TEST(DiskFull, EachWayOfHavingNoSpaceCounts) {
  struct Row {
    int error;
    bool no_space;
  };
  for (const Row& r : {Row{ENOSPC, true}, Row{EDQUOT, true}, Row{EFBIG, true}, Row{EROFS, true}, Row{EIO, false},
                       Row{EACCES, false}}) {
    Machine machine;
    machine.files->publish_error = r.error;
    EXPECT_THAT(try_put(machine.store, "payload"), HasSubstr("cannot publish "));
    EXPECT_EQ(machine.store.no_space().has_value(), r.no_space) << r.error;
  }
  Machine unwritable("/no/such/file");
  EXPECT_THAT(try_put(unwritable.store, "payload"), HasSubstr("cannot create "));
  EXPECT_FALSE(unwritable.store.no_space());
}

TEST(DiskFull, KeepingAnAbsenceDoesNotTryEither) {
  Machine machine("/dev/full");
  machine.files->open_error = ENOENT;
  machine.store.remember(kKey, Absent{Store::now()});
  EXPECT_THAT(machine.store.keep(kKey).error(), HasSubstr("No space left on device"));
  EXPECT_THAT(machine.store.keep(kKey).error(), StartsWith("not written: "));
  EXPECT_EQ(say(machine.store.lookup(kKey)), "absent") << "memory has it";
}

TEST(DiskFull, AFileOverTheLimitOfTheProcess) {
  const auto before = ::signal(SIGXFSZ, SIG_IGN);
  for (const auto temporary : {TemporaryFiles::unnamed, TemporaryFiles::named}) {
    const TempFolder folder;
    SteadyTime now{};
    const auto store = open_store(folder.path(), 1, {.temporary_files = temporary, .now = [&] { return now; }});
    put(*store, "first");
    {
      const ScopedLimit small(RLIMIT_FSIZE, 100'000);
      EXPECT_THAT(try_put(*store, std::string(200'000, 'p')), HasSubstr("File too large"));
      EXPECT_TRUE(store->no_space());
      EXPECT_EQ(entries_in(folder.path()), 1u) << "no half entry";
      EXPECT_EQ(say(store->lookup(kKey)), "hit first") << "what is there is still served";
    }
    now += seconds(5);
    put(*store, std::string(200'000, 'p'));
    EXPECT_THAT(say(store->lookup(kKey)), StartsWith("hit ppp"));
  }
  ::signal(SIGXFSZ, before);
}

}  // namespace
}  // namespace symcached::store
