#include "service/file_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace symcached::service {
namespace {

using Kind = object::NeedFile::Kind;

struct KindRow {
  Kind kind;
  std::string_view name;
};
constexpr std::array kKinds{KindRow{Kind::uuid_map, "uuid_map"}, KindRow{Kind::symbol_map, "symbol_map"}};
constexpr std::size_t kMostFurther = 7;  ///< a job has at most 8 files
constexpr std::string_view kNone = "-";

std::string_view next_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string text_of(const std::optional<Guid>& uuid) { return uuid ? uuid->hex_upper() : std::string(kNone); }

}  // namespace

std::string FileParts::text() const {
  std::string text = original.text();
  for (const Further& one : further) {
    const auto row = std::ranges::find(kKinds, one.kind, &KindRow::kind);
    text += fmt::format("\n{} {}", row->name, one.extent.text());
  }
  return text;
}

std::expected<FileParts, std::string> FileParts::parse(std::string_view text) {
  const auto original = Extent::parse(next_line(text));
  if (!original) return std::unexpected(original.error());
  FileParts parts{.original = *original};
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    const std::size_t blank = std::min(line.find(' '), line.size());
    const auto row = std::ranges::find(kKinds, line.substr(0, blank), &KindRow::name);
    const auto extent = Extent::parse(line.substr(std::min(blank + 1, line.size())));
    if (row == kKinds.end() || !extent || parts.further.size() == kMostFurther)
      return std::unexpected("not a kind of file, an offset and a size");
    parts.further.push_back({row->kind, *extent});
  }
  return parts;
}

std::expected<OpenedParts, std::string> OpenedParts::open(const worker::Work& work) {
  const auto parts = FileParts::parse(work.arguments);
  if (!parts) return std::unexpected("job.arguments: " + parts.error());
  if (work.files.size() != parts->further.size() + 1)
    return std::unexpected(fmt::format("job.arguments: not those of {} files", work.files.size()));
  OpenedParts opened;
  for (const Descriptor& file : work.files) {
    auto mapped = MappedFile::from_descriptor(file.get(), "file");
    if (!mapped) return std::unexpected(std::move(mapped.error()));
    opened.mapped.push_back(std::move(*mapped));
  }
  const auto part = [&](std::size_t file, const Extent& extent) {
    return slice(opened.mapped[file].bytes(), extent.offset, extent.size, "file.size");
  };
  const auto original = part(0, parts->original);
  if (!original) return std::unexpected(to_string(original.error()));
  opened.original = *original;
  for (std::size_t i = 0; i < parts->further.size(); ++i)
    if (const auto bytes = part(i + 1, parts->further[i].extent)) {
      object::Companion companion{.need = {}, .file = *bytes};
      companion.need.kind = parts->further[i].kind;
      opened.companions.push_back(std::move(companion));
    }
  return opened;
}

worker::Job job_over(JobKind kind, worker::Input original, const Extent& extent, std::span<const FurtherFile> further,
                     const LimitRules& limits) {
  FileParts parts{.original = extent};
  std::uint64_t size = extent.size;
  worker::Job job{.kind = static_cast<std::uint32_t>(kind), .limits = {}};
  job.inputs.push_back(std::move(original));
  for (const FurtherFile& one : further) {
    parts.further.push_back({one.kind, one.extent});
    job.inputs.push_back(one.input);
    size += one.extent.size;
  }
  job.arguments = parts.text();
  job.limits = limits_for(size, limits);
  return job;
}

NeededMaps NeededMaps::of(std::span<const object::NeedFile> needed) {
  NeededMaps maps;
  for (const object::NeedFile& one : needed) {
    if (one.kind == Kind::uuid_map) maps.uuid_map = Guid::parse(one.build_id);
    if (one.kind == Kind::symbol_map) maps.symbol_map = Guid::parse(one.build_id);
  }
  return maps;
}

std::string NeededMaps::text() const { return fmt::format("{} {}", text_of(uuid_map), text_of(symbol_map)); }

std::optional<NeededMaps> NeededMaps::parse(std::string_view text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const std::string_view words[] = {text.substr(0, blank), text.substr(blank + 1)};
  NeededMaps maps{Guid::parse(words[0]), Guid::parse(words[1])};
  if ((!maps.uuid_map && words[0] != kNone) || (!maps.symbol_map && words[1] != kNone)) return std::nullopt;
  return maps;
}

}  // namespace symcached::service
