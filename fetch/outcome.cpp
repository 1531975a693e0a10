#include "fetch/outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace symcached::fetch {

Wanted wanted_of(sources::FileRequest file, std::string scope) {
  std::string key = sources::key_text(file);
  return {std::move(file), std::move(key), std::move(scope)};
}

Bytes Original::bytes_in(const MappedFile& mapped) const {
  const Bytes all = mapped.bytes();
  const auto start = static_cast<std::size_t>(std::min<std::uint64_t>(offset, all.size()));
  return all.subspan(start, static_cast<std::size_t>(std::min<std::uint64_t>(size, all.size() - start)));
}

bool is_exhaustion(int error) {
  constexpr std::array kErrors{EMFILE, ENFILE, ENOMEM, ENOBUFS, ENOSPC, EDQUOT};
  return std::ranges::find(kErrors, error) != kErrors.end();
}

Outcome failed_locally(std::string_view what, int error) {
  std::string why = fmt::format("{}: {}", what, std::strerror(error));
  if (is_exhaustion(error)) return Exhausted{std::move(why)};
  return TransientError{std::move(why)};
}

}  // namespace symcached::fetch
