#include "fetch/object_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "fetch/identity.hpp"
#include "fetch/verify.hpp"

namespace symcached::fetch {
namespace {

/// Of a file that holds one packed file; what comes before `offset` is not of it.
std::uint64_t packed_size(int file, std::uint64_t offset) {
  struct stat info{};
  if (::fstat(file, &info) != 0 || info.st_size < 0) return 0;
  const auto size = static_cast<std::uint64_t>(info.st_size);
  return size > offset ? size - offset : 0;
}

}  // namespace

std::expected<Sniffed, int> sniff_file(int file, std::uint64_t offset, sources::FileType wanted) {
  std::array<std::byte, kSniffSize> buffer;
  while (true) {
    const ssize_t n = ::pread(file, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return std::unexpected(errno);
    const Bytes start = Bytes(buffer).first(static_cast<std::size_t>(n));
    return Sniffed{sniff(start), wrapper_of(start, wanted)};
  }
}

bool is_wanted(Content content, const Wanted& wanted) {
  return content == content_of(wanted.file.type) || (wanted.or_native && content == Content::pdb);
}

bool is_native_pdb(const Original& original) {
  const auto sniffed = sniff_file(original.file.get(), original.offset, sources::FileType::pdb);
  return sniffed && sniffed->content == Content::pdb;
}

Outcome refuse(Content content, const ObjectCache::Item& item) {
  std::string why =
      fmt::format("{}: {}; expected {}", item.origin, describe(content), describe(content_of(item.wanted.file.type)));
  if (content == Content::empty) return NotWhole{std::move(why), item.identity};
  return Refused{std::move(why), item.identity};
}

Outcome login_page(const std::string& origin) {
  return TransientError{fmt::format("{}: got a web page instead of a file, probably a login page", origin)};
}

Task<std::optional<Outcome>> ObjectCache::find(Item item) {
  const std::string global(kGlobalScope);
  if (item.wanted.scope != global) {
    auto found = co_await find_in(item.wanted.scope, item);
    if (found) co_return found;
  }
  co_return co_await find_in(global, std::move(item));
}

Task<std::optional<Outcome>> ObjectCache::find_in(std::string scope, Item item) {
  auto found = look_up(item, scope);
  auto* original = found ? std::get_if<Original>(&*found) : nullptr;
  if (original == nullptr) co_return found;
  if (is_changed(original->identity, item.identity)) co_return std::nullopt;
  const int file = original->file.get();
  auto checked = co_await check(item, file, original->offset, original->size);
  if (!checked && std::holds_alternative<Refused>(checked.error())) co_return std::nullopt;
  if (!checked) co_return std::move(checked.error());
  original->note = std::move(*checked);
  co_return found;
}

std::optional<Outcome> ObjectCache::look_up(const Item& item, const std::string& scope) {
  const store::Lookup found = store_.lookup(entry_key(item.wanted, scope));
  if (const auto* failed = std::get_if<store::Exhausted>(&found)) return Exhausted{failed->why};
  const auto* hit = std::get_if<store::Hit>(&found);
  if (hit == nullptr) return std::nullopt;
  return outcome_of(*hit->entry, item);
}

Outcome ObjectCache::outcome_of(const store::Entry& entry, const Item& item) {
  Descriptor file(::fcntl(entry.file().get(), F_DUPFD_CLOEXEC, 0));
  if (!file) return failed_locally(fmt::format("{}: cannot open its cache entry", item.origin), errno);
  std::string identity = entry.head().identity;
  return Original{.file = std::move(file),
                  .offset = store::kPayloadOffset,
                  .size = entry.size(),
                  .origin = item.origin,
                  .identity = identity.empty() ? item.identity : std::move(identity),
                  .digest = entry.head().payload_sha256};
}

std::expected<store::EntryWriter, std::string> ObjectCache::create(const Item& item, std::uint64_t size) {
  return store_.create(entry_key(item.wanted, item.scope), item.identity, size);
}

/// Whichever of the two it was that turned out to be no use.
void ObjectCache::forget(const Wanted& wanted) {
  store_.remove(entry_key(wanted, wanted.scope));
  if (wanted.scope != kGlobalScope) store_.remove(entry_key(wanted, std::string(kGlobalScope)));
}

Task<Outcome> ObjectCache::keep(Item item, store::EntryWriter written) {
  const int file = written.descriptor();
  const auto sniffed = sniff_file(file, store::kPayloadOffset, item.wanted.file.type);
  if (!sniffed) co_return Exhausted{"its cache entry cannot be read"};
  if (sniffed->wrapper)
    co_return co_await keep_unpacked(std::move(item), *sniffed->wrapper, file, store::kPayloadOffset);
  co_return co_await judge(std::move(item), sniffed->content, std::move(written), "");
}

Task<Outcome> ObjectCache::keep_unpacked(Item item, Wrapper wrapper, int file, std::uint64_t offset) {
  Limits limits = limits_;
  std::optional<store::EntryWriter> outer;  // of what was unpacked last
  for (unsigned layer = 1;; ++layer) {
    auto unpacked = create(item);
    if (!unpacked) co_return Exhausted{std::move(unpacked.error())};
    ByteSink sink = [&](Bytes piece) { return unpacked->write(piece); };
    const auto done = co_await reader_.unpack(wrapper, file, offset, limits, std::move(sink));
    if (!done) {
      std::string why = fmt::format("{}: {}", item.origin, done.error().why);
      if (done.error().ours) co_return Exhausted{std::move(why)};
      co_return Refused{std::move(why), item.identity};
    }
    const auto sniffed = sniff_file(unpacked->descriptor(), store::kPayloadOffset, item.wanted.file.type);
    if (!sniffed) co_return Exhausted{"its cache entry cannot be read"};
    if (!sniffed->wrapper || layer == kMaxWrappers) {
      const std::string where = fmt::format("in the {}", name_of(wrapper));
      co_return co_await judge(std::move(item), sniffed->content, std::move(*unpacked), where);
    }
    if (layer == 1) limits.max_unpacked = allowed_from(packed_size(file, offset), limits);
    outer.emplace(std::move(*unpacked));
    wrapper = *sniffed->wrapper;
    file = outer->descriptor();
    offset = store::kPayloadOffset;
  }
}

/// @param where  it was found; empty: it lay there as it is
Task<Outcome> ObjectCache::judge(Item item, Content content, store::EntryWriter written, std::string_view where) {
  if (is_wanted(content, item.wanted)) co_return co_await publish(std::move(item), std::move(written));
  if (content == Content::web_page) co_return login_page(item.origin);
  if (!where.empty()) item.origin += fmt::format(": {}", where);
  co_return refuse(content, item);
}

Task<std::expected<std::string, Outcome>> ObjectCache::check(Item item, int file, std::uint64_t offset,
                                                             std::uint64_t size) {
  if (!is_verified(item.wanted.file.type)) co_return std::string();
  if (item.wanted.or_native) {
    const auto sniffed = sniff_file(file, offset, item.wanted.file.type);
    if (sniffed && sniffed->content == Content::pdb) co_return std::string();
  }
  auto verified = co_await reader_.verify(item.wanted, file, offset, size);
  if (verified) co_return std::move(*verified);
  std::string why = fmt::format("{}: {}", item.origin, verified.error().why);
  if (verified.error().ours) co_return std::unexpected(Outcome(Exhausted{std::move(why)}));
  co_return std::unexpected(Outcome(Refused{std::move(why), item.identity}));
}

Task<Outcome> ObjectCache::publish(Item item, store::EntryWriter written) {
  const int file = written.descriptor();
  auto note = co_await check(item, file, store::kPayloadOffset, written.size());
  if (!note) co_return std::move(note.error());
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - item.begun);
  const store::Provenance made{.quality = store::Quality::lines, .cost = took, .original = true};
  const auto published = std::move(written).publish(made);
  if (!published) co_return Exhausted{published.error()};
  Outcome outcome = outcome_of(**published, item);
  if (auto* original = std::get_if<Original>(&outcome)) original->note = std::move(*note);
  co_return outcome;
}

}  // namespace symcached::fetch
