#include "service/source_files.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/hex.hpp"
#include "base/overloaded.hpp"
#include "base/utf8.hpp"
#include "fetch/redirect.hpp"
#include "service/cache_versions.hpp"
#include "service/key_status.hpp"
#include "service/outcome.hpp"
#include "service/verdicts.hpp"
#include "store/reading.hpp"

namespace symcached::service {
namespace {

using stacks::DownloadStatus;

constexpr unsigned kThreads = 2;  ///< for the disk; downloads have none

SourceFileAnswer answer_of(Bytes text) {
  return {std::make_shared<const symbolize::SourceLines>(text), DownloadStatus::ok};
}

SourceFileAnswer answer_of(const store::Negative& negative) {
  if (std::holds_alternative<store::Absent>(negative)) return {nullptr, DownloadStatus::not_found};
  if (std::holds_alternative<store::Malformed>(negative)) return {nullptr, DownloadStatus::malformed};
  return {nullptr, DownloadStatus::error, fmt::format("download failed: {}", why_of(negative))};
}

/// For the log: a URL may hold secrets.
std::string server_of(const std::string& url) {
  const auto target = fetch::parse_target(url);
  return target ? target->shown() : "an unknown server";
}

fetch::Outcome outcome_of(fetch::NotFetched failed) {
  switch (failed.kind) {
    case fetch::NotFetched::Kind::absent: return fetch::NotThere{};
    case fetch::NotFetched::Kind::malformed: return fetch::Refused{std::move(failed.why)};
    case fetch::NotFetched::Kind::unavailable: break;
  }
  return fetch::TransientError{std::move(failed.why)};
}

}  // namespace

std::string SourceFileOrder::name() const {
  std::string all;
  for (const auto& [name, value] : headers) all.append(name).append(":").append(value).append("\n");
  return all.empty() ? url : url + ' ' + to_hex(store::sha256(as_bytes(all)));
}

SourceFiles::SourceFiles(store::Store& store, fetch::TextLimits limits, std::string user_agent, RetryPolicy policy,
                         Log log)
    : store_(store),
      policy_(policy),
      log_(std::move(log)),
      fetcher_(limits, std::move(user_agent)),
      jobs_(pool_, {},
            {.run = [this](SourceFileOrder order) { return resolve(std::move(order)); },
             .on_fault = [this](const SourceFileOrder& order, const char* fault) -> SourceFileAnswer {
               after_fault(log_, server_of(order.url), fault);
               return {};
             }}),
      pool_(kThreads) {}

void SourceFiles::stop() {
  jobs_.drain();
  fetcher_.stop();
  pool_.stop();
  pool_.join();
}

Task<SourceFileAnswer> SourceFiles::find(SourceFileOrder order) {
  std::string name = order.scope + ' ' + order.name();
  std::string scope = order.scope;
  auto result = co_await jobs_.find(std::move(name), std::move(scope), std::move(order), kNoLimit);
  if (result) co_return std::move(*result);
  co_return SourceFileAnswer{nullptr, DownloadStatus::error, "download failed: too many at once"};
}

Task<SourceFileAnswer> SourceFiles::resolve(SourceFileOrder order) {
  const store::EntryKey key{kSourcefiles, order.scope, order.name()};
  if (key.readable.size() > store::kMaxKey)
    co_return SourceFileAnswer{nullptr, DownloadStatus::error, "download failed: the URL is too long"};
  const store::Lookup found = store_.lookup(key);
  if (const auto* hit = std::get_if<store::Hit>(&found))
    if (const auto text = store::read_payload(*hit->entry)) co_return answer_of(*text);
  if (const auto* absent = std::get_if<store::Absent>(&found); absent != nullptr && absent->worth_keeping)
    store_.keep(key);
  if (const auto known = counting(found, policy_.absent)) co_return answer_of(*known);
  co_return co_await fetch(std::move(order), key);
}

Task<SourceFileAnswer> SourceFiles::fetch(SourceFileOrder order, store::EntryKey key) {
  auto text = co_await fetcher_.ask(order.url, order.headers);
  if (text && !is_utf8(*text)) {
    fetch::NotFetched other{fetch::NotFetched::Kind::malformed, order.url + ": is no UTF-8"};
    text = std::unexpected(std::move(other));
  }
  if (!text) {
    count(text.error());
    const store::Negative verdict = verdict_of(outcome_of(std::move(text.error())), std::nullopt, policy_);
    store_.remember(key, verdict);
    co_return answer_of(verdict);
  }
  ++found_;
  bytes_ += text->size();
  keep(key, order.url, *text);
  co_return answer_of(as_bytes(*text));
}

void SourceFiles::count(const fetch::NotFetched& failed) {
  switch (failed.kind) {
    case fetch::NotFetched::Kind::absent: ++absent_; return;
    case fetch::NotFetched::Kind::malformed: ++malformed_; return;
    case fetch::NotFetched::Kind::unavailable: ++unavailable_; return;
  }
}

SourceFileStats SourceFiles::stats() const { return {found_, absent_, malformed_, unavailable_, bytes_}; }

void SourceFiles::keep(const store::EntryKey& key, const std::string& url, const std::string& text) {
  const auto not_kept = [&](const std::string& why) {
    log_(Severity::warning, fmt::format("a source file of {}: not kept: {}", server_of(url), why));
  };
  auto writer = store_.create(key, {}, text.size());
  if (!writer) return not_kept(writer.error());
  if (auto written = writer->write(as_bytes(text)); !written) return not_kept(written.error());
  if (auto entry = std::move(*writer).publish({.quality = store::Quality::lines}); !entry) not_kept(entry.error());
}

}  // namespace symcached::service
