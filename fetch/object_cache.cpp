#include "fetch/object_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "fetch/identity.hpp"
#include "fetch/verify.hpp"

namespace symcached::fetch {

std::expected<Content, int> sniff_file(int file, std::uint64_t offset) {
  std::array<std::byte, kSniffSize> start;
  while (true) {
    const ssize_t n = ::pread(file, start.data(), start.size(), static_cast<off_t>(offset));
    if (n >= 0) return sniff(Bytes(start).first(static_cast<std::size_t>(n)));
    if (errno != EINTR) return std::unexpected(errno);
  }
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

std::expected<store::EntryWriter, std::string> ObjectCache::create(const Item& item) {
  return store_.create(entry_key(item.wanted, item.scope), store::Quality::lines, item.identity);
}

/// Whichever of the two it was that turned out to be no use.
void ObjectCache::forget(const Wanted& wanted) {
  store_.remove(entry_key(wanted, wanted.scope));
  if (wanted.scope != kGlobalScope) store_.remove(entry_key(wanted, std::string(kGlobalScope)));
}

Task<Outcome> ObjectCache::keep(Item item, store::EntryWriter written) {
  const auto content = sniff_file(written.descriptor(), store::kPayloadOffset);
  if (!content) co_return Exhausted{"its cache entry cannot be read"};
  if (*content == content_of(item.wanted.file.type)) co_return co_await publish(std::move(item), std::move(written));
  if (*content == Content::cabinet) {
    const int file = written.descriptor();
    co_return co_await keep_unpacked(std::move(item), file, store::kPayloadOffset);
  }
  co_return *content == Content::web_page ? login_page(item.origin) : refuse(*content, item);
}

Task<Outcome> ObjectCache::keep_unpacked(Item item, int file, std::uint64_t offset) {
  auto unpacked = create(item);
  if (!unpacked) co_return Exhausted{std::move(unpacked.error())};
  ByteSink sink = [&](Bytes piece) { return unpacked->write(piece); };
  if (const auto done = co_await reader_.unpack(Wrapper::cabinet, file, offset, limits_, std::move(sink)); !done) {
    if (done.error().ours) co_return Exhausted{fmt::format("{}: {}", item.origin, done.error().why)};
    co_return Refused{fmt::format("{}: {}", item.origin, done.error().why), item.identity};
  }
  const auto content = sniff_file(unpacked->descriptor(), store::kPayloadOffset);
  if (!content) co_return Exhausted{"its cache entry cannot be read"};
  if (*content != content_of(item.wanted.file.type))
    co_return Refused{fmt::format("{}: in the cabinet: {}; expected {}", item.origin, describe(*content),
                                  describe(content_of(item.wanted.file.type))),
                      item.identity};
  co_return co_await publish(std::move(item), std::move(*unpacked));
}

Task<std::expected<std::string, Outcome>> ObjectCache::check(Item item, int file, std::uint64_t offset,
                                                             std::uint64_t size) {
  if (!is_verified(item.wanted.file.type)) co_return std::string();
  auto verified = co_await verify(item.wanted, file, offset, size);
  if (verified) co_return std::move(*verified);
  std::string why = fmt::format("{}: {}", item.origin, verified.error().why);
  if (verified.error().ours) co_return std::unexpected(Outcome(Exhausted{std::move(why)}));
  co_return std::unexpected(Outcome(Refused{std::move(why), item.identity}));
}

/// The checksums of a Portable PDB are over all of it; of other files what they state is enough.
Task<std::expected<std::string, FileError>> ObjectCache::verify(Wanted wanted, int file, std::uint64_t offset,
                                                                std::uint64_t size) {
  if (wanted.file.type == sources::FileType::portable_pdb)
    co_return co_await reader_.verify(std::move(wanted), file, offset, size);
  const auto stated = co_await read_ids_(file, offset, size);
  if (!stated) co_return std::unexpected(stated.error());
  auto same = verify_stated(wanted.file, *stated);
  if (!same) co_return std::unexpected(FileError{false, std::move(same.error())});
  co_return std::string();
}

Task<Outcome> ObjectCache::publish(Item item, store::EntryWriter written) {
  const int file = written.descriptor();
  auto note = co_await check(item, file, store::kPayloadOffset, written.size());
  if (!note) co_return std::move(note.error());
  const store::Provenance made{.original = true};
  const auto published = std::move(written).publish(made);
  if (!published) co_return Exhausted{published.error()};
  Outcome outcome = outcome_of(**published, item);
  if (auto* original = std::get_if<Original>(&outcome)) original->note = std::move(*note);
  co_return outcome;
}

}  // namespace symcached::fetch
