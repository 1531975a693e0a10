#include "service/stack_sources.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <optional>
#include <utility>

#include "net/all_of.hpp"
#include "service/allowed_origins.hpp"

namespace symcached::service {
namespace {

using stacks::ModuleStatus;

constexpr std::chrono::seconds kLookAgain{60};  ///< then the store is asked again, so that its files count as used
constexpr std::uint64_t kDescriptor = 1 << 20;  ///< of the memory's bytes, so that few are open
constexpr std::array kUses{CacheUse::own_sources, CacheUse::bundled_sources};  ///< the one that counts first

constexpr std::size_t kMostFetched = 200;  ///< texts that one request gets from elsewhere

/// Only asks for the files of frames.
class FileSink final : public stacks::FrameSink {
 public:
  explicit FileSink(stacks::SourceTexts& texts) : texts_(texts) {}
  void begin_stack(const stacks::Stack&) override {}
  void frame(const stacks::OutFrame& frame) override {
    if (has_source(frame)) texts_.find(*frame.module, frame.path);
  }
  void end_stack() override {}

 private:
  stacks::SourceTexts& texts_;
};

stacks::CandidateInfo candidate_of(const std::string& url, const SourceFileAnswer& answer) {
  stacks::CandidateInfo candidate{
      .source = "sourcelink", .location = url, .download = answer.status, .details = answer.details};
  if (answer.lines) candidate.features = stacks::Features{.has_sources = true};
  return candidate;
}

}  // namespace

Task<std::unique_ptr<stacks::SourceTexts>> StackSources::find(const stacks::Request& request,
                                                              const stacks::ModuleMap& map,
                                                              std::span<stacks::ModuleState> states, std::string scope,
                                                              SharedSources sources) {
  std::unique_ptr<RequestTexts> texts = co_await open(request, states, scope, std::move(sources));
  if (!texts || files_ == nullptr || !request.options.fetch_sources || !texts->may_link()) co_return std::move(texts);
  FileSink sink(*texts);
  symbolicate(request, map, states, stacks::thread_scratch(), sink);
  co_await fetch(request, states, std::move(scope), texts->linked());
  co_return std::move(texts);
}

Task<std::unique_ptr<RequestTexts>> StackSources::open(const stacks::Request& request,
                                                       std::span<stacks::ModuleState> states, std::string scope,
                                                       SharedSources sources) {
  std::vector<Place> places;
  std::vector<Task<SharedTable>> looking;
  std::vector<std::size_t> looked;  // indices of places
  for (std::size_t i = 0; i < states.size(); ++i) {
    const stacks::ModuleInfo& module = request.modules[i];
    if (states[i].status != ModuleStatus::found || !module.type) continue;
    for (const CacheUse use : kUses) {
      auto wanted = CacheRequest::of({*module.type, module.ids, scope, use});
      if (!wanted) continue;
      std::string name = fmt::format("{} {} {}", scope, sources->asked, wanted->key);
      const auto known = tables_.find(name);
      const bool counts = known && known->look_again > Clock::now();
      places.push_back({i, counts ? known->table : nullptr});
      if (counts) continue;
      looked.push_back(places.size() - 1);
      looking.push_back(look(std::move(wanted->query), std::move(name), sources));
    }
  }
  std::vector<SharedTable> found = co_await all_of(std::move(looking));
  for (std::size_t n = 0; n < found.size(); ++n) places[looked[n]].table = std::move(found[n]);
  std::vector<std::vector<SharedTable>> tables(states.size());
  bool any = false;
  for (Place& place : places) {
    if (!place.table) continue;
    states[place.module].features.has_sources |= place.table->has_sources();
    tables[place.module].push_back(std::move(place.table));
    any = true;
  }
  if (!any) co_return nullptr;
  co_return std::make_unique<RequestTexts>(std::move(tables), lines_);
}

Task<void> StackSources::fetch(const stacks::Request& request, std::span<stacks::ModuleState> states, std::string scope,
                               std::vector<RequestTexts::Linked> linked) {
  std::map<std::string_view, std::size_t> numbers;  // of URLs, in the order of the answers
  std::vector<Task<SourceFileAnswer>> getting;
  for (const RequestTexts::Linked& one : linked) {
    const std::string& url = one.file->link;
    if (numbers.size() == kMostFetched || !numbers.emplace(url, getting.size()).second) continue;
    SourceFileOrder order{url, scope};
    if (is_allowed_origin(url, request.scraping.allowed_origins))
      for (const auto& [name, value] : request.scraping.headers) order.headers.emplace_back(name, value);
    getting.push_back(get(std::move(order)));
  }
  const std::vector<SourceFileAnswer> got = co_await all_of(std::move(getting));
  for (const RequestTexts::Linked& one : linked) {
    const auto number = numbers.find(one.file->link);
    if (number == numbers.end()) continue;
    const SourceFileAnswer& answer = got[number->second];
    one.file->lines = answer.lines;
    if (request.options.dif_candidates) states[one.module].candidates.push_back(candidate_of(one.file->link, answer));
  }
  if (request.options.dif_candidates)
    for (stacks::ModuleState& state : states) stacks::tidy(state.candidates);
}

/// What is in memory already is not asked for.
Task<SourceFileAnswer> StackSources::get(SourceFileOrder order) {
  std::string name = order.scope + ' ' + order.name();
  if (auto known = lines_.find(name)) co_return SourceFileAnswer{std::move(*known), stacks::DownloadStatus::ok};
  SourceFileAnswer answer = co_await files_->find(std::move(order));
  if (answer.lines) lines_.put(std::move(name), answer.lines, answer.lines->memory());
  co_return answer;
}

Task<SharedTable> StackSources::look(CacheQuery query, std::string name, SharedSources sources) {
  if (query.use == CacheUse::bundled_sources) {
    const auto known = service_.peek(query);
    if (!known || !std::holds_alternative<Ready>(*known)) co_await candidates_.ask_bundles(query, sources);
  }
  const Outcome outcome = co_await service_.find(std::move(query), kNoLimit, std::move(sources));
  SharedTable table;
  if (const auto* ready = std::get_if<Ready>(&outcome)) {
    auto opened = SourceTable::open(ready->entry);
    if (opened && ((*opened)->has_sources() || (*opened)->has_links())) table = std::move(*opened);
  } else if (!std::holds_alternative<Absent>(outcome) && !std::holds_alternative<Failed>(outcome)) {
    co_return nullptr;  // the next request may have more luck
  }
  tables_.put(std::move(name), {table, Clock::now() + kLookAgain}, table ? table->memory() + kDescriptor : 0);
  co_return table;
}

}  // namespace symcached::service
