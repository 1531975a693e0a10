#include "store/store.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/hex.hpp"
#include "base/overloaded.hpp"

namespace symcached::store {
namespace {

constexpr std::int64_t kTouchEvery = 3600;  ///< seconds
constexpr std::size_t kMaxChecked = 65536;  ///< entries remembered as checked
constexpr std::size_t kReadSize = 1 << 20;  ///< bytes a read while a payload is checked

std::optional<Head> read_head_of(int file, std::uint64_t file_size) {
  std::array<std::byte, kPayloadOffset> page;
  const ssize_t n = ::pread(file, page.data(), page.size(), 0);
  if (n < 0) return std::nullopt;
  const auto head = read_head(Bytes(page).first(static_cast<std::size_t>(n)), file_size);
  return head ? std::optional(*head) : std::nullopt;
}

/// Reads, not maps: a file that somebody cuts while we look at it must not raise a signal.
bool payload_holds(int file, const Head& head) {
  Sha256Hasher hasher;
  std::vector<std::byte> buffer(kReadSize);
  std::uint64_t at = 0;
  while (at < head.payload_size) {
    const ssize_t n = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(kPayloadOffset + at));
    if (n <= 0) return false;
    hasher.update(Bytes(buffer).first(static_cast<std::size_t>(n)));
    at += static_cast<std::uint64_t>(n);
  }
  return at == head.payload_size && hasher.finish() == head.payload_sha256;
}

std::int64_t changed_ns(const struct stat& info) {
  return std::int64_t{info.st_ctim.tv_sec} * 1'000'000'000 + info.st_ctim.tv_nsec;
}

Lookup negative_lookup(const Head& head, std::uint64_t boot) {
  switch (head.state) {
    case State::absent: return Absent{head.created};
    case State::malformed:
      if (head.boot != boot) return Miss{};
      return Malformed{head.created, head.reason};
    case State::unavailable: return Unavailable{head.created, head.failures, head.reason};
    case State::file: break;
  }
  return Miss{};
}

Head negative_head(const Negative& negative) {
  return std::visit(
      overloaded{
          [](const Absent& a) { return Head{.state = State::absent, .created = a.checked}; },
          [](const Malformed& m) { return Head{.state = State::malformed, .created = m.checked, .reason = m.why}; },
          [](const Unavailable& u) {
            return Head{.state = State::unavailable, .failures = u.failures, .created = u.checked, .reason = u.why};
          }},
      negative);
}

}  // namespace

std::expected<std::unique_ptr<Store>, std::string> Store::open(std::filesystem::path directory, std::uint64_t boot,
                                                               LeftOvers left_overs) {
  std::error_code error;
  const std::filesystem::path temporary = directory / "tmp";
  std::filesystem::create_directories(temporary, error);
  if (error)
    return std::unexpected(
        fmt::format("cache directory {}: could not create it: {}", directory.string(), error.message()));
  if (left_overs == LeftOvers::remove)
    for (const auto& left_over : std::filesystem::directory_iterator(temporary, error))
      std::filesystem::remove_all(left_over.path(), error);
  if (::access(temporary.c_str(), W_OK | X_OK) != 0)
    return std::unexpected(
        fmt::format("cache directory {}: cannot write to it: {}", directory.string(), std::strerror(errno)));
  return std::unique_ptr<Store>(new Store(std::move(directory), boot));
}

std::filesystem::path Store::path_of(const EntryKey& key) const {
  const std::string name = to_hex(sha256(as_bytes(key.readable)));
  return directory_ / key.kind.name / fmt::format("v{}", key.kind.version) / key.scope / name.substr(0, 2) /
         name.substr(2);
}

Lookup Store::lookup(const EntryKey& key) { return look(key, true).value_or(Miss{}); }

std::optional<Lookup> Store::lookup_checked(const EntryKey& key) { return look(key, false); }

std::optional<Lookup> Store::look(const EntryKey& key, bool may_read_payload) {
  const std::string path = path_of(key).string();
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat info{};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return Miss{};
  const auto size = static_cast<std::uint64_t>(info.st_size);
  const auto same = [&](const Checked& c) {
    return c.inode == info.st_ino && c.changed_ns == changed_ns(info) && c.size == size;
  };
  std::optional<Head> head;
  bool checked = false;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = checked_.find(path); found != checked_.end() && same(found->second)) {
      head = found->second.head;
      checked = true;
    }
  }
  if (!head) head = read_head_of(file.get(), size);
  if (!head || head->key != key.readable) return Miss{};
  if (head->state != State::file) return negative_lookup(*head, boot_);
  if (!checked) {
    if (!may_read_payload) return std::nullopt;
    if (!payload_holds(file.get(), *head)) return Miss{};
    const std::scoped_lock lock(mutex_);
    if (checked_.size() >= kMaxChecked) checked_.clear();
    checked_.insert_or_assign(path, Checked{info.st_ino, changed_ns(info), size, *head});
  }
  auto entry = std::make_shared<const Entry>(std::move(file), std::move(*head));
  touch(*entry, info.st_mtim.tv_sec, path);
  return Hit{std::move(entry)};
}

/// Marks the entry as used now. Our own touch changes the change time too, so what was checked is noted anew.
void Store::touch(const Entry& entry, std::int64_t used_seconds, const std::string& path) {
  if (std::chrono::system_clock::to_time_t(Clock::now()) - used_seconds < kTouchEvery) return;
  struct stat info{};
  if (::futimens(entry.file().get(), nullptr) != 0 || ::fstat(entry.file().get(), &info) != 0) return;
  const std::scoped_lock lock(mutex_);
  if (const auto found = checked_.find(path); found != checked_.end() && found->second.inode == info.st_ino)
    found->second.changed_ns = changed_ns(info);
}

std::expected<EntryWriter, std::string> Store::create(const EntryKey& key, Quality quality) {
  return create_with(key, Head{.state = State::file, .quality = quality, .created = now()});
}

std::expected<EntryWriter, std::string> Store::create_with(const EntryKey& key, Head head) {
  head.boot = boot_;
  head.key = key.readable;
  const std::filesystem::path temporary = directory_ / "tmp";
  std::error_code ignored;
  std::filesystem::create_directories(temporary, ignored);  // somebody may have emptied the cache directory
  std::string name = (temporary / "entry-XXXXXX").string();
  Descriptor file(::mkostemp(name.data(), O_CLOEXEC));
  if (!file) return std::unexpected(fmt::format("{}: could not create it: {}", name, std::strerror(errno)));
  return EntryWriter(std::move(file), std::move(name), path_of(key), std::move(head));
}

std::expected<void, std::string> Store::remember(const EntryKey& key, const Negative& negative) {
  auto writer = create_with(key, negative_head(negative));
  if (!writer) return std::unexpected(std::move(writer.error()));
  return std::move(*writer).publish();
}

void Store::remove(const EntryKey& key) {
  std::error_code ignored;
  std::filesystem::remove(path_of(key), ignored);
}

}  // namespace symcached::store
