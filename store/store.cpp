#include "store/store.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <new>
#include <utility>

#include "store/entry_name.hpp"
#include "store/reading.hpp"
#include "store/unnamed_files.hpp"

namespace symcached::store {
namespace {

constexpr std::int64_t kTouchEvery = 3600;  ///< seconds

/// A name that stands for no file. Anything else that goes wrong says nothing about the key.
bool is_no_file(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP; }

std::shared_ptr<Parts> parts_of(std::unique_ptr<Files> files, const StoreOptions& options,
                                std::unique_ptr<Quotas> quotas) {
  return std::shared_ptr<Parts>(
      new Parts{std::move(files), Negatives(options.negatives), DiskSpace(options.now), std::move(quotas)});
}

}  // namespace

std::expected<std::unique_ptr<Store>, std::string> Store::open(std::filesystem::path directory, std::uint64_t boot,
                                                               StoreOptions options) {
  auto files = Directory::open(directory, boot, options.temporary_files);
  if (!files) return std::unexpected(std::move(files.error()));
  options.quotas.now = options.now;
  const auto is_ours = [directory = files->get()] { return directory->is_ours(); };
  auto quotas = std::make_unique<Quotas>(directory, boot, is_ours, options.quotas);
  std::unique_ptr<Store> store(
      new Store(parts_of(std::move(*files), options, std::move(quotas)), directory, is_ours, options.max_absent_files));
  store->checks_payloads_ = options.checks_payloads;
  return store;
}

std::unique_ptr<Store> Store::unnamed(StoreOptions options) {
  options.max_absent_files = 0;  // memory is all there is
  return std::make_unique<Store>(std::make_unique<UnnamedFiles>(), std::move(options));
}

Store::Store(std::unique_ptr<Files> files, StoreOptions options)
    : Store(parts_of(std::move(files), options, nullptr), {}, {}, options.max_absent_files) {}

Store::Store(std::shared_ptr<Parts> parts, std::filesystem::path directory, std::function<bool()> is_ours,
             std::size_t max_absent_files)
    : parts_(std::move(parts)), max_absent_files_(max_absent_files), locks_(std::move(directory), std::move(is_ours)) {}

std::filesystem::path Store::path_of(const EntryKey& key) const { return parts_->files->path(entry_name(key)); }

Lookup Store::lookup(const EntryKey& key) { return look(key, true).value_or(Miss{}); }

std::optional<Lookup> Store::lookup_checked(const EntryKey& key) { return look(key, false); }

std::optional<Lookup> Store::look(const EntryKey& key, bool may_read_payload) try {
  const std::string name = entry_name(key);
  auto file = parts_->files->open(name);
  if (file) return look_at(std::move(*file), key, name, may_read_payload);
  if (is_no_file(file.error())) return without_file(name);
  return exhausted(name, "open", file.error());
} catch (const std::bad_alloc&) {
  return Exhausted{"out of memory"};  // short enough not to be allocated
}

std::optional<Lookup> Store::look_at(Descriptor file, const EntryKey& key, const std::string& name,
                                     bool may_read_payload) {
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return exhausted(name, "stat", errno);
  if (!S_ISREG(info.st_mode)) return without_file(name);
  const FileStamp stamp = stamp_of(info);
  if (auto checked = checked_.find(name, stamp)) {
    if (!checked->head) return without_file(name);
    return hit(std::move(file), std::move(checked->head), info, name);
  }
  auto head = read_head_of(file.get(), stamp.size);
  if (!head) return exhausted(name, "read", head.error());
  if (!*head || (*head)->key != key.readable) return without_file(name);
  if ((*head)->state == State::absent)
    return without_file(name, Absent{.checked = (*head)->created, .asked = (*head)->identity});
  if (!checks_payloads_) return hit(std::move(file), std::make_shared<const Head>(std::move(**head)), info, name);
  if (!may_read_payload) return std::nullopt;
  const auto holds = payload_holds(file.get(), **head);
  if (!holds) return exhausted(name, "read", holds.error());
  auto whole = *holds ? std::make_shared<const Head>(std::move(**head)) : nullptr;
  checked_.put(name, {stamp, whole});
  if (!whole) return without_file(name);
  return hit(std::move(file), std::move(whole), info, name);
}

Lookup Store::without_file(const std::string& name, std::optional<Absent> on_disk) {
  auto remembered = parts_->negatives.find(name);
  if (!remembered || (on_disk && on_disk->checked > checked(*remembered)))
    return on_disk ? Lookup(*on_disk) : Lookup(Miss{});
  if (auto* absent = std::get_if<Absent>(&*remembered)) {
    const bool kept = on_disk && on_disk->checked == absent->checked;
    absent->worth_keeping = absent->worth_keeping && !kept && absent_files_ < max_absent_files_;
  }
  return std::visit([](auto& negative) { return Lookup(std::move(negative)); }, *remembered);
}

/// Marks the entry as used now. Our own touch changes the change time too, so what was checked is noted anew.
Lookup Store::hit(Descriptor file, std::shared_ptr<const Head> head, const struct stat& info, const std::string& name) {
  if (std::chrono::system_clock::to_time_t(Clock::now()) - info.st_mtim.tv_sec >= kTouchEvery) {
    struct stat now{};
    if (::futimens(file.get(), nullptr) == 0 && ::fstat(file.get(), &now) == 0)
      checked_.restamp(name, stamp_of(info), stamp_of(now));
    if (parts_->quotas) parts_->quotas->used(name);
  }
  return Hit{std::make_shared<const Entry>(std::move(file), std::move(head))};
}

Exhausted Store::exhausted(const std::string& name, std::string_view doing, int error) const {
  return {failure(parts_->files->path(name), doing, error).why};
}

std::expected<EntryWriter, std::string> Store::create(const EntryKey& key, std::string_view identity,
                                                      std::uint64_t size) {
  return create_with(key, Head{.created = now(), .identity = one_line(identity, kMaxIdentity)}, size);
}

std::expected<EntryWriter, std::string> Store::create_with(const EntryKey& key, Head head, std::uint64_t size) {
  if (key.readable.size() > kMaxKey)
    return std::unexpected(fmt::format("key too long: {} bytes, the limit is {}", key.readable.size(), kMaxKey));
  const std::string place = place_of(key);
  if (!parse_place(place)) return std::unexpected(fmt::format("\"{}\" cannot be the place of an entry", place));
  if (auto why = no_space()) return std::unexpected(fmt::format("not written: {}", *why));
  const bool is_sized = parts_->quotas && size != 0 && size <= UINT64_MAX - kPayloadOffset;
  if (auto why = is_sized ? parts_->quotas->objection(entry_name(key), kPayloadOffset + size) : std::nullopt)
    return std::unexpected(std::move(*why));
  head.key = key.readable;
  auto file = parts_->files->create();
  if (!file && parts_->free_up(file.error().error, 0)) file = parts_->files->create();
  if (!file) {
    parts_->space.failed(file.error());
    return std::unexpected(std::move(file.error().why));
  }
  return EntryWriter(parts_, std::move(*file), entry_name(key), std::move(head));
}

std::shared_ptr<const Entry> Store::share(const EntryKey& key, const Sha256& source) {
  if (source == Sha256{}) return nullptr;
  const auto is_same = [&](const Head& head) { return head.key == key.readable && head.source_sha256 == source; };
  return link_to_twin(*parts_, entry_name(key), content_of(source), is_same);
}

std::optional<KeyLocks::Guard> Store::try_lock(const EntryKey& key) { return locks_.try_lock(entry_name(key)); }

void Store::remember(const EntryKey& key, const Negative& negative) {
  parts_->negatives.put(entry_name(key), negative);
}

/// Another process may have published one by now.
bool Store::has_file(const std::string& name) const {
  struct stat info{};
  const auto file = parts_->files->open(name);
  if (!file || ::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  const auto head = read_head_of(file->get(), static_cast<std::uint64_t>(info.st_size));
  return head && *head && (*head)->state == State::file;
}

std::expected<void, std::string> Store::keep(const EntryKey& key) {
  const std::string name = entry_name(key);
  const auto remembered = parts_->negatives.peek(name);
  const auto* absent = remembered ? std::get_if<Absent>(&*remembered) : nullptr;
  if (absent == nullptr || has_file(name)) return {};
  if (absent_files_.fetch_add(1) >= max_absent_files_) {
    --absent_files_;
    return {};
  }
  auto writer = create_with(key, Head{.state = State::absent, .created = absent->checked, .identity = absent->asked});
  auto kept = writer ? std::move(*writer).publish() : std::unexpected(std::move(writer.error()));
  if (kept) return {};
  --absent_files_;
  return std::unexpected(std::move(kept.error()));
}

void Store::remove(const EntryKey& key) {
  const std::string name = entry_name(key);
  parts_->files->remove(name);
  if (parts_->quotas) parts_->quotas->removed(name);
  parts_->negatives.drop(name);
}

}  // namespace symcached::store
