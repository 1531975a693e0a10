#include "transcode/remote_queue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace symcached::transcode {
namespace {

using std::chrono::seconds;

constexpr std::uint32_t kThree[] = {3};
const RemoteTime kStart{};

RemoteJob job(std::string name, std::uint32_t major_part = 3) {
  return {std::move(name), {*Guid::parse("3249d99d0c4049318610f4e4fb0b6936"), 1}, major_part, 1000};
}

struct QueueFixture {
  int leases = 0;
  RemoteRules rules{.lease = seconds(10), .longest = seconds(25), .attempts = 2, .most_jobs = 3};
  RemoteQueue queue{rules, [this] { return fmt::format("{:032x}", ++leases); }};

  /// The name of the job that a worker gets; empty if there is none.
  std::string taken(RemoteTime now = kStart) {
    const auto lease = queue.take("worker", kThree, now);
    last = lease ? lease->id : "";
    return lease ? lease->job.pdb_name : "";
  }
  std::string last;
};

TEST(RemoteQueue, OneJobPerKeyInOrder) {
  QueueFixture f;
  EXPECT_EQ(f.queue.offer(job("a.pdb")), Offered::queued);
  EXPECT_EQ(f.queue.offer(job("A.PDB")), Offered::known);
  EXPECT_EQ(f.queue.offer(job("b.pdb")), Offered::queued);
  EXPECT_EQ(f.queue.offer(job("a.pdb", 4)), Offered::queued) << "another major version";
  EXPECT_EQ(f.queue.offer(job("c.pdb")), Offered::full);
  EXPECT_EQ(f.taken(), "a.pdb");
  EXPECT_EQ(f.queue.offer(job("a.pdb")), Offered::known) << "while it is leased";
  EXPECT_EQ(f.taken(), "b.pdb");
  EXPECT_EQ(f.taken(), "") << "what is left is of a major version that this worker does not make";
  constexpr std::uint32_t kBoth[] = {3, 4};
  EXPECT_TRUE(f.queue.take("other", kBoth, kStart));
}

TEST(RemoteQueue, ALeaseEndsOnce) {
  QueueFixture f;
  f.queue.offer(job("a.pdb"));
  f.taken();
  EXPECT_EQ(f.queue.find(f.last)->pdb_name, "a.pdb");
  EXPECT_EQ(f.queue.complete(f.last, {3, 1, 0})->job.pdb_name, "a.pdb");
  EXPECT_FALSE(f.queue.complete(f.last, {3, 1, 0}));
  EXPECT_FALSE(f.queue.fail(f.last, "late"));
  EXPECT_FALSE(f.queue.renew(f.last, kStart));
  EXPECT_FALSE(f.queue.find(f.last));
  EXPECT_EQ(f.queue.offer(job("a.pdb")), Offered::queued) << "it may be wanted again";
  f.taken();
  EXPECT_EQ(f.queue.fail(f.last, "exit status 1\n\x1b[31m")->why, "exit status 1\\x0a\\x1b[31m");
  f.queue.offer(job("a.pdb"));
  f.taken();
  EXPECT_EQ(f.queue.fail(f.last, std::string(100'000, 'x'))->why.size(), 4096u);
}

TEST(RemoteQueue, AnExpiredLeaseGoesBackToTheFront) {
  QueueFixture f;
  f.queue.offer(job("a.pdb"));
  f.queue.offer(job("b.pdb"));
  f.taken();
  const std::string first = f.last;
  EXPECT_EQ(f.queue.next_expiry(), kStart + seconds(10));
  EXPECT_TRUE(f.queue.expire(kStart + seconds(9)).empty());
  EXPECT_EQ(f.queue.waiting(), 1u);
  EXPECT_TRUE(f.queue.expire(kStart + seconds(10)).empty());
  EXPECT_FALSE(f.queue.complete(first, {3, 1, 0}));
  EXPECT_EQ(f.taken(kStart + seconds(11)), "a.pdb");
  const auto lost = f.queue.expire(kStart + seconds(30));
  ASSERT_EQ(lost.size(), 1u) << "the second lease that ran out";
  EXPECT_EQ(lost[0].job.pdb_name, "a.pdb");
  EXPECT_EQ(f.taken(), "b.pdb");
}

TEST(RemoteQueue, ALeaseIsRenewedButNotForEver) {
  QueueFixture f;
  f.queue.offer(job("a.pdb"));
  f.taken();
  EXPECT_EQ(f.queue.renew(f.last, kStart + seconds(5)), kStart + seconds(15));
  EXPECT_EQ(f.queue.renew(f.last, kStart + seconds(15)), kStart + seconds(25));
  EXPECT_EQ(f.queue.renew(f.last, kStart + seconds(20)), kStart + seconds(25)) << "the longest";
  EXPECT_FALSE(f.queue.renew(f.last, kStart + seconds(26)));
}

TEST(RemoteQueue, WhatNobodyWantsIsGone) {
  QueueFixture f;
  f.queue.offer(job("a.pdb"));
  f.queue.offer(job("b.pdb"));
  f.taken();
  f.queue.withdraw(job("A.pdb"));
  f.queue.withdraw(job("b.pdb"));
  f.queue.withdraw(job("c.pdb"));
  EXPECT_FALSE(f.queue.complete(f.last, {3, 1, 0}));
  EXPECT_EQ(f.queue.waiting() + f.queue.leased(), 0u);
  EXPECT_FALSE(f.queue.next_expiry());
}

}  // namespace
}  // namespace symcached::transcode
