#include "service/stack_service.hpp"

#include <algorithm>
#include <utility>

#include "base/overloaded.hpp"
#include "net/all_of.hpp"

namespace symcached::service {
namespace {

using stacks::CandidateInfo;
using stacks::DownloadStatus;
using stacks::ModuleStatus;
using stacks::UseStatus;

/// The text that Symbolicator's clients know.
constexpr std::string_view kNotPortable = "unsupported: Only portable PDB files can be used for .NET symbolication";

ModuleStatus status_of(const Failed& failed) {
  switch (failed.kind) {
    case Failed::Kind::malformed: return ModuleStatus::malformed;
    case Failed::Kind::bare: return ModuleStatus::missing;
    case Failed::Kind::unsupported: return ModuleStatus::unsupported;
    case Failed::Kind::timed_out: return ModuleStatus::timeout;
    case Failed::Kind::crashed: return ModuleStatus::other;
    case Failed::Kind::not_whole:
    case Failed::Kind::forbidden:
    case Failed::Kind::rate_limited:
    case Failed::Kind::unavailable: return ModuleStatus::fetching_failed;
  }
  return ModuleStatus::other;
}

/// For explanations. What this machine lacks is nobody else's business.
void say_why(const Outcome& outcome, stacks::ModuleState& state) {
  const auto in = [&](std::chrono::seconds time) { state.retry_at = store::Store::now() + time; };
  std::visit(overloaded{[](const Ready&) {}, [&](const Absent& absent) { in(absent.retry_in); },
                        [&](const Failed& failed) {
                          state.why = failed.why;
                          in(failed.retry_in);
                        },
                        [&](const Pending& pending) { in(pending.retry_in); }, [](const Overloaded&) {},
                        [&](const Unable& unable) { in(unable.retry_in); }},
             outcome);
}

ModuleStatus status_of(const Outcome& outcome) {
  return std::visit(
      overloaded{[](const Ready&) { return ModuleStatus::found; }, [](const Absent&) { return ModuleStatus::missing; },
                 [](const Failed& failed) { return status_of(failed); },
                 [](const auto&) { return ModuleStatus::other; }},
      outcome);
}

/// How much a candidate has to say; the order is that of the sources, so the first of equals is the one.
int worth(const CandidateInfo& candidate) {
  if (candidate.download != DownloadStatus::ok || !candidate.features) return -1;
  return candidate.features->has_debug_info ? 2 : candidate.features->has_symbols ? 1 : 0;
}

/// Says of the best candidate that it was used, or could not be.
void mark_used(stacks::ModuleState& state, std::vector<CandidateInfo>& candidates) {
  const auto best = std::ranges::max_element(candidates, {}, worth);
  const bool has_best = best != candidates.end() && worth(*best) >= 0;
  if (state.status == ModuleStatus::found && has_best) {
    best->debug = UseStatus{};
  } else if (state.status == ModuleStatus::unsupported && has_best) {
    best->debug = UseStatus{UseStatus::Kind::error, std::string(kNotPortable)};
    state.features = *best->features;
  } else if (state.status == ModuleStatus::malformed) {
    const auto first = std::ranges::find(candidates, DownloadStatus::malformed, &CandidateInfo::download);
    if (first != candidates.end()) first->debug = UseStatus{UseStatus::Kind::malformed};
  }
}

stacks::Features guessed(store::Quality quality) {
  return {.has_debug_info = quality >= store::Quality::breakpad, .has_symbols = true};
}

}  // namespace

SharedSources StackService::sources_of(const std::vector<sources::SourceConfig>* wanted) const {
  const SharedSources own = service_.originals().in_use();
  if (wanted == nullptr) return own;
  Sources opened{{}, own->sources.policy};
  for (sources::SourceConfig config : *wanted) {
    config.is_public = false;  // a client cannot vouch for what everybody then sees
    if (auto source = open_source_(config)) opened.all.push_back(std::move(*source));
  }
  return shared(std::move(opened));
}

Task<FoundModules> StackService::find(const stacks::Request& request, const stacks::ModuleMap& map, std::string scope,
                                      SharedSources sources, Tell tell) {
  FoundModules found;
  found.states.resize(request.modules.size());
  const std::vector<bool> used = map.used(request.stacks);
  std::vector<Task<One>> looking;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < request.modules.size(); ++i) {
    const stacks::ModuleInfo& module = request.modules[i];
    if (!used[i]) continue;
    found.states[i].status = ModuleStatus::missing;
    if (!module.type && tell) tell(i, found.states[i], nullptr);
    if (!module.type) continue;
    indices.push_back(i);
    looking.push_back(find_and_tell({*module.type, module.ids, scope}, sources, request.options, i, tell));
  }
  std::vector<One> all = co_await all_of(std::move(looking));
  for (std::size_t n = 0; n < all.size(); ++n) {
    found.states[indices[n]] = std::move(all[n].state);
    found.open.push_back(std::move(all[n].open));
  }
  if (request.options.apply_source_context)
    found.texts = co_await texts_.find(request, map, found.states, std::move(scope), std::move(sources));
  co_return found;
}

Task<StackService::One> StackService::find_and_tell(CacheQuery query, SharedSources sources, stacks::Options options,
                                                    std::size_t module, Tell tell) {
  One one = co_await find_one(std::move(query), std::move(sources), options);
  if (tell) tell(module, one.state, one.open);
  co_return one;
}

Task<StackService::One> StackService::find_one(CacheQuery query, SharedSources sources, stacks::Options options) {
  const bool with_candidates = options.dif_candidates || options.explain;
  std::vector<CandidateInfo> candidates;
  if (with_candidates) candidates = co_await candidates_.list(query, sources, options.apply_source_context);
  One one = co_await look(std::move(query), std::move(sources));
  mark_used(one.state, candidates);
  stacks::tidy(candidates);
  one.state.candidates = std::move(candidates);
  co_return one;
}

Task<StackService::One> StackService::look(CacheQuery query, SharedSources sources) {
  One one;
  const auto request = CacheRequest::of(query);
  one.state.status = ModuleStatus::missing;
  if (!request) {
    one.state.has_ids = false;
    one.state.why = request.error();
    co_return one;
  }
  const Outcome outcome = co_await service_.find(std::move(query), kNoLimit, std::move(sources));
  one.state.status = status_of(outcome);
  say_why(outcome, one.state);
  if (one.state.status == ModuleStatus::unsupported) one.state.features = guessed(store::Quality::lines);
  const auto* ready = std::get_if<Ready>(&outcome);
  if (ready == nullptr) co_return one;
  const store::Head& head = ready->entry->head();
  const store::EntryKey key{CacheVersions().of(request->query.kind()).now, request->query.scope, request->key};
  auto opened = modules_.open(key, *ready->entry);
  if (!opened) {
    one.state.status = ModuleStatus::other;
    co_return one;
  }
  one.open = std::move(*opened);
  one.state.module = one.open.get();
  one.state.features = service_.features().of_cache(head.payload_sha256).value_or(guessed(head.quality));
  co_return one;
}

}  // namespace symcached::service
