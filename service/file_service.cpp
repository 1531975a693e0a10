#include "service/file_service.hpp"

#include <utility>

#include "base/overloaded.hpp"
#include "service/first_original.hpp"
#include "service/thread_count.hpp"

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

FileService::FileService(Originals& originals, fetch::FileReader& reader, JobLimits limits, unsigned threads, Log log)
    : originals_(originals),
      reader_(reader),
      log_(std::move(log)),
      jobs_(pool_, limits,
            {.run = [this](fetch::Wanted wanted) { return fetch(std::move(wanted)); },
             .on_fault = [this](const fetch::Wanted& wanted, const char* fault) -> FileOutcome {
               return after_fault(log_, wanted.key, fault);
             }}),
      pool_(thread_count(threads)) {}

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
  FirstOriginal found = co_await first_original(originals_, reader_, wanted, originals_.in_use());
  if (auto* original = std::get_if<fetch::Original>(&found))
    co_return std::make_shared<const fetch::Original>(std::move(*original));
  if (const auto* exhausted = std::get_if<fetch::Exhausted>(&found)) co_return Unable{exhausted->why, kNoMeansRetry};
  const auto& none = std::get<store::Negative>(found);
  tell(log_, wanted.key, none);
  co_return as_file(outcome_of(none));
}

}  // namespace symcached::service
