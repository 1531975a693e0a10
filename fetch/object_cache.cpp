#include "fetch/object_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "fetch/cabinet.hpp"

namespace symcached::fetch {

Content sniff_file(int file, std::uint64_t offset) {
  std::array<std::byte, kSniffSize> start;
  const ssize_t n = ::pread(file, start.data(), start.size(), static_cast<off_t>(offset));
  return sniff(Bytes(start).first(static_cast<std::size_t>(std::max<ssize_t>(n, 0))));
}

Outcome refuse(Content content, const Wanted& wanted, const std::string& origin) {
  if (content == Content::web_page)
    return SoftFailure{fmt::format("{}: answered with a web page instead of a file, a login page most likely", origin)};
  return Refused{
      fmt::format("{}: is {}; asked for was {}", origin, describe(content), describe(content_of(wanted.id)))};
}

std::optional<Original> ObjectCache::find(const std::string& key, const Wanted& wanted, const std::string& origin) {
  auto found = look_up(key, origin);
  if (!found) return std::nullopt;
  auto verified = verify(wanted, found->bytes());
  if (!verified) return std::nullopt;
  found->note = std::move(*verified);
  return found;
}

std::optional<Original> ObjectCache::look_up(const std::string& key, const std::string& origin) {
  const store::Lookup found = store_.lookup(entry_key(key));
  const auto* hit = std::get_if<store::Hit>(&found);
  if (hit == nullptr) return std::nullopt;
  auto mapped = hit->entry->map();
  if (!mapped) return std::nullopt;
  return Original{std::move(*mapped), store::kPayloadOffset, origin};
}

std::expected<store::EntryWriter, std::string> ObjectCache::create(const std::string& key) {
  return store_.create(entry_key(key), store::Quality::preferred);
}

Outcome ObjectCache::keep(const std::string& key, const Wanted& wanted, store::EntryWriter written,
                          const std::string& origin) {
  const Content content = sniff_file(written.descriptor(), store::kPayloadOffset);
  if (content == content_of(wanted.id)) return publish(key, wanted, std::move(written), origin);
  if (content == Content::cabinet)
    return keep_unpacked(key, wanted, written.descriptor(), store::kPayloadOffset, origin);
  return refuse(content, wanted, origin);
}

Outcome ObjectCache::keep_unpacked(const std::string& key, const Wanted& wanted, int file, std::uint64_t offset,
                                   const std::string& origin) {
  auto unpacked = create(key);
  if (!unpacked) return SoftFailure{unpacked.error()};
  const auto sink = [&](Bytes piece) { return unpacked->write(piece); };
  if (const auto done = unpack_cabinet(file, offset, limits_, sink); !done) {
    if (done.error().ours) return SoftFailure{done.error().why};
    return Refused{fmt::format("{}: {}", origin, done.error().why)};
  }
  const Content content = sniff_file(unpacked->descriptor(), store::kPayloadOffset);
  if (content != content_of(wanted.id))
    return Refused{fmt::format("{}: the member of the cabinet is {}; asked for was {}", origin, describe(content),
                               describe(content_of(wanted.id)))};
  return publish(key, wanted, std::move(*unpacked), origin);
}

Outcome ObjectCache::publish(const std::string& key, const Wanted& wanted, store::EntryWriter written,
                             const std::string& origin) {
  std::string note;
  {
    const auto whole = MappedFile::from_descriptor(written.descriptor(), origin);
    if (!whole) return SoftFailure{whole.error()};
    auto verified = verify(wanted, whole->bytes().subspan(store::kPayloadOffset));
    if (!verified) return Refused{fmt::format("{}: {}", origin, verified.error())};
    note = std::move(*verified);
  }
  if (const auto published = std::move(written).publish(); !published) return SoftFailure{published.error()};
  if (auto found = look_up(key, origin)) {
    found->note = std::move(note);
    return std::move(*found);
  }
  return SoftFailure{fmt::format("{}: its cache entry went away at once", origin)};
}

}  // namespace symcached::fetch
