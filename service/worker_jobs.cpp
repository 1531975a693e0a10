#include "service/worker_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/mapped_file.hpp"
#include "fetch/stated_ids.hpp"
#include "fetch/unpack.hpp"
#include "fetch/verify.hpp"
#include "object/identify.hpp"
#include "object/translate.hpp"
#include "service/cache_query.hpp"
#include "service/file_features.hpp"
#include "service/file_parts.hpp"
#include "symbolize/derive.hpp"
#include "symbolize/derive_sources.hpp"

namespace symcached::service {
namespace {

constexpr std::array<std::string_view, 3> kCacheNames{"symcache", "ppdbcache",
                                                      "sourcecache"};  ///< in the order of CacheKind
constexpr std::size_t kGuidDigits = 32;

using Answer = std::expected<std::string, std::string>;

/// `count` decimal numbers with blanks between them.
template <std::size_t count>
std::optional<std::array<std::uint64_t, count>> parse_numbers(std::string_view text) {
  std::array<std::uint64_t, count> numbers{};
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::uint64_t& number : numbers) {
    if (&number != numbers.data() && (at == end || *at++ != ' ')) return std::nullopt;
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc()) return std::nullopt;
    at = parsed.ptr;
  }
  return at == end ? std::optional(numbers) : std::nullopt;
}

/// The job's one file, and the part of it that its arguments name.
struct Input {
  MappedFile mapped;
  Bytes original;

  static std::expected<Input, std::string> open(const worker::Work& work) {
    const auto extent = Extent::parse(work.arguments);
    if (!extent) return std::unexpected("job.arguments: " + extent.error());
    return open(work, *extent);
  }
  static std::expected<Input, std::string> open(const worker::Work& work, const Extent& extent) {
    if (work.files.size() != 1) return std::unexpected("job.arguments: not those of one file");
    auto mapped = MappedFile::from_descriptor(work.files.front().get(), "file");
    if (!mapped) return std::unexpected(std::move(mapped.error()));
    const auto original = slice(mapped->bytes(), extent.offset, extent.size, "file.size");
    if (!original) return std::unexpected(to_string(original.error()));
    return Input{std::move(*mapped), *original};
  }
};

bool is_bare(const object::FileInfo& info) {
  const stacks::Features features = features_of(info);
  return info.kind != object::FileKind::unknown && !info.error && !features.has_debug_info && !features.has_symbols;
}

/// Of a bare file there is no output.
Answer derive(const worker::Work& work) {
  const auto input = OpenedParts::open(work);
  if (!input) return std::unexpected(input.error());
  const auto release = [&] {
    for (const MappedFile& file : input->mapped) file.release_pages();
  };
  const auto derived =
      symbolize::derive_cache({.file = input->original, .companions = input->companions, .release = release});
  const object::FileInfo info = object::describe(input->original);
  if (!derived && is_bare(info)) return DerivedNote{}.text();
  if (!derived) return std::unexpected(derived.error());
  work.output(derived->file);
  return DerivedNote{derived->kind, derived->contents, derived->debug_id, features_of(info)}.text();
}

Answer derive_sources(const worker::Work& work) {
  const auto input = Input::open(work);
  if (!input) return std::unexpected(input.error());
  const auto derived = symbolize::derive_sources({.file = input->original});
  if (!derived) return std::unexpected(derived.error());
  work.output(derived->file);
  return DerivedNote{symbolize::CacheKind::sourcecache, symbolize::Contents::lines, derived->debug_id}.text();
}

Answer find_maps(const worker::Work& work) {
  const auto input = OpenedParts::open(work);
  if (!input) return std::unexpected(input.error());
  return NeededMaps::of(object::needed_files(input->original, input->companions)).text();
}

Answer unpack(const worker::Work& work) {
  const auto numbers = parse_numbers<4>(work.arguments);
  if (!numbers || work.files.size() != 1) return std::unexpected("job.arguments: not those of a packed file");
  fetch::Limits limits;
  limits.max_unpacked = (*numbers)[2];
  limits.max_ratio = (*numbers)[3];
  const auto sink = [&](Bytes piece) -> std::expected<void, std::string> {
    work.output(piece);
    return {};
  };
  const auto done =
      fetch::unpack(static_cast<fetch::Wrapper>((*numbers)[0]), work.files.front().get(), (*numbers)[1], limits, sink);
  if (!done) return std::unexpected(done.error().why);
  return std::string();
}

Answer state_ids(const worker::Work& work) {
  const auto input = Input::open(work);
  if (!input) return std::unexpected(input.error());
  const auto ids = fetch::stated_ids(input->original);
  if (!ids) return std::unexpected(ids.error());
  return fetch::to_text(*ids);
}

Answer verify(const worker::Work& work) {
  auto order = VerifyOrder::parse(work.arguments);
  if (!order) return std::unexpected("job.arguments: " + order.error());
  const auto input = Input::open(work, order->extent);
  if (!input) return std::unexpected(input.error());
  return fetch::verify(fetch::wanted_of({order->type, std::move(order->module)}), input->original);
}

Answer describe(const worker::Work& work) {
  const auto input = Input::open(work);
  if (!input) return std::unexpected(input.error());
  return text_of(features_of(object::describe(input->original)));
}

Answer glimpse(const worker::Work& work) {
  const auto known = parse_parts(work.arguments);
  if (!known || work.files.size() != 1) return std::unexpected("job.arguments: not those of a file in parts");
  const auto mapped = MappedFile::from_descriptor(work.files.front().get(), "file");
  if (!mapped) return std::unexpected(mapped.error());
  return fetch::glimpse_of(mapped->bytes(), *known).text();
}

}  // namespace

worker::Handlers worker_handlers() {
  const auto number = [](JobKind kind) { return static_cast<std::uint32_t>(kind); };
  return {{number(JobKind::derive), derive},
          {number(JobKind::unpack), unpack},
          {number(JobKind::state_ids), state_ids},
          {number(JobKind::verify), verify},
          {number(JobKind::glimpse), glimpse},
          {number(JobKind::describe), describe},
          {number(JobKind::derive_sources), derive_sources},
          {number(JobKind::find_maps), find_maps}};
}

worker::Limits limits_for(std::uint64_t file_size, const LimitRules& rules) {
  // A file of an exabyte is a sparse one; sums stay far below the range of 64 bits.
  const std::uint64_t size = std::min(file_size, std::uint64_t{1} << 50);
  const auto computing =
      std::chrono::seconds(rules.seconds_base + size / std::max<std::uint64_t>(rules.bytes_per_second, 1));
  return {.address_space = (rules.memory_base_mib << 20) + rules.memory_factor * size,
          .max_output = rules.output_base + rules.output_factor * size,
          .processor = computing,
          .deadline = 2 * computing};
}

std::string DerivedNote::text() const {
  return fmt::format("{} {} {} {}", kCacheNames.at(static_cast<std::size_t>(kind)), symbolize::name_of(contents),
                     text_of(features), debug_id.breakpad());
}

std::optional<DerivedNote> DerivedNote::parse(std::string_view text) {
  std::array<std::string_view, 3> words;
  for (std::string_view& word : words) {
    const std::size_t end = text.find(' ');
    if (end == std::string_view::npos) return std::nullopt;
    word = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  const auto kind = std::ranges::find(kCacheNames, words[0]);
  const auto contents = symbolize::parse_contents(words[1]);
  const auto features = parse_features(words[2]);
  const std::string_view id = text;
  const auto guid = Guid::parse(id.substr(0, std::min(kGuidDigits, id.size())));
  if (kind == kCacheNames.end() || !contents || !features || !guid) return std::nullopt;
  DerivedNote note{static_cast<symbolize::CacheKind>(kind - kCacheNames.begin()), *contents, {*guid, 0}, *features};
  const char* const end = id.data() + id.size();
  const auto age = std::from_chars(id.data() + kGuidDigits, end, note.debug_id.age, 16);
  return age.ec == std::errc() && age.ptr == end ? std::optional(note) : std::nullopt;
}

std::string Extent::text() const { return fmt::format("{} {}", offset, size); }

std::expected<Extent, std::string> Extent::parse(std::string_view text) {
  const auto numbers = parse_numbers<2>(text);
  if (!numbers) return std::unexpected("not an offset and a size");
  return Extent{(*numbers)[0], (*numbers)[1]};
}

std::string VerifyOrder::text() const {
  const CacheQuery query{
      .module = {.code_id = module.code_id, .debug_id = module.debug_id, .checksums = module.checksums}};
  return fmt::format("{}\n{}\n{}", sources::name_of(type), extent.text(), to_line(query));
}

std::expected<VerifyOrder, std::string> VerifyOrder::parse(std::string_view text) {
  const std::size_t first = text.find('\n'), second = text.find('\n', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos)
    return std::unexpected("not a type, an extent and a module");
  const auto type = sources::parse_file_type(text.substr(0, first));
  const auto extent = Extent::parse(text.substr(first + 1, second - first - 1));
  const auto query = query_of_line(text.substr(second + 1));
  if (!type || !extent || !query) return std::unexpected("not a type, an extent and a module");
  return VerifyOrder{*type, *extent, query->module};
}

std::string text_of(std::span<const fetch::FilePart> parts) {
  std::string text;
  for (const fetch::FilePart& part : parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", part.offset, part.size);
  return text;
}

std::optional<std::vector<fetch::FilePart>> parse_parts(std::string_view text) {
  std::vector<fetch::FilePart> parts;
  while (!text.empty() && parts.size() < fetch::kMaxGlimpseParts) {
    const std::size_t end = std::min(text.find(' ', std::min(text.find(' '), text.size() - 1) + 1), text.size());
    const auto numbers = parse_numbers<2>(text.substr(0, end));
    if (!numbers) return std::nullopt;
    parts.push_back({(*numbers)[0], (*numbers)[1]});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return text.empty() ? std::optional(std::move(parts)) : std::nullopt;
}

}  // namespace symcached::service
