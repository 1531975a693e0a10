#include "service/converter.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <memory>

#include "base/overloaded.hpp"

namespace symcached::service {
namespace {

/// Whether nobody has written to it for a while: a file in somebody's directory by its time; an entry of ours always.
bool is_settled(const fetch::Original& original, std::chrono::seconds settling) {
  if (original.offset != 0) return true;
  struct stat info{};
  if (::fstat(original.file.get(), &info) != 0) return true;
  const auto modified = std::chrono::system_clock::from_time_t(info.st_mtim.tv_sec);
  return std::chrono::system_clock::now() - modified >= settling;
}

/// Takes the file over.
worker::Job conversion_of(fetch::Original& original, const LimitRules& limits) {
  worker::Job job{.kind = static_cast<std::uint32_t>(JobKind::convert_to_symcache),
                  .arguments = Extent{original.offset, original.size}.text(),
                  .limits = limits_for(original.size, limits)};
  job.inputs.push_back({std::make_shared<const Descriptor>(std::move(original.file)), original.offset != 0});
  return job;
}

std::string megabytes(std::uint64_t bytes) {
  return bytes < 1 << 20 ? fmt::format("{:.1f} KiB", static_cast<double>(bytes) / (1 << 10))
                         : fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

Task<Conversion> Converter::convert(store::EntryKey key, fetch::Wanted wanted, fetch::Original original) const {
  const auto start = std::chrono::steady_clock::now();
  auto created = store_.create(key, store::Quality::lines, original.identity);
  if (!created) co_return NoMeans{std::move(created.error())};
  const auto writer = std::make_shared<store::EntryWriter>(std::move(*created));
  const bool settled = is_settled(original, policy_.settling);
  worker::Job job = conversion_of(original, limits_);
  worker::Sink sink = [writer](Bytes piece) { return writer->write(piece); };
  Task<worker::Result> running = run_(std::move(job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  const auto with_origin = [&](const std::string& why) { return fmt::format("{}: {}", original.origin, why); };
  co_return std::visit(
      overloaded{[&](const worker::Done& done) -> Conversion {
                   const std::uint64_t size = writer->size();
                   Conversion published = publish(key, wanted, original.origin, done, std::move(*writer));
                   const auto took =
                       std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
                   if (std::holds_alternative<Published>(published))
                     log_(Severity::info,
                          fmt::format("converted {} in {} ms: {} to {}, from {}", wanted.key, took.count(),
                                      megabytes(original.size), megabytes(size), original.origin));
                   return published;
                 },
                 [&](const worker::Refused& r) -> Conversion {
                   if (!settled) return StillChanging{with_origin(r.why)};
                   return NoUse{with_origin(r.why)};
                 },
                 [&](const worker::Died& d) -> Conversion { return WorkerDied{with_origin("the worker " + d.why)}; },
                 [&](const worker::Changed& c) -> Conversion { return StillChanging{with_origin(c.why)}; },
                 [&](const worker::SinkFailed& s) -> Conversion { return NoMeans{s.why}; },
                 [&](const worker::NotRun& n) -> Conversion { return NoMeans{n.why}; }},
      result);
}

Conversion Converter::publish(const store::EntryKey& key, const fetch::Wanted& wanted, const std::string& origin,
                              const worker::Done& done, store::EntryWriter writer) const {
  if (const std::string asked = std::get<DebugId>(wanted.id).breakpad(); done.note != asked)
    return NoUse{fmt::format("{}: id is {}, expected {}", origin, done.note, asked)};
  if (const auto published = std::move(writer).publish(); !published)
    return NoMeans{fmt::format("{}: cannot store: {}", key.readable, published.error())};
  return Published{};
}

}  // namespace symcached::service
