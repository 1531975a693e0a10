#include "service/converter.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <memory>

#include "base/overloaded.hpp"
#include "base/quantity.hpp"
#include "fetch/object_cache.hpp"
#include "service/file_features.hpp"
#include "service/file_parts.hpp"

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
worker::Job conversion_of(fetch::Original& original, std::span<const FurtherFile> further, symbolize::CacheKind to,
                          const LimitRules& limits) {
  const JobKind kind = to == symbolize::CacheKind::sourcecache ? JobKind::derive_sources : JobKind::derive;
  worker::Input input{std::make_shared<const Descriptor>(std::move(original.file)), original.offset != 0};
  return job_over(kind, std::move(input), {original.offset, original.size}, further, limits);
}

/// What a cache is made from, in one digest: other further files make another cache. Zero if one is not known.
store::Sha256 digest_of(const fetch::Original& original, std::span<const FurtherFile> further) {
  if (further.empty()) return original.digest;
  store::Sha256Hasher hasher;
  hasher.update(original.digest);
  bool is_known = original.digest != store::Sha256{};
  for (const FurtherFile& one : further) {
    hasher.update(one.digest);
    is_known = is_known && one.digest != store::Sha256{};
  }
  return is_known ? hasher.finish() : store::Sha256{};
}

std::string origin_of(const fetch::Original& original, std::span<const FurtherFile> further) {
  std::string text = original.origin;
  for (const FurtherFile& one : further) text += " with " + one.origin;
  return text;
}

/// What is wrong with the id that an original states; empty if it is the one wanted, or none. Of a Portable PDB the
/// stamp may be unknown; a file without an id was compared with the code id when it was fetched.
std::string other_id(const sources::FileRequest& wanted, const DebugId& stated) {
  const auto asked = wanted.debug_id();
  if (!asked || stated.guid.is_zero()) return {};
  const bool any_age = wanted.type == sources::FileType::portable_pdb && asked->age == sources::kNoStamp;
  if (stated.guid == asked->guid && (any_age || stated.age == asked->age)) return {};
  return fmt::format("id is {}, expected {}", stated.breakpad(), asked->breakpad());
}

}  // namespace

store::Quality quality_of(symbolize::Contents contents) {
  using symbolize::Contents;
  static_assert(static_cast<int>(Contents::nothing) == static_cast<int>(store::Quality::none));
  static_assert(static_cast<int>(Contents::public_symbols) == static_cast<int>(store::Quality::public_symbols));
  static_assert(static_cast<int>(Contents::symbol_table) == static_cast<int>(store::Quality::symbol_table));
  static_assert(static_cast<int>(Contents::breakpad) == static_cast<int>(store::Quality::breakpad));
  static_assert(static_cast<int>(Contents::lines) == static_cast<int>(store::Quality::lines));
  return static_cast<store::Quality>(contents);
}

symbolize::Contents contents_of(store::Quality quality) { return static_cast<symbolize::Contents>(quality); }

Task<Conversion> Converter::convert(Order order, fetch::Original original, std::vector<FurtherFile> further) const {
  Made made{.origin = origin_of(original, further),
            .source = digest_of(original, further),
            .original_size = original.size,
            .start = std::chrono::steady_clock::now()};
  if (order.wanted.or_native && is_native_pdb(original))
    co_return NotRead{fmt::format("{}: is a PDB of native code; of .NET only Portable PDBs are read", made.origin)};
  if (auto shared = store_.share(order.key, made.source)) {
    const symbolize::Contents contents = contents_of(shared->head().quality);
    if (order.better_than && contents <= *order.better_than) co_return NotBetter{contents};
    co_return Published{std::move(shared), contents};
  }
  auto created = store_.create(order.key, original.identity);
  if (!created) co_return NoMeans{std::move(created.error())};
  const auto writer = std::make_shared<store::EntryWriter>(std::move(*created));
  const bool settled = is_settled(original, order.settling);
  worker::Job job = conversion_of(original, further, order.kind, limits_);
  worker::Sink sink = [writer](Bytes piece) { return writer->write(piece); };
  Task<worker::Result> running = run_(std::move(job), std::move(sink));
  const worker::Result result = co_await std::move(running);
  const auto with_origin = [&](const std::string& why) { return fmt::format("{}: {}", made.origin, why); };
  co_return std::visit(
      overloaded{[&](const worker::Done& done) -> Conversion {
                   const auto note = DerivedNote::parse(done.note);
                   if (!note) return WorkerDied{with_origin("the worker gave no account of what it made")};
                   made.note = *note;
                   return publish(order, made, std::move(*writer));
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

Conversion Converter::publish(const Order& order, const Made& made, store::EntryWriter writer) const {
  if (writer.size() == 0) return NoUse{fmt::format("{}: has neither debug information nor symbols", made.origin), true};
  if (made.note.kind != order.kind)
    return NoUse{fmt::format("{}: is a file of {}", made.origin,
                             order.kind == symbolize::CacheKind::symcache ? ".NET" : "native code")};
  if (auto why = other_id(order.wanted.file, made.note.debug_id); !why.empty())
    return NoUse{fmt::format("{}: {}", made.origin, why)};
  if (order.better_than && made.note.contents <= *order.better_than) return NotBetter{made.note.contents};
  const std::uint64_t size = writer.size();
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - made.start);
  auto entry =
      std::move(writer).publish({.quality = quality_of(made.note.contents), .cost = took, .source = made.source});
  if (!entry) return NoMeans{fmt::format("{}: cannot store: {}", order.key.readable, entry.error())};
  if (order.kind != symbolize::CacheKind::sourcecache)
    features_.put_of_cache((*entry)->head().payload_sha256, made.note.features);
  log_(Severity::info, fmt::format("converted {} in {} ms: {} to {}, {}, from {}", order.wanted.key, took.count(),
                                   size_text(made.original_size), size_text(size),
                                   symbolize::name_of(made.note.contents), made.origin));
  if (!(*entry)->not_kept().empty())
    log_(Severity::warning, fmt::format("{}: not kept: {}", order.key.readable, (*entry)->not_kept()));
  return Published{std::move(*entry), made.note.contents};
}

}  // namespace symcached::service
