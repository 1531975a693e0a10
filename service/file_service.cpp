#include "service/file_service.hpp"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/overloaded.hpp"
#include "service/verdicts.hpp"

namespace symcached::service {
namespace {

constexpr std::chrono::seconds kPendingRetry{2};
constexpr std::chrono::seconds kNoMeansRetry{5};

FileOutcome as_file(Outcome outcome) {
  return std::visit(overloaded{[](Ready&) -> FileOutcome { return Absent{}; },
                               [](auto& other) -> FileOutcome { return std::move(other); }},
                    outcome);
}

}  // namespace

FileService::FileService(Originals& originals, JobLimits limits, unsigned threads, Log log)
    : originals_(originals),
      log_(std::move(log)),
      jobs_(pool_, limits,
            {.run = [this](fetch::Wanted wanted) { return fetch(std::move(wanted)); },
             .on_fault = [this](const fetch::Wanted& wanted, const char* fault) -> FileOutcome {
               return after_fault(log_, wanted.key, fault);
             }}),
      pool_(threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency())) {}

void FileService::stop() {
  jobs_.drain();
  pool_.stop();
  pool_.join();
}

Task<FileOutcome> FileService::find(fetch::Wanted wanted, std::chrono::milliseconds hold) {
  std::string name = wanted.scope + ' ' + wanted.key;
  std::string scope = wanted.scope;
  auto result = co_await jobs_.find(std::move(name), std::move(scope), std::move(wanted), hold);
  if (result) co_return std::move(*result);
  if (result.error() == NoResult::overloaded) co_return Overloaded{};
  co_return Pending{kPendingRetry};
}

Task<FileOutcome> FileService::fetch(fetch::Wanted wanted) {
  const SharedSources now = originals_.in_use();
  std::vector<store::Negative> verdicts;
  for (const auto& source : now->sources.all) {
    Originals::Answer answer = co_await originals_.ask(*source, wanted, now->sources.policy);
    if (auto* original = std::get_if<fetch::Original>(&answer))
      co_return std::make_shared<const fetch::Original>(std::move(*original));
    if (const auto* exhausted = std::get_if<fetch::Exhausted>(&answer)) co_return Unable{exhausted->why, kNoMeansRetry};
    if (auto* verdict = std::get_if<store::Negative>(&answer)) verdicts.push_back(std::move(*verdict));
  }
  const store::Negative all = combined(verdicts, now->asked, now->sources.policy);
  tell(log_, wanted.key, all);
  co_return as_file(outcome_of(all));
}

}  // namespace symcached::service
