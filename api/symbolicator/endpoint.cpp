#include "api/symbolicator/endpoint.hpp"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <optional>
#include <utility>

#include "api/symbolicator/ongoing_stacks.hpp"
#include "api/symbolicator/response.hpp"
#include "base/ascii.hpp"
#include "base/hex.hpp"
#include "base/overloaded.hpp"
#include "store/entry_name.hpp"
#include "store/sha256.hpp"

namespace symcached::api {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kWhole{900};  ///< the longest that a request takes
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kExplain = " explain";  ///< behind the scope of a kept request; no scope has a blank

http::Response json_response(unsigned status, std::string body, http::Headers headers = {}) {
  headers.emplace_back("Content-Type", kJson);
  headers.emplace_back("Cache-Control", "no-store");
  return {status, std::move(headers), std::move(body)};
}

http::Response fault(unsigned status, std::string_view why, http::Headers headers = {}) {
  return json_response(status, error_body(why), std::move(headers));
}

/// "a=1&b=2" behind the '?'. The last of a name counts; nothing for text that is not percent-encoded as it should be.
std::optional<std::string> parameter(const http::Request& request, std::string_view name) {
  std::string_view rest = request.target;
  const std::size_t question = rest.find('?');
  std::optional<std::string> value;
  rest = question == std::string_view::npos ? std::string_view() : rest.substr(question + 1);
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
    if (pair.substr(0, pair.find('=')) != name) continue;
    value = http::percent_decode(pair.size() > name.size() ? pair.substr(name.size() + 1) : std::string_view());
  }
  return value;
}

/// How long the client wants to wait. @return nothing if it says so in another way than in whole seconds
std::optional<milliseconds> hold_of(const http::Request& request) {
  const auto text = parameter(request, "timeout");
  if (!text) return kWhole;
  std::uint32_t wanted = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), wanted);
  if (error != std::errc() || end != text->data() + text->size()) return std::nullopt;
  return std::min<milliseconds>(kWhole, seconds(wanted));
}

/// A name for a folder: as it is, or its digest.
std::string scope_of(const http::Request& request) {
  const auto scope = parameter(request, "scope");
  if (!scope || scope->empty()) return std::string(fetch::kGlobalScope);
  return store::is_scope(*scope) ? *scope : "sha256-" + to_hex(store::sha256(as_bytes(*scope)));
}

/// @return nothing if it is neither yes nor no
std::optional<bool> flag_of(const http::Request& request, std::string_view name) {
  const auto text = parameter(request, name);
  if (!text || *text == "0" || *text == "false") return false;
  if (*text == "1" || *text == "true") return true;
  return std::nullopt;
}

bool is_json(const http::Request& request) {
  std::string_view type = request.header("Content-Type").value_or("");
  type = type.substr(0, type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  const std::string lower = lower_ascii(type);
  return lower == kJson || (lower.starts_with("application/") && lower.ends_with("+json"));
}

}  // namespace

Task<service::RequestAnswer> answer_stacks(service::RequestTable::Text text,
                                           std::shared_ptr<service::RequestProgress> progress, StackDesk desk) {
  const std::size_t end = std::min(text->find('\n'), text->size());
  std::string scope = text->substr(0, end);
  const bool explains = scope.ends_with(kExplain);
  if (explains) scope.resize(scope.size() - kExplain.size());
  auto parsed =
      parse_symbolicate_body(std::string_view(*text).substr(std::min(end + 1, text->size())), desk.source_rules);
  text.reset();
  service::RequestAnswer answer;
  answer.numbers.scope = scope;
  if (!parsed) {
    answer.status = parsed.error().status;
    answer.body = error_body(parsed.error().why);
    answer.result = service::RequestResult::invalid;
    co_return answer;
  }
  parsed->request.options.explain |= explains;
  const auto stacks = std::make_shared<OngoingStacks>(std::move(parsed->request));
  progress->offer([stacks](std::string_view id, seconds retry_in) { return stacks->partial(id, retry_in); });
  const auto& wanted = parsed->sources.sources;
  service::SharedSources sources = desk.stacks->sources_of(wanted ? &*wanted : nullptr);
  service::StackService::Tell tell = [stacks](std::size_t module, const stacks::ModuleState& state,
                                              service::OpenModule open) {
    stacks->found(module, state, std::move(open));
  };
  const service::FoundModules found = co_await desk.stacks->find(stacks->request(), stacks->map(), std::move(scope),
                                                                 std::move(sources), std::move(tell));
  CompletedBody body = completed_body(stacks->request(), stacks->map(), found.states, stacks::thread_scratch(),
                                      found.texts.get(), store::Store::now());
  answer.body = std::move(body.text);
  if (body.is_failure) answer.result = service::RequestResult::failed;
  answer.numbers.frames = body.frames;
  for (const stacks::ModuleState& state : found.states)
    ++answer.numbers.modules[static_cast<std::size_t>(state.status)];
  co_return answer;
}

namespace {

http::Response to_response(const service::RequestTable::Outcome& outcome) {
  using Table = service::RequestTable;
  return std::visit(
      overloaded{[](const service::SharedAnswer& answer) { return json_response(answer->status, answer->body); },
                 [](const Table::Pending& pending) {
                   if (pending.partial) return json_response(200, *pending.partial);
                   return json_response(200, pending_body(pending.id, static_cast<unsigned>(pending.retry_in.count())));
                 },
                 [](const Table::Overloaded&) {
                   return fault(503, "the maximum number of concurrent requests has been reached",
                                {{"Retry-After", "5"}});
                 },
                 [](const Table::Unknown&) { return http::Response{404, {}, ""}; }},
      outcome);
}

}  // namespace

http::BodyPlan plan_stack_body(const http::Request& head, const StackDesk& desk) {
  if (!head.is("POST")) return {};
  if (!is_json(head)) return fault(415, "expected a request with Content-Type: application/json");
  return http::BodyLimit{desk.max_body};
}

Task<http::Response> post_symbolicate(http::Request request, const StackDesk& desk) {
  if (!is_json(request)) co_return fault(415, "expected a request with Content-Type: application/json");
  const auto hold = hold_of(request);
  if (!hold) co_return fault(400, "timeout: expected a whole number of seconds");
  const auto explains = flag_of(request, "explain"), partial = flag_of(request, "partial");
  if (!explains) co_return fault(400, "explain: expected 1 or 0");
  if (!partial) co_return fault(400, "partial: expected 1 or 0");
  const std::string scope = scope_of(request);
  std::string head = scope;
  if (*explains) head += kExplain;
  const auto text = std::make_shared<const std::string>(head + '\n' + std::move(request.body));
  const auto outcome = co_await desk.requests->ask(scope, text, *hold, *partial);
  co_return to_response(outcome);
}

Task<http::Response> get_request(http::Request request, std::vector<std::string> below, const StackDesk& desk) {
  const auto hold = hold_of(request);
  if (!hold) co_return fault(400, "timeout: expected a whole number of seconds");
  const auto partial = flag_of(request, "partial");
  if (!partial) co_return fault(400, "partial: expected 1 or 0");
  if (below.size() != 1) co_return http::Response{404, {}, ""};
  const auto outcome = co_await desk.requests->poll(std::move(below.front()), *hold, *partial);
  co_return to_response(outcome);
}

Task<http::Response> delete_request(std::vector<std::string> below, const StackDesk& desk) {
  if (below.size() != 1) co_return http::Response{404, {}, ""};
  const bool was_there = co_await desk.requests->cancel(std::move(below.front()));
  co_return http::Response{was_there ? 204u : 404u, {{"Cache-Control", "no-store"}}, ""};
}

}  // namespace symcached::api
