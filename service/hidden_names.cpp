#include "service/hidden_names.hpp"

#include <memory>
#include <utility>
#include <variant>

namespace symcached::service {
namespace {

using object::NeedFile;
using sources::FileType;

FurtherFile further_of(fetch::Original original, NeedFile::Kind kind) {
  const bool is_entry = original.offset != 0;
  return {.kind = kind,
          .input = {std::make_shared<const Descriptor>(std::move(original.file)), is_entry},
          .extent = {original.offset, original.size},
          .origin = std::move(original.origin),
          .digest = original.digest};
}

}  // namespace

Task<HiddenNames::Found> HiddenNames::find(worker::Input file, Extent extent, std::string scope,
                                           SharedSources sources) {
  Found found;
  std::optional<FurtherFile> list;
  NeededMaps needs = co_await needed(file, extent, list);
  if (!needs.symbol_map) co_return found;
  found.are_hidden = true;
  if (needs.uuid_map) {
    auto fetched = co_await fetch(FileType::uuid_map, *needs.uuid_map, scope, sources);
    if (fetched) {
      list = std::move(fetched->file);
      found.is_private = fetched->is_private;
      needs = co_await needed(file, extent, list);
    }
  }
  if (!needs.symbol_map) co_return found;
  auto map = co_await fetch(FileType::bcsymbol_map, *needs.symbol_map, std::move(scope), std::move(sources));
  if (!map) co_return found;
  found.map = std::move(map->file);
  found.is_private = found.is_private || map->is_private;
  co_return found;
}

/// A file of which that cannot be told is converted as it is.
Task<NeededMaps> HiddenNames::needed(worker::Input file, Extent extent, std::optional<FurtherFile> list) {
  const std::span<const FurtherFile> further = list ? std::span(&*list, 1) : std::span<const FurtherFile>();
  worker::Job job = job_over(JobKind::find_maps, std::move(file), extent, further, limits_);
  worker::Sink none = [](Bytes) -> std::expected<void, std::string> { return {}; };
  Task<worker::Result> running = run_(std::move(job), std::move(none));
  const worker::Result result = co_await std::move(running);
  const auto* done = std::get_if<worker::Done>(&result);
  co_return done == nullptr ? NeededMaps() : NeededMaps::parse(done->note).value_or(NeededMaps());
}

Task<std::optional<HiddenNames::Fetched>> HiddenNames::fetch(FileType type, Guid uuid, std::string scope,
                                                             SharedSources sources) {
  sources::ModuleIds ids{.code_id = uuid.hex_lower(), .debug_id = DebugId{uuid, 0}};
  auto file = sources::make_request(type, std::move(ids));
  if (!file) co_return std::nullopt;
  const fetch::Wanted wanted = fetch::wanted_of(std::move(*file), std::move(scope));
  const auto kind = type == FileType::uuid_map ? NeedFile::Kind::uuid_map : NeedFile::Kind::symbol_map;
  for (const auto& source : sources->sources.all) {
    Originals::Answer answer = co_await originals_.ask(*source, wanted, sources->sources.policy);
    if (auto* original = std::get_if<fetch::Original>(&answer))
      co_return Fetched{further_of(std::move(*original), kind), !source->is_public()};
  }
  co_return std::nullopt;
}

}  // namespace symcached::service
