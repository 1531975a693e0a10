#include "service/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/overloaded.hpp"
#include "net/all_of.hpp"
#include "net/http.hpp"
#include "service/verdicts.hpp"

namespace symcached::service {
namespace {

using stacks::CandidateInfo;
using stacks::DownloadStatus;

constexpr std::size_t kMostPlaces = 65'536;   ///< places; when there are more, all are forgotten
constexpr std::chrono::hours kFoundAgain{1};  ///< how long a place counts as one that has the file
constexpr std::string_view kFailed = "download failed: ";
constexpr std::string_view kCutShort = "end of file before message length reached";  ///< in Symbolicator's words

std::string status_text(unsigned status) { return fmt::format("{} {}", status, http::reason_phrase(status)); }

std::string duration_text(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? fmt::format("{}s", time.count() / 1000) : fmt::format("{}ms", time.count());
}

/// The texts that Symbolicator's clients know.
void describe(const fetch::TransientError& error, std::chrono::milliseconds time_limit, CandidateInfo& out) {
  using Kind = fetch::TransientError::Kind;
  out.why = error.why;
  if (error.kind == Kind::unavailable && error.status >= 400 && error.status < 500) return;  // said as if it were a 404
  out.download = error.kind == Kind::forbidden ? DownloadStatus::no_permission : DownloadStatus::error;
  if (error.kind == Kind::timed_out)
    out.details = fmt::format("download timed out after {}", duration_text(time_limit));
  else if (error.kind == Kind::forbidden && error.status != 0) out.details = status_text(error.status);
  else if (error.status >= 400) out.details = fmt::format("{}{}", kFailed, status_text(error.status));
  else out.details = fmt::format("{}{}", kFailed, error.why);
}

CandidateInfo candidate_of(const fetch::Outcome& outcome, std::chrono::milliseconds time_limit) {
  CandidateInfo candidate;
  std::visit(overloaded{[&](const fetch::Original&) { candidate.download = DownloadStatus::ok; },
                        [&](const fetch::NotThere&) { candidate.download = DownloadStatus::not_found; },
                        [&](const fetch::SaysLess&) { candidate.download = DownloadStatus::not_found; },
                        [&](const fetch::Refused& refused) {
                          candidate.download = DownloadStatus::malformed;
                          candidate.why = refused.why;
                        },
                        [&](const fetch::TransientError& error) { describe(error, time_limit, candidate); },
                        [&](const fetch::NotWhole& cut) {
                          candidate.download = DownloadStatus::error;
                          candidate.details = fmt::format("{}{}", kFailed, kCutShort);
                          candidate.why = cut.why;
                        },
                        [&](const auto& other) {
                          candidate.download = DownloadStatus::error;
                          candidate.details = fmt::format("{}{}", kFailed, other.why);
                        }},
             outcome);
  return candidate;
}

constexpr std::array kPurposes{Purpose::names, Purpose::sources};

std::string name_of(const fetch::Source& source, const std::string& scope, const std::string& location) {
  return fmt::format("{} {}", scope, SourceMemory::name_of(source, location));
}

}  // namespace

Task<std::vector<CandidateInfo>> Candidates::list(CacheQuery query, SharedSources sources, bool with_sources) {
  const std::span<const Purpose> purposes(kPurposes.data(), with_sources ? 2 : 1);
  auto [questions, without_places] = questions_of(query, *sources, purposes);
  std::vector<Said> said = co_await ask_all(std::move(questions), sources);
  std::vector<CandidateInfo> all;
  for (Said& one : said) all.push_back(std::move(one.candidate));
  for (const std::size_t source : without_places)
    all.push_back({.source = sources->sources.all[source]->id(), .location = std::string(stacks::kNoFilesListed)});
  co_return all;
}

Task<void> Candidates::ask_bundles(CacheQuery query, SharedSources sources) {
  constexpr std::array kBundles{Purpose::sources};
  std::vector<Question> questions = questions_of(query, *sources, kBundles).all;
  std::erase_if(questions, [](const Question& question) {
    return question.place.wanted.file.type != sources::FileType::source_bundle;
  });
  refuse_unasked(query, questions, *sources);
  co_await ask_all(std::move(questions), std::move(sources));
}

/// Layouts that are not listed have places of our own, which nobody else asks for.
void Candidates::refuse_unasked(const CacheQuery& query, const std::vector<Question>& questions,
                                const SourceSet& sources) {
  auto file = sources::make_request(sources::FileType::source_bundle, query.module);
  if (!file) return;
  const fetch::Wanted wanted = fetch::wanted_of(std::move(*file), query.scope);
  for (std::size_t i = 0; i < sources.sources.all.size(); ++i) {
    const fetch::Source& source = *sources.sources.all[i];
    const bool is_found_by_place = source.layout() != sources::Layout::loose;
    if (is_found_by_place && std::ranges::find(questions, i, &Question::source) == questions.end())
      originals_.refuse(source, wanted, combined({}, sources.asked, sources.sources.policy));
  }
}

Task<std::vector<Candidates::Said>> Candidates::ask_all(std::vector<Question> questions, SharedSources sources) {
  std::vector<Task<Said>> asking;
  for (const Question& question : questions) asking.push_back(ask(question, sources));
  std::vector<Said> said = co_await all_of(std::move(asking));
  tell_originals(questions, said, *sources);
  co_return said;
}

Candidates::Questions Candidates::questions_of(const CacheQuery& query, const SourceSet& sources,
                                               std::span<const Purpose> purposes) {
  Questions questions;
  for (std::size_t i = 0; i < sources.sources.all.size(); ++i) {
    std::vector<std::string> seen;
    bool lacks_places = false;
    for (const Purpose purpose : purposes) {
      std::vector<ListedPlace> places = listed_places(*sources.sources.all[i], query, purpose);
      if (places.empty()) lacks_places = true;
      for (ListedPlace& place : places) {
        if (std::ranges::find(seen, place.path) != seen.end()) continue;
        seen.push_back(place.path);
        questions.all.push_back({i, std::move(place)});
      }
    }
    if (lacks_places) questions.without_places.push_back(i);
  }
  return questions;
}

Task<Candidates::Said> Candidates::ask(Question question, SharedSources sources) {
  const fetch::Source& source = *sources->sources.all[question.source];
  const std::string name = name_of(source, question.place.wanted.scope, source.location_of(question.place.path));
  {
    const std::scoped_lock lock(mutex_);
    const auto found = known_.find(name);
    if (found != known_.end() && found->second.until > store::Store::now()) co_return found->second;
  }
  Said said = co_await ask_source(std::move(question), std::move(sources));
  const std::scoped_lock lock(mutex_);
  if (known_.size() >= kMostPlaces) known_.clear();
  known_.insert_or_assign(name, said);
  co_return said;
}

Task<Candidates::Said> Candidates::ask_source(Question question, SharedSources sources) {
  ++asked_;
  fetch::Source& source = *sources->sources.all[question.source];
  fetch::Outcome outcome = co_await source.open_place(question.place.wanted, question.place.path);
  Said said{.candidate = candidate_of(outcome, time_limit_)};
  said.candidate.source = source.id();
  said.candidate.location = source.location_of(question.place.path);
  said.candidate.why = stacks::without_place(std::move(said.candidate.why), said.candidate.location);
  if (auto* original = std::get_if<fetch::Original>(&outcome)) {
    said.candidate.features = co_await features_.of(std::move(*original));
    if (!said.candidate.features) said.candidate.features.emplace();
    said.until = store::Store::now() + kFoundAgain;
    co_return said;
  }
  if (std::holds_alternative<fetch::Exhausted>(outcome)) {
    said.until = store::Store::now();
    co_return said;
  }
  said.verdict = verdict_of(outcome, std::nullopt, sources->sources.policy);
  said.until = retry_at(*said.verdict);
  said.candidate.retry_at = said.until;
  co_return said;
}

/// A file that no place of a source has is not asked for again when the module is looked for; one that another request
/// did not find may be there by now.
void Candidates::tell_originals(const std::vector<Question>& questions, const std::vector<Said>& said,
                                const SourceSet& sources) {
  struct File {
    const Question* question;
    std::vector<store::Negative> verdicts;
    bool is_there = false;
  };
  std::map<std::pair<std::size_t, std::string_view>, File> files;
  for (std::size_t i = 0; i < questions.size(); ++i) {
    File& file = files[{questions[i].source, questions[i].place.wanted.key}];
    file.question = &questions[i];
    if (!said[i].verdict) {
      file.is_there = true;
      continue;
    }
    file.verdicts.push_back(*said[i].verdict);
    originals_.place_said(*sources.sources.all[questions[i].source], questions[i].place.path, questions[i].place.wanted,
                          *said[i].verdict);
  }
  for (const auto& [name, file] : files) {
    fetch::Source& source = *sources.sources.all[name.first];
    const fetch::Wanted& wanted = file.question->place.wanted;
    if (file.is_there) originals_.found(source, wanted);
    else originals_.refuse(source, wanted, combined(file.verdicts, sources.asked, sources.sources.policy));
  }
}

}  // namespace symcached::service
