#include "service/file_features.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hex.hpp"
#include "service/worker_jobs.hpp"

namespace symcached::service {
namespace {

using object::FileInfo;
using object::FileKind;
using stacks::Features;

constexpr std::size_t kMostKnown = 65'536;  ///< when there are more, all are forgotten
constexpr std::string_view kLetters = "dusx";

std::array<bool Features::*, 4> members() {
  return {&Features::has_debug_info, &Features::has_unwind_info, &Features::has_symbols, &Features::has_sources};
}

}  // namespace

Features features_of(const FileInfo& info) {
  const auto has = [&](std::string_view feature) {
    return std::ranges::find(info.features, feature) != info.features.end();
  };
  Features features{.has_debug_info = has("lines") || has("dwarf") || has("gopclntab"),
                    .has_unwind_info = has("unwind"),
                    .has_symbols = has("symbols") || has("dynamic-symbols") || has("publics") || has("exports"),
                    .has_sources = has("embedded-sources") || info.kind == FileKind::source_bundle};
  if (info.kind == FileKind::pdb) features.has_debug_info = features.has_symbols = true;
  if (info.kind == FileKind::macho && has("dwarf")) features.has_unwind_info = false;  // a dSYM has no code
  if (info.kind == FileKind::pdb) features.has_unwind_info = info.arch == model::Arch::x86;
  if (info.kind == FileKind::pe) features.has_symbols = has("exports");
  if (info.kind == FileKind::portable_pdb) features.has_debug_info = true, features.has_symbols = false;
  return features;
}

std::string name_of(std::string_view what, const store::Sha256& digest) {
  return std::string(what) + ' ' + to_hex(digest);
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
    if (const auto known = find(name_of("file", original.digest))) co_return known;
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
  if (features && is_named) put(name_of("file", digest), *features);
  co_return features;
}

std::optional<Features> FileFeatures::find(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  const auto found = known_.find(name);
  return found == known_.end() ? std::nullopt : std::optional(found->second);
}

void FileFeatures::put(std::string name, const Features& features) {
  const std::scoped_lock lock(mutex_);
  if (known_.size() >= kMostKnown) known_.clear();
  known_.insert_or_assign(std::move(name), features);
}

}  // namespace symcached::service
