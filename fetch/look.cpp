#include "fetch/look.hpp"

namespace symcached::fetch {
namespace {

bool is_found(const Glimpse& glimpse, Seeking seeking) {
  return seeking == Seeking::id ? !glimpse.stated.empty() : glimpse.offers.has_value();
}

bool is_same_file(const HttpHead& part, const HttpHead& start, std::uint64_t size) {
  const auto range = ContentRange::parse(part.content_range);
  return range && range->total == size && part.etag == start.etag && part.last_modified == start.last_modified;
}

}  // namespace

Task<Glimpse> look(Downloader& downloader, FileReader& reader, Remote remote, std::shared_ptr<PartFile> parts,
                   Seeking seeking, unsigned max_requests) {
  for (unsigned requests = 0;; ++requests) {
    auto glimpse = co_await reader.glimpse(parts->descriptor(), parts->known());
    if (!glimpse) co_return Glimpse();
    const auto more = glimpse->more;
    if (is_found(*glimpse, seeking) || !more || requests == max_requests) co_return std::move(*glimpse);
    const Peeked peeked = co_await downloader.peek(remote.path, remote.headers, *more);
    const bool is_part = peeked.result.answered(206) && peeked.bytes.size() == more->size;
    if (!is_part || !is_same_file(peeked.result.head, remote.head, parts->size())) co_return std::move(*glimpse);
    if (!parts->add(more->offset, as_bytes(peeked.bytes))) co_return std::move(*glimpse);
  }
}

}  // namespace symcached::fetch
