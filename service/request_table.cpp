#include "service/request_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <random>
#include <tuple>

#include "base/ascii.hpp"
#include "fetch/outcome.hpp"
#include "service/cache_versions.hpp"
#include "service/thread_count.hpp"
#include "store/reading.hpp"

namespace symcached::service {
namespace {

constexpr std::chrono::seconds kMostHint{30};
constexpr std::size_t kMostCancelled = 4096;  ///< ids; they are random, so no other request has them
constexpr std::chrono::seconds kLastWork{5};  ///< for what is worked on to notice that all it waits for has ended
constexpr std::chrono::milliseconds kDiskHold{1'000};  ///< for what a look at the disk decides

/// A random UUID, as the protocol's clients expect ids to look; whoever knows one may read the answer.
std::string new_id() {
  std::random_device random;
  std::array<std::uint32_t, 4> words{};
  for (std::uint32_t& word : words) word = random();
  words[1] = (words[1] & 0xFFFF0FFF) | 0x4000;
  words[2] = (words[2] & 0x3FFFFFFF) | 0x80000000;
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", words[0], words[1] >> 16, words[1] & 0xFFFF,
                     words[2] >> 16, words[2] & 0xFFFF, words[3]);
}

bool is_id(std::string_view id) {
  return id.size() == 36 && std::ranges::all_of(id, [](char c) { return c == '-' || hex_digit(c).has_value(); });
}

store::EntryKey request_key(const std::string& id) {
  return {kRequests, std::string(fetch::kGlobalScope), "request " + lower_ascii(id)};
}
store::EntryKey answer_key(const std::string& id) {
  return {kRequests, std::string(fetch::kGlobalScope), "answer " + lower_ascii(id)};
}

/// What cannot be written is lost with this process.
void write(store::Store& store, const store::EntryKey& key, std::string_view text) {
  auto writer = store.create(key, {}, text.size());
  if (writer && writer->write(as_bytes(text))) std::ignore = std::move(*writer).publish({});
}

std::optional<std::string> read(store::Store& store, const store::EntryKey& key) {
  const store::Lookup found = store.lookup(key);
  const auto* hit = std::get_if<store::Hit>(&found);
  const auto bytes = hit == nullptr ? std::unexpected(std::string()) : store::read_payload(*hit->entry);
  return bytes ? std::optional(std::string(as_text(*bytes))) : std::nullopt;
}

struct AtEnd {
  std::function<void()> run;
  ~AtEnd() { run(); }
};

/// Stands for an answer that another server is making.
const SharedAnswer& elsewhere() {
  static const SharedAnswer kElsewhere = std::make_shared<const RequestAnswer>();
  return kElsewhere;
}

}  // namespace

RequestTable::RequestTable(store::Store& store, Answer answer, RequestOptions options, Log log, OnEnd on_end)
    : store_(store),
      answer_(std::move(answer)),
      options_(options),
      log_(std::move(log)),
      on_end_(std::move(on_end)),
      partial_budget_(std::make_shared<PartialBudget>(options.memory)),
      jobs_(pool_, options.jobs,
            {.run = [this](Named named) { return run(std::move(named)); },
             .on_fault = [this](const Named& named, const char* fault) { return after_fault(named, fault); }}),
      pool_(thread_count(options.threads)) {}

SharedAnswer RequestTable::after_fault(const Named& named, const char* fault) {
  RequestAnswer answer{200, R"({"status":"internal_error"})", RequestResult::internal_error};
  on_end_(
      {named.id, answer, std::chrono::steady_clock::now() - named.asked, fault == nullptr ? "out of memory" : fault});
  return std::make_shared<const RequestAnswer>(std::move(answer));
}

void RequestTable::stop() {
  jobs_.drain();
  for (int left = on_pool_; left != 0; left = on_pool_) on_pool_.wait(left);
  {
    std::unique_lock lock(mutex_);
    idle_.wait_for(lock, kLastWork, [this] { return working_ == 0; });
  }
  pool_.stop();
  pool_.join();
}

Task<RequestTable::Outcome> RequestTable::ask(std::string scope, Text text, std::chrono::milliseconds hold,
                                              bool partial) {
  const Named named{new_id(), std::move(text)};
  auto result = co_await jobs_.find(named.id, std::move(scope), named, hold);
  if (result && *result != elsewhere()) {
    forget(named.id);  // nobody was told the id
    co_return std::move(*result);
  }
  if (!result && result.error() == NoResult::overloaded) co_return refused();
  tell(named);
  co_return co_await pending(named.id, partial);
}

/// Of an id that is not known here, the disk knows more; that takes a job, as it may have to wait.
Task<RequestTable::Outcome> RequestTable::poll(std::string id, std::chrono::milliseconds hold, bool partial) {
  if (!is_id(id) || is_cancelled(id)) co_return Unknown{};
  if (auto answer = kept(id)) co_return answer;
  const Named named{id};
  const auto wait = jobs_.is_under_way(id) ? hold : std::max(hold, kDiskHold);
  auto result = co_await jobs_.find(id, std::string(fetch::kGlobalScope), named, wait);
  if (result && *result == nullptr) co_return Unknown{};
  if (result && *result == elsewhere()) co_return Pending{std::move(id), hint()};
  if (result) co_return std::move(*result);
  if (result.error() == NoResult::overloaded) co_return refused();
  if (is_cancelled(id)) co_return Unknown{};
  co_return co_await pending(std::move(id), partial);
}

/// A partial answer is made where answers are made.
Task<RequestTable::Outcome> RequestTable::pending(std::string id, bool partial) {
  Pending told{std::move(id), hint()};
  std::shared_ptr<RequestProgress> progress;
  if (partial) {
    const std::scoped_lock lock(mutex_);
    if (const auto found = progress_.find(told.id); found != progress_.end()) progress = found->second;
  }
  if (!progress) co_return told;
  std::function<RequestProgress::Body()> make = [progress, &told] {
    return progress->partial(told.id, told.retry_in, std::chrono::steady_clock::now());
  };
  told.partial = co_await on_pool(told.id, std::move(make));
  co_return told;
}

/// stop() waits for it. What it throws is logged, and nothing comes of it.
template <class T>
Task<T> RequestTable::on_pool(std::string id, std::function<T()> work) {
  ++on_pool_;
  std::function<void(std::function<void(T)>)> start = [this, id = std::move(id),
                                                       work = std::move(work)](std::function<void(T)> done) {
    boost::asio::post(pool_, [this, id, work, done = std::move(done)] {
      T result{};
      try {
        result = work();
      } catch (const std::exception& fault) {
        log_(Severity::error, fmt::format("{} request={}", fault.what(), id));
      }
      done(std::move(result));
      if (--on_pool_ == 0) on_pool_.notify_all();
    });
  };
  co_return co_await await_callback<T>(std::move(start));
}

Task<bool> RequestTable::cancel(std::string id) {
  if (!is_id(id) || is_cancelled(id)) co_return false;
  id = lower_ascii(id);
  const bool was_here = forget_work(id);
  std::function<bool()> remove = [this, &id] { return remove_from_disk(id); };
  const bool was_on_disk = co_await on_pool(id, std::move(remove));
  if (was_here || was_on_disk) ++cancelled_count_;
  co_return was_here || was_on_disk;
}

RequestTable::Overloaded RequestTable::refused() {
  ++refused_;
  return {};
}

/// What is under way ends, and nobody learns how.
bool RequestTable::forget_work(const std::string& id) {
  bool was_told = false;
  {
    const std::scoped_lock lock(mutex_);
    was_told = told_.erase(id) != 0;
    progress_.erase(id);
    if (was_told || by_id_.contains(id)) cancelled_.push_back(id);
    if (cancelled_.size() > kMostCancelled) cancelled_.pop_front();
  }
  const bool was_kept = forget(id);
  const bool was_worked_on = was_told && jobs_.abandon(id);
  return was_kept || was_told || was_worked_on;
}

bool RequestTable::remove_from_disk(const std::string& id) {
  const bool was_there = read(store_, request_key(id)) || read(store_, answer_key(id));
  store_.remove(request_key(id));
  store_.remove(answer_key(id));
  return was_there;
}

bool RequestTable::is_cancelled(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return std::ranges::find(cancelled_, lower_ascii(id)) != cancelled_.end();
}

/// So that the request outlives this process. Nobody waits for it.
void RequestTable::tell(const Named& named) {
  {
    const std::scoped_lock lock(mutex_);
    told_.insert(named.id);
  }
  ++on_pool_;
  boost::asio::post(pool_, [this, named] {
    write(store_, request_key(named.id), *named.text);
    if (is_cancelled(named.id)) store_.remove(request_key(named.id));
    if (--on_pool_ == 0) on_pool_.notify_all();
  });
}

bool RequestTable::is_told(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  return told_.erase(id) != 0;
}

SharedAnswer RequestTable::on_disk(const std::string& id) {
  const auto text = read(store_, answer_key(id));
  return text ? std::make_shared<const RequestAnswer>(RequestAnswer{200, std::move(*text)}) : nullptr;
}

/// @return null: there is no such request
Task<SharedAnswer> RequestTable::run(Named named) {
  if (named.text) co_return co_await work(std::move(named));
  if (auto answer = on_disk(named.id)) co_return answer;
  auto text = read(store_, request_key(named.id));
  if (!text) co_return nullptr;
  named.text = std::make_shared<const std::string>(std::move(*text));
  {
    const std::scoped_lock lock(mutex_);
    told_.insert(named.id);
  }
  co_return co_await work(std::move(named));
}

Task<SharedAnswer> RequestTable::work(Named named) {
  const auto mine = store_.try_lock(request_key(named.id));
  if (!mine) co_return elsewhere();
  const auto progress = std::make_shared<RequestProgress>(partial_budget_);
  {
    const std::scoped_lock lock(mutex_);
    progress_[named.id] = progress;
    ++working_;
  }
  const AtEnd unlisted{[this, &named] {
    const std::scoped_lock lock(mutex_);
    progress_.erase(named.id);
    if (--working_ == 0) idle_.notify_all();
  }};
  RequestAnswer answer = co_await answer_(named.text, progress);
  auto shared = std::make_shared<const RequestAnswer>(std::move(answer));
  if (is_cancelled(named.id)) co_return shared;
  if (jobs_.counts().draining) co_return elsewhere();  // downloads were ended: the next server does it over
  on_end_({named.id, *shared, std::chrono::steady_clock::now() - named.asked});
  keep(named.id, shared);
  if (is_told(named.id)) {
    if (shared->status == 200) write(store_, answer_key(named.id), shared->body);
    store_.remove(request_key(named.id));
    if (is_cancelled(named.id)) store_.remove(answer_key(named.id));  // meanwhile: keep() had shown it already
  }
  co_return shared;
}

void RequestTable::keep(const std::string& id, SharedAnswer answer) {
  std::list<Kept> dropped;  // freed when the lock is no longer held
  const auto now = std::chrono::steady_clock::now();
  const std::scoped_lock lock(mutex_);
  bytes_ += answer->body.size();
  order_.push_back({id, std::move(answer), now + options_.kept});
  by_id_[id] = std::prev(order_.end());
  while (!order_.empty() && (bytes_ > options_.memory || order_.front().until <= now)) {
    bytes_ -= order_.front().answer->body.size();
    by_id_.erase(order_.front().id);
    dropped.splice(dropped.end(), order_, order_.begin());
  }
}

SharedAnswer RequestTable::kept(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || found->second->until <= std::chrono::steady_clock::now()) return nullptr;
  return found->second->answer;
}

bool RequestTable::forget(const std::string& id) {
  const std::scoped_lock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return false;
  bytes_ -= found->second->answer->body.size();
  order_.erase(found->second);
  by_id_.erase(found);
  return true;
}

RequestStats RequestTable::stats() const {
  const JobCounts jobs = jobs_.counts();
  RequestStats stats{.refused = refused_,
                     .cancelled = cancelled_count_,
                     .queued = jobs.jobs - std::min(jobs.jobs, jobs.active),
                     .active = jobs.active,
                     .held = jobs.held,
                     .partial_bytes = partial_budget_->used};
  const std::scoped_lock lock(mutex_);
  stats.kept = order_.size();
  stats.kept_bytes = bytes_;
  return stats;
}

std::chrono::seconds RequestTable::hint() const {
  const auto counts = jobs_.counts();
  const std::size_t waiting = counts.jobs - std::min(counts.jobs, counts.active);
  return std::min(kMostHint, std::chrono::seconds(1 + waiting / std::max<std::size_t>(1, options_.jobs.max_active)));
}

}  // namespace symcached::service
