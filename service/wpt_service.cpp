#include "service/wpt_service.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "base/ascii.hpp"
#include "base/overloaded.hpp"
#include "service/first_original.hpp"
#include "service/key_turn.hpp"
#include "service/verdicts.hpp"

namespace symcached::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr milliseconds kReadHold{10'000};  ///< for the one time that a file of others is read
constexpr int kMostRounds = 3;             ///< what was found may be gone when it is opened, made again, gone again
constexpr std::size_t kJobsPerSecondOfHint = 16;
constexpr seconds kMostHint{15};
constexpr seconds kGoneRetry{10};
constexpr seconds kNotRunRetry{30};
const std::string kScope(fetch::kGlobalScope);
constexpr store::CacheKind kRemembered{"transcoded", 1};  ///< names no payloads: only why there is none

std::string text_of(const std::string& pdb_name, const DebugId& id) {
  return fmt::format("{}/{}", lower_ascii(pdb_name), id.breakpad());
}

/// Of a PDB that no source has, whoever would make a symcache of it.
store::EntryKey key_of(const std::string& pdb_name, const DebugId& id) {
  return {kRemembered, kScope, text_of(pdb_name, id)};
}

/// Of one that a tool could not read.
store::EntryKey key_of(const std::string& pdb_name, const DebugId& id, const Tool& tool) {
  return {kRemembered, kScope,
          fmt::format("{} v{} {}", text_of(pdb_name, id), tool.version.major_part, tool.identity())};
}

fetch::Wanted wanted_of(const std::string& pdb_name, const DebugId& id) {
  return fetch::wanted_of({sources::FileType::pdb, {.debug_file = pdb_name, .debug_id = id}});
}

const transcode::Held* held_of(std::span<const transcode::Held> held, const wpt::Version& version) {
  const auto found = std::ranges::find(held, version, &transcode::Held::version);
  return found == held.end() ? nullptr : &*found;
}

/// There are few, and no request for one that is there should allocate for them.
template <class T>
using Few = boost::container::small_vector<T, 8>;

Few<wpt::Version> versions_of(std::span<const transcode::Held> held) {
  Few<wpt::Version> versions;
  for (const transcode::Held& one : held) versions.push_back(one.version);
  return versions;
}

std::vector<wpt::Version> announced(std::span<const Tool> tools) {
  std::vector<wpt::Version> versions;
  for (const Tool& tool : tools) versions.push_back(tool.version);
  return versions;
}

std::string with_output(const std::string& why, const std::string& output) {
  return output.empty() ? why : fmt::format("{}; it printed: {}", why, output);
}

}  // namespace

WptService::WptService(store::Store& store, transcode::SymcacheDirectory& directory, Originals& originals,
                       fetch::FileReader& reader, std::vector<Tool> tools, WptOptions options, Log log)
    : store_(store),
      directory_(directory),
      originals_(originals),
      reader_(reader),
      tools_(std::move(tools)),
      options_(options),
      log_(std::move(log)),
      runs_(tools_.size()),
      versions_(announced(tools_)),
      gate_(options.max_running),
      jobs_(pool_, options.jobs,
            {.run = [this](Work work) { return run(std::move(work)); },
             .on_fault = [this](const Work& work, const char* fault) -> Made {
               return after_fault(log_, text_of(work.pdb_name, work.id), fault);
             }}),
      pool_(options.threads) {}

void WptService::stop() {
  jobs_.drain();
  pool_.stop();
  pool_.join();
}

Task<WptOutcome> WptService::find(WptQuery query, milliseconds hold) {
  for (int round = 0; round < kMostRounds; ++round) {
    Next next = next_for(query);
    if (auto* outcome = std::get_if<WptOutcome>(&next)) co_return counted(std::move(*outcome));
    const Work work = std::get<Work>(std::move(next));
    const auto result =
        co_await jobs_.find(name_of(work), kScope, work, work.to_read ? std::max(hold, kReadHold) : hold);
    if (!result) co_return counted(not_now(result.error()));
    const auto* done = std::get_if<Done>(&*result);
    if (done == nullptr) co_return counted(as_outcome(*result));
    if (done->opened) co_return counted(done->opened);
  }
  log_(Severity::error,
       fmt::format("{}: its symcache is gone as soon as it is made", text_of(query.pdb_name, query.id)));
  co_return counted(Unable{"the symcache is gone as soon as it is made", kGoneRetry});
}

WptOutcome WptService::counted(WptOutcome outcome) {
  requests_[outcome.index()].fetch_add(1, std::memory_order_relaxed);
  return outcome;
}

/// The answer, or what has to be done for one.
WptService::Next WptService::next_for(const WptQuery& query) {
  const transcode::HeldFiles held = directory_.find(query.pdb_name, query.id);
  const Plan plan = plan_of(query, *held);
  if (const auto* serve = std::get_if<wpt::Serve>(&plan.choice)) {
    const transcode::Held& file = *held_of(*held, serve->version);
    if (serve->upgrade) begin(query, *serve->upgrade);
    if (auto opened = directory_.open_known(file)) return WptOutcome(std::move(opened));
    return Work{query.pdb_name, query.id, 0, file};
  }
  if (const auto* make = std::get_if<wpt::Make>(&plan.choice))
    return Work{query.pdb_name, query.id, tool_of(make->version)};
  if (std::holds_alternative<wpt::NothingNewer>(plan.choice)) return WptOutcome(NothingNewer{});
  return plan.barred ? as_outcome(told(*plan.barred)) : WptOutcome(NotMade{});
}

/// What is to be done, and why a tool that might have helped does not.
WptService::Plan WptService::plan_of(const WptQuery& query, std::span<const transcode::Held> held) {
  const wpt::Wanted wanted{query.requested, query.exceeds};
  const auto cached = versions_of(held);
  Few<wpt::Makeable> makeable;
  {
    const std::scoped_lock lock(mutex_);
    for (const wpt::Version& version : versions_) makeable.push_back({version});
  }
  Plan plan{wpt::choose(wanted, cached, makeable)};
  const auto* serve = std::get_if<wpt::Serve>(&plan.choice);
  if (serve != nullptr ? !serve->upgrade : !std::holds_alternative<wpt::Make>(plan.choice)) return plan;
  if (originals_.in_use()->sources.all.empty()) {
    plan.choice = wpt::choose(wanted, cached, {});
    return plan;
  }
  auto bars = barred(query.pdb_name, query.id);
  for (std::size_t i = 0; i < tools_.size(); ++i) {
    makeable[i].is_barred = bars[i].has_value();
    const bool would_do = makeable[i].version.major_part <= query.requested.major_part;
    if (bars[i] && (!plan.barred || would_do)) plan.barred = std::move(bars[i]);
  }
  plan.choice = wpt::choose(wanted, cached, makeable);
  return plan;
}

/// Why each tool is not to be asked now: no source has the PDB, or the tool could not read it.
std::vector<std::optional<store::Negative>> WptService::barred(const std::string& pdb_name, const DebugId& id) {
  std::vector<std::optional<store::Negative>> bars(tools_.size(), remembered(key_of(pdb_name, id)));
  for (std::size_t i = 0; i < tools_.size(); ++i)
    if (!bars[i]) bars[i] = remembered(key_of(pdb_name, id, tools_[i]));
  return bars;
}

/// Nothing also if that does not count any more.
std::optional<store::Negative> WptService::remembered(const store::EntryKey& key) {
  const auto now = originals_.in_use();
  const auto found = store_.lookup_checked(key);
  auto negative = found ? counting(*found, now->sources.policy.absent) : std::nullopt;
  const auto* absent = negative ? std::get_if<store::Absent>(&*negative) : nullptr;
  if (absent != nullptr && absent->asked != now->asked) return std::nullopt;
  if (absent != nullptr && absent->worth_keeping) boost::asio::post(pool_, [this, key] { store_.keep(key); });
  return negative;
}

WptStatus WptService::status(const std::string& pdb_name, const DebugId& id) {
  WptStatus status{.key = text_of(pdb_name, id), .held = *directory_.find(pdb_name, id)};
  const std::vector<wpt::Version> versions = versions_made();
  auto bars = barred(pdb_name, id);
  for (std::size_t i = 0; i < tools_.size(); ++i)
    status.tools.push_back({versions[i], std::move(bars[i]), jobs_.is_under_way(name_of(Work{pdb_name, id, i}))});
  const fetch::Wanted wanted = wanted_of(pdb_name, id);
  status.sources = originals_.said({&wanted, 1});
  return status;
}

WptStats WptService::stats() const {
  WptStats stats{.jobs = jobs_.counts()};
  std::ranges::copy(requests_, stats.requests.begin());
  constexpr double kMilliseconds = 1e3;
  for (std::size_t i = 0; i < tools_.size(); ++i)
    stats.tools.push_back({tools_[i].version, runs_[i].made, runs_[i].failed,
                           static_cast<double>(runs_[i].milliseconds) / kMilliseconds});
  return stats;
}

/// What a client is told that asks now.
WptService::Made WptService::told(const store::Negative& negative) {
  const Outcome outcome = outcome_of(negative);
  if (const auto* absent = std::get_if<Absent>(&outcome)) return *absent;
  return std::get<Failed>(outcome);
}

WptOutcome WptService::as_outcome(const Made& made) {
  return std::visit(overloaded{[](const Done&) -> WptOutcome { return NotMade{}; },
                               [](const auto& outcome) -> WptOutcome { return outcome; }},
                    made);
}

WptOutcome WptService::not_now(NoResult why) const {
  if (why == NoResult::overloaded) return Overloaded{};
  return Pending{std::min(kMostHint, seconds(1 + jobs_.counts().jobs / kJobsPerSecondOfHint))};
}

std::string WptService::name_of(const Work& work) const {
  if (work.to_read) return "read " + work.to_read->path;
  return fmt::format("make {} v{}", text_of(work.pdb_name, work.id), tools_[work.tool].version.major_part);
}

void WptService::begin(const WptQuery& query, const wpt::Version& version) {
  Work work{query.pdb_name, query.id, tool_of(version)};
  std::string name = name_of(work);
  jobs_.begin(std::move(name), kScope, std::move(work));
}

std::vector<wpt::Version> WptService::versions_made() const {
  const std::scoped_lock lock(mutex_);
  return versions_;
}

std::size_t WptService::tool_of(const wpt::Version& version) const {
  const std::scoped_lock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::find(versions_, version) - versions_.begin());
}

/// A tool is known by what it makes, whatever was announced: or else what it makes would be second best for ever.
void WptService::learn(std::size_t tool, const wpt::Version& made) {
  const std::scoped_lock lock(mutex_);
  versions_[tool] = made;
}

Task<WptService::Made> WptService::run(Work work) {
  if (!work.to_read) co_return co_await make(std::move(work));
  co_return Done{directory_.open(*work.to_read)};
}

/// Another process may have made it meanwhile.
Task<WptService::Made> WptService::make(Work work) {
  const Tool& tool = tools_[work.tool];
  const auto turn = co_await wait_for_turn(store_, key_of(work.pdb_name, work.id, tool));
  directory_.look_again();
  const transcode::HeldFiles held = directory_.find(work.pdb_name, work.id);
  if (held_of(*held, versions_made()[work.tool]) != nullptr) co_return Done{};
  if (const auto bars = barred(work.pdb_name, work.id); bars[work.tool]) co_return told(*bars[work.tool]);
  FirstOriginal found =
      co_await first_original(originals_, reader_, wanted_of(work.pdb_name, work.id), originals_.in_use());
  if (const auto* exhausted = std::get_if<fetch::Exhausted>(&found)) co_return unable(work, exhausted->why);
  if (const auto* none = std::get_if<store::Negative>(&found))
    co_return remember(key_of(work.pdb_name, work.id), *none);
  co_return co_await transcode(std::move(work), std::get<fetch::Original>(std::move(found)));
}

Task<WptService::Made> WptService::transcode(Work work, fetch::Original original) {
  std::optional<Gate::Pass> pass;
  if (!tools_[work.tool].is_elsewhere) pass.emplace(co_await gate_.enter());
  auto folder = directory_.new_job();
  if (!folder) co_return unable(work, folder.error().why);
  const std::string origin = original.origin;
  transcode::TranscodeJob job{
      .pdb = {std::make_shared<const Descriptor>(std::move(original.file)), original.offset, original.size},
      .pdb_name = work.pdb_name,
      .id = work.id,
      .folder = std::move(*folder)};
  const auto start = std::chrono::steady_clock::now();
  transcode::Transcoded result = co_await tools_[work.tool].run(std::move(job));
  const auto took = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
  auto* made = std::get_if<transcode::Made>(&result);
  RunCounts& counts = runs_[work.tool];
  ++(made != nullptr ? counts.made : counts.failed);
  counts.milliseconds += static_cast<std::uint64_t>(took.count());
  if (made == nullptr) co_return failed(work, result);
  if (const auto published = directory_.publish(made->file, work.pdb_name, work.id, made->version); !published)
    co_return unable(work, published.error().why);
  learn(work.tool, made->version);
  log_(Severity::info, fmt::format("made {} version {} from {} in {} ms", text_of(work.pdb_name, work.id),
                                   made->version.to_string(), origin, took.count()));
  co_return Done{};
}

/// What the tool says of a PDB counts until the tool is another one; what stopped it from outside is worth a try later.
WptService::Made WptService::failed(const Work& work, const transcode::Transcoded& result) {
  const store::EntryKey key = key_of(work.pdb_name, work.id, tools_[work.tool]);
  const auto now = store::Store::now();
  const auto malformed = [&](const std::string& why, const std::string& output) {
    return remember(key, store::Malformed{{now, now + options_.failed_for, 1, with_output(why, output)}});
  };
  return std::visit(overloaded{[&](const transcode::Made&) -> Made { return Done{}; },
                               [&](const transcode::Failed& f) { return malformed(f.why, f.output); },
                               [&](const transcode::TooBig& t) { return malformed(t.why, t.output); },
                               [&](const transcode::TimedOut& t) {
                                 const auto why =
                                     with_output(fmt::format("not done after {} s", t.after.count() / 1000), t.output);
                                 return remember(key, store::Malformed{{now, now + options_.timed_out_for, 1, why}});
                               },
                               [&](const transcode::NotRun& n) { return unable(work, n.why); }},
                    result);
}

WptService::Made WptService::remember(const store::EntryKey& key, const store::Negative& verdict) {
  tell(log_, key.readable, verdict);
  store_.remember(key, verdict);
  return told(verdict);
}

WptService::Made WptService::unable(const Work& work, const std::string& why) const {
  log_(Severity::error, fmt::format("{}: {}", text_of(work.pdb_name, work.id), why));
  return Unable{why, kNotRunRetry};
}

}  // namespace symcached::service
