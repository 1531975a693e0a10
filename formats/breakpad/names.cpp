#include "formats/breakpad/names.hpp"

#include <algorithm>
#include <cstring>

#include "formats/breakpad/reader.hpp"

namespace symcached::breakpad {

void NumberedNames::finish() {
  if (!std::ranges::is_sorted(all_, {}, &Entry::number)) std::ranges::stable_sort(all_, {}, &Entry::number);
  const auto repeated = std::ranges::unique(all_, {}, &Entry::number);
  all_.erase(repeated.begin(), repeated.end());
  direct_.clear();
  if (all_.empty()) return;
  const std::size_t limit = std::min<std::size_t>(all_.size() * 4 + 1024, std::size_t{all_.back().number} + 1);
  direct_.assign(limit, kNone);
  for (std::uint32_t i = 0; i < all_.size() && all_[i].number < limit; ++i) direct_[all_[i].number] = i;
}

std::uint32_t NumberedNames::find(std::uint32_t number) const {
  if (number < direct_.size()) return direct_[number];
  const auto at = std::ranges::lower_bound(all_, number, {}, &Entry::number);
  if (at == all_.end() || at->number != number) return kNone;
  return static_cast<std::uint32_t>(at - all_.begin());
}

Read<Names> read_names(Bytes text) {
  Names names;
  const auto* const first = reinterpret_cast<const char*>(text.data());
  for (std::size_t at = 0; at < text.size();) {
    const void* feed = std::memchr(first + at, '\n', text.size() - at);
    const std::size_t end =
        feed == nullptr ? text.size() : static_cast<std::size_t>(static_cast<const char*>(feed) - first);
    const std::string_view line(first + at, end - at);
    if (line.starts_with("FILE") || line.starts_with("INLINE_ORIGIN")) {
      Reader reader(as_bytes(line));
      auto kind = reader.next();
      if (!kind) {
        kind.error().offset += at;
        return std::unexpected(kind.error());
      }
      if (*kind == RecordKind::file) names.files.add(reader.name().number, reader.name().name);
      if (*kind == RecordKind::inline_origin) names.origins.add(reader.name().number, reader.name().name);
    }
    at = end + 1;
  }
  names.files.finish();
  names.origins.finish();
  return names;
}

}  // namespace symcached::breakpad
