#include "service/file_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/hex.hpp"
#include "service/cache_versions.hpp"
#include "service/worker_jobs.hpp"
#include "store/reading.hpp"

namespace symcached::service {
namespace {

using object::FileInfo;
using object::FileKind;
using stacks::Features;

constexpr std::size_t kMostKnown = 65'536;  ///< when there are more, all are read from the disk again
constexpr std::string_view kLetters = "dusx";

std::array<bool Features::*, 4> members() {
  return {&Features::has_debug_info, &Features::has_unwind_info, &Features::has_symbols, &Features::has_sources};
}

store::EntryKey key_of(std::string_view of, const store::Sha256& digest) {
  return {kObjectMeta, std::string(fetch::kGlobalScope), fmt::format("features of {} {}", of, to_hex(digest))};
}

}  // namespace

Features features_of(const FileInfo& info) {
  const auto has = [&](std::string_view feature) {
    return std::ranges::find(info.features, feature) != info.features.end();
  };
  Features features{.has_debug_info = has("lines") || has("dwarf"),
                    .has_unwind_info = has("unwind"),
                    .has_symbols = has("symbols") || has("publics") || has("exports"),
                    .has_sources = has("embedded-sources") || info.kind == FileKind::source_bundle};
  if (info.kind == FileKind::pdb) features.has_debug_info = features.has_symbols = true;
  if (info.kind == FileKind::macho && features.has_debug_info) features.has_unwind_info = false;  // a dSYM has no code
  if (info.kind == FileKind::pdb) features.has_unwind_info = info.arch == model::Arch::x86;
  if (info.kind == FileKind::pe) features.has_symbols = has("exports");
  if (info.kind == FileKind::portable_pdb) features.has_debug_info = true, features.has_symbols = false;
  return features;
}

std::string text_of(const Features& features) {
  std::string text;
  for (std::size_t i = 0; i < kLetters.size(); ++i) text += features.*members()[i] ? kLetters[i] : '-';
  return text;
}

std::optional<Features> parse_features(std::string_view text) {
  if (text.size() != kLetters.size()) return std::nullopt;
  Features features;
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    if (text[i] != kLetters[i] && text[i] != '-') return std::nullopt;
    features.*members()[i] = text[i] != '-';
  }
  return features;
}

Task<std::optional<Features>> FileFeatures::of(fetch::Original original) {
  const bool is_named = original.digest != store::Sha256{};
  if (is_named)
    if (const auto known = find("file", original.digest)) co_return known;
  worker::Job job{.kind = static_cast<std::uint32_t>(JobKind::describe),
                  .arguments = Extent{original.offset, original.size}.text(),
                  .limits = limits_for(original.size, limits_)};
  const store::Sha256 digest = original.digest;
  const bool is_entry = original.offset != 0;
  job.inputs.push_back({std::make_shared<const Descriptor>(std::move(original.file)), is_entry});
  worker::Sink none = [](Bytes) -> std::expected<void, std::string> { return {}; };
  Task<worker::Result> running = run_(std::move(job), std::move(none));
  const worker::Result result = co_await std::move(running);
  const auto* done = std::get_if<worker::Done>(&result);
  const auto features = done == nullptr ? std::nullopt : parse_features(done->note);
  if (features && is_named) put("file", digest, *features);
  co_return features;
}

std::optional<Features> FileFeatures::find(std::string_view of, const store::Sha256& digest) {
  const store::EntryKey key = key_of(of, digest);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = known_.find(key.readable); found != known_.end()) return found->second;
  }
  const store::Lookup found = store_.lookup(key);
  const auto* hit = std::get_if<store::Hit>(&found);
  const auto bytes = hit == nullptr ? std::unexpected(std::string()) : store::read_payload(*hit->entry);
  const auto features = bytes ? parse_features(as_text(*bytes)) : std::nullopt;
  if (!features) return std::nullopt;
  const std::scoped_lock lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_.emplace(key.readable, *features);
  return features;
}

/// What cannot be kept is found out again.
void FileFeatures::put(std::string_view of, const store::Sha256& digest, const Features& features) {
  const store::EntryKey key = key_of(of, digest);
  {
    const std::scoped_lock lock(mutex_);
    if (known_.size() >= kMostKnown) known_.clear();
    known_.insert_or_assign(key.readable, features);
  }
  const std::string text = text_of(features);
  auto writer = store_.create(key, {}, text.size());
  if (writer && writer->write(as_bytes(text))) std::ignore = std::move(*writer).publish({});
}

}  // namespace symcached::service
