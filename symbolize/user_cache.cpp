#include "symbolize/user_cache.hpp"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "base/hex.hpp"
#include "formats/elf/reader.hpp"
#include "formats/macho/reader.hpp"
#include "formats/pdb/msf.hpp"
#include "object/identify.hpp"
#include "object/macho/files.hpp"
#include "store/sha256.hpp"
#include "symbolize/seen_files.hpp"
#include "symcache/reader.hpp"

namespace symcached::symbolize {
namespace {

namespace fs = std::filesystem;
using object::FileKind;

constexpr std::size_t kEnd = 16 * 1024;  ///< bytes at either end of a file that its key depends on
constexpr std::size_t kShortestId = 16;  ///< bytes of a build id; people make up shorter ones
constexpr std::size_t kLongestPath = 1024;

/// What the linker gave the file, as hex; empty: nothing that no other file has.
std::string own_id(Bytes bytes) {
  switch (object::identify(bytes)) {
    case FileKind::elf: {
      const auto file = elf::File::open(bytes);
      return file && file->build_id().size() >= kShortestId ? "elf:" + to_hex(file->build_id()) : std::string();
    }
    case FileKind::macho:
    case FileKind::macho_fat: {
      const auto slice = object::chosen_slice(bytes);
      const auto file = slice ? macho::File::open(*slice) : std::unexpected(slice.error());
      return file && file->uuid() ? "macho:" + file->uuid()->dashed() : std::string();
    }
    case FileKind::pdb: {
      constexpr std::uint32_t kInfoStream = 1, kHeaderSize = 28;  // version, time stamp, age, guid
      std::vector<std::byte> scratch;
      const auto file = pdb::Msf::open(bytes);
      const auto info =
          file ? file->range(kInfoStream, 0, kHeaderSize, scratch, "pdb.info") : std::unexpected(file.error());
      return info ? "pdb:" + to_hex(*info) : std::string();
    }
    default: return {};
  }
}

std::string digest_of(Bytes bytes) { return to_hex(store::sha256(bytes)); }

/// Headers, tables of sections and load commands are at the ends. They differ where only the id is the same: in a
/// program and its stripped copy, say.
std::string ends_of(Bytes bytes) {
  store::Sha256Hasher hasher;
  hasher.update(bytes.first(std::min(bytes.size(), kEnd)));
  hasher.update(bytes.last(std::min(bytes.size(), kEnd)));
  return to_hex(Bytes(hasher.finish()).first(16));
}

std::string options_text(const FarPlaces& far) {
  std::string text;
  for (const auto& places : {far.debug_folders, far.symbol_maps}) {
    for (const std::string& place : places) {
      std::error_code error;
      text += fs::absolute(place, error).native();
      text += '\0';
    }
    text += '\n';
  }
  return text.append(far.split_package);
}

/// As part of a key, which is one line.
std::string path_text(const fs::path& path) {
  const std::string& text = path.native();
  const bool is_plain = std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  return is_plain && text.size() <= kLongestPath ? text : "sha256:" + digest_of(as_bytes(text));
}

/// Root with somebody else's HOME would leave files there that their owner cannot change.
bool may_use(const fs::path& directory) {
  struct stat info{};
  fs::path there = directory;
  while (!there.empty() && ::stat(there.c_str(), &info) != 0 && there != there.parent_path())
    there = there.parent_path();
  const uid_t self = ::geteuid();
  return there == directory || self == 0 ? info.st_uid == self : true;
}

std::uint64_t random_run() {
  std::uint64_t run = 0;
  [[maybe_unused]] const ssize_t ignored = ::getrandom(&run, sizeof run, 0);
  return run;
}

store::CacheLimits limits_of(const UserCacheOptions& options) {
  store::CacheLimits limits{.total = {.max_size = {}, .min_free = {}}, .max_unused_for = {}, .kinds = {}};
  constexpr double kLeftFree = 5;  // percent of the disk
  limits.kinds[std::string(kKeptSymcaches.name)].quota = {.max_size = options.max_size,
                                                          .min_free = {.percent = kLeftFree}};
  return limits;
}

store::EntryKey entry_key(const std::string& readable) { return {.kind = kKeptSymcaches, .readable = readable}; }

store::Quality quality_of(Contents contents) {
  switch (contents) {
    case Contents::lines: return store::Quality::lines;
    case Contents::breakpad: return store::Quality::breakpad;
    case Contents::symbol_table: return store::Quality::symbol_table;
    case Contents::public_symbols: return store::Quality::public_symbols;
    case Contents::nothing: break;
  }
  return store::Quality::none;
}

}  // namespace

FileKey file_key_of(const fs::path& path, Bytes bytes, const FarPlaces& far) {
  FileKey key;
  std::error_code error;
  fs::path whole = fs::canonical(path, error);
  if (error) whole = fs::absolute(path, error);
  key.stamp = look_at(whole);
  const std::string id = own_id(bytes);
  if (!id.empty()) key.content = fmt::format("{} size={} ends={}", id, bytes.size(), ends_of(bytes));
  key.place = fmt::format("size={} mtime={} inode={} places={} {}", key.stamp.size, key.stamp.modified_ns,
                          key.stamp.inode, digest_of(as_bytes(options_text(far))).substr(0, 16), path_text(whole));
  return key;
}

store::Store* UserCache::opened() {
  std::call_once(once_, [this] {
    if (options_.directory.empty() || options_.max_size == 0 || !may_use(options_.directory)) return;
    auto store = store::Store::open(options_.directory, random_run(),
                                    {.checks_payloads = false, .quotas = {.limits = limits_of(options_)}});
    if (store) store_ = std::move(*store);
  });
  return store_.get();
}

std::optional<UserCache::Found> UserCache::find(const FileKey& key) {
  if (opened() == nullptr) return std::nullopt;
  if (!key.content.empty())
    if (auto found = find(key.content, false)) return found;
  return find(key.place, true);
}

std::optional<UserCache::Found> UserCache::find(const std::string& readable, bool is_of_place) {
  const store::Lookup lookup = store_->lookup(entry_key(readable));
  const auto* const hit = std::get_if<store::Hit>(&lookup);
  if (hit == nullptr) return std::nullopt;
  auto mapped = hit->entry->map();
  if (!mapped || mapped->bytes().size() < store::kPayloadOffset) return std::nullopt;
  auto kept = read_kept_symcache(mapped->bytes().subspan(store::kPayloadOffset));
  if (!kept || !symcache::Symcache::open(kept->symcache)) return std::nullopt;
  if (is_of_place ? !all_unchanged(kept->record.seen) : !kept->record.seen.empty()) return std::nullopt;
  return Found{std::move(*mapped), kept->symcache, std::move(kept->record.warnings)};
}

std::optional<store::KeyLocks::Guard> UserCache::try_lock(const FileKey& key) {
  store::Store* const store = opened();
  return store == nullptr ? std::nullopt : store->try_lock(entry_key(key.content.empty() ? key.place : key.content));
}

std::string UserCache::keep(const FileKey& key, const Made& made) {
  store::Store* const store = opened();
  if (store == nullptr) return "the directory cannot be used";
  const bool depends_on_others = !made.record.seen.empty() || !made.record.warnings.empty();
  const std::string& readable = key.content.empty() || depends_on_others ? key.place : key.content;
  const std::vector<std::byte> behind = write_kept_record(made.record);
  auto writer = store->create(entry_key(readable), {}, made.symcache.size() + behind.size());
  if (!writer) return writer.error();
  if (const auto written = writer->write(made.symcache); !written) return written.error();
  if (const auto written = writer->write(behind); !written) return written.error();
  const auto published = std::move(*writer).publish({.quality = quality_of(made.contents), .cost = made.cost});
  return published ? (*published)->not_kept() : published.error();
}

}  // namespace symcached::symbolize
