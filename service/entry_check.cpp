#include "service/entry_check.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "object/identify.hpp"
#include "ppdbcache/reader.hpp"
#include "service/cache_versions.hpp"
#include "sourcecache/reader.hpp"
#include "sources/file_type.hpp"
#include "store/entry_name.hpp"
#include "store/reading.hpp"
#include "symcache/reader.hpp"

namespace symcached::service {
namespace {

using object::FileKind;

constexpr std::size_t kStart = 64 * 1024;  ///< bytes of an original that tell its kind

struct Opened {
  Descriptor file;
  EntryReport report;
};

EntryReport unreadable(int error) { return {.state = EntryState::unreadable, .why = std::strerror(error)}; }

void set_damaged(EntryReport& report, std::string why) {
  report.state = EntryState::damaged;
  report.why = std::move(why);
}

/// Nothing of a kind that is not known here.
std::optional<std::uint32_t> current_version(std::string_view kind) {
  const auto row = std::ranges::find(kCacheKinds, kind, &store::CacheKind::name);
  return row == kCacheKinds.end() ? std::nullopt : std::optional(row->version);
}

/// Whether the bytes begin as an entry of some version does.
bool is_of_other_head_version(const ReadError& error) { return error.field == "entry.version"; }

EntryReport judge_head(const std::string& name, Read<store::Head> head) {
  const auto parsed = store::parse_entry_name(name);
  const auto place = parsed ? store::parse_place(parsed->place) : std::nullopt;
  EntryReport report;
  if (!head && is_of_other_head_version(head.error())) {
    report.state = EntryState::old;
  } else if (!head) {
    set_damaged(report, to_string(head.error()));
  } else {
    report.head = std::move(*head);
    if (parsed && store::sha256(as_bytes(report.head.key)) != parsed->digest)
      set_damaged(report, "lies under the name of another key");
    else if (place && place->version < current_version(place->kind).value_or(0)) report.state = EntryState::old;
    else if (report.head.state == store::State::absent) report.state = EntryState::absent;
  }
  return report;
}

/// Nothing if it is gone, or no regular file.
std::optional<Opened> open_entry(const std::filesystem::path& directory, const std::string& name) {
  auto file = store::open_file(directory.native() + '/' + name);
  if (!file && (file.error() == ENOENT || file.error() == ENOTDIR)) return std::nullopt;
  if (!file) return Opened{{}, unreadable(file.error())};
  struct stat info{};
  if (::fstat(file->get(), &info) != 0) return Opened{{}, unreadable(errno)};
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  auto head = store::examine_head(file->get(), static_cast<std::uint64_t>(info.st_size));
  if (!head) return Opened{{}, unreadable(head.error())};
  return Opened{std::move(*file), judge_head(name, std::move(*head))};
}

// --- Originals ------------------------------------------------------------------------------------------------------

/// What an original of this key has to be; unknown: anything.
FileKind kind_of_key(std::string_view key) {
  if (key.starts_with("portable ")) return FileKind::portable_pdb;
  if (key.starts_with("image ")) return FileKind::pe;
  const std::string_view name = key.substr(0, key.find('/'));
  const std::size_t colon = name.find(':');
  if (colon == name.npos) return FileKind::pdb;
  using sources::FileType;
  const auto type = sources::parse_file_type(name.substr(0, colon));
  if (!type) return FileKind::unknown;
  switch (*type) {
    case FileType::pe: return FileKind::pe;
    case FileType::pdb: return FileKind::pdb;
    case FileType::portable_pdb: return FileKind::portable_pdb;
    case FileType::elf_code:
    case FileType::elf_debug: return FileKind::elf;
    case FileType::mach_code:
    case FileType::mach_debug: return FileKind::macho;
    case FileType::wasm_code:
    case FileType::wasm_debug: return FileKind::wasm;
    case FileType::breakpad: return FileKind::breakpad;
    case FileType::source_bundle: return FileKind::source_bundle;
    case FileType::bcsymbol_map: return FileKind::bcsymbolmap;
    case FileType::uuid_map: return FileKind::unknown;
  }
  return FileKind::unknown;
}

void check_original(const Opened& opened, EntryReport& report) {
  const auto start = store::read_start(opened.file.get(), report.head, kStart);
  if (!start) {
    report = unreadable(start.error());
    return;
  }
  const FileKind wanted = kind_of_key(report.head.key);
  FileKind found = object::identify(*start);
  if (found == FileKind::macho_fat) found = FileKind::macho;
  if (wanted == FileKind::unknown || found == wanted) return;
  set_damaged(report, fmt::format("its key asks for {}, this is {}", object::name_of(wanted), object::name_of(found)));
}

// --- Caches ---------------------------------------------------------------------------------------------------------

Read<void> verify(const sourcecache::Reader& cache, Bytes file) { return cache.verify(file); }
Read<void> verify(const auto& cache, Bytes) { return cache.verify(); }

template <class Reader>
std::string trouble_in(Bytes file) {
  const auto cache = Reader::open(file);
  const auto verified = cache ? verify(*cache, file) : std::unexpected(cache.error());
  return verified ? std::string() : to_string(verified.error());
}

std::string trouble_in_kept(Bytes file) {
  const auto kept = symbolize::read_kept_symcache(file);
  return kept ? trouble_in<symcache::Symcache>(kept->symcache) : to_string(kept.error());
}

/// By kind; what is checked to its last byte.
struct CacheRow {
  std::string_view kind;
  std::string (*trouble)(Bytes file);
};
constexpr CacheRow kCaches[] = {
    {kSymcaches.now.name, trouble_in<symcache::Symcache>},
    {kPpdbcaches.now.name, trouble_in<ppdbcache::Reader>},
    {kSourcecaches.now.name, trouble_in<sourcecache::Reader>},
    {symbolize::kKeptSymcaches.name, trouble_in_kept},
};

void check_cache(const store::Entry& entry, const CacheRow& row, EntryReport& report) {
  const auto payload = store::read_payload(entry);
  if (!payload) return set_damaged(report, payload.error());
  std::string trouble = row.trouble(*payload);
  if (!trouble.empty()) set_damaged(report, std::move(trouble));
}

void check_payload(Opened& opened, const store::Place& place) {
  EntryReport& report = opened.report;
  const bool has_reader = place.version == current_version(place.kind);
  const auto* const row = std::ranges::find(kCaches, place.kind, &CacheRow::kind);
  if (has_reader && row != std::end(kCaches)) {
    const auto head = std::make_shared<const store::Head>(report.head);
    return check_cache(store::Entry(std::move(opened.file), head), *row, report);
  }
  const auto holds = store::payload_holds(opened.file.get(), report.head);
  if (!holds) report = unreadable(holds.error());
  else if (!*holds) set_damaged(report, "its payload is not what was written: the checksum differs");
  else if (has_reader && place.kind == kObjects.name) check_original(opened, report);
}

}  // namespace

std::optional<EntryReport> look_at_entry(const std::filesystem::path& directory, const std::string& name) {
  auto opened = open_entry(directory, name);
  return opened ? std::optional(std::move(opened->report)) : std::nullopt;
}

std::optional<EntryReport> check_entry(const std::filesystem::path& directory, const std::string& name) try {
  auto opened = open_entry(directory, name);
  if (!opened) return std::nullopt;
  const auto parsed = store::parse_entry_name(name);
  const auto place = parsed ? store::parse_place(parsed->place) : std::nullopt;
  const bool has_payload = opened->report.state == EntryState::hit || opened->report.state == EntryState::old;
  if (place && has_payload && opened->report.head.state == store::State::file && !opened->report.head.key.empty())
    check_payload(*opened, *place);
  return std::move(opened->report);
} catch (const std::bad_alloc&) {
  return unreadable(ENOMEM);
}

}  // namespace symcached::service
