#include "base/bytes.hpp"
#include "sources/path_words.hpp"
#include "wpt/path.hpp"

/// Whatever the text says, a folder is a folder, a server a server, and no place is there without bound; folders before
/// a place keep what is found there.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace symcached;
  const sources::PathMap map = {{"\\\\server\\share", "/mnt/share"}, {"C:", "/c"}};
  const auto path = wpt::parse_symcache_path(as_text(std::as_bytes(std::span(data, size))), map);
  if (sources::is_http(path.directory) || path.alternates.size() > wpt::kMaxAlternates) __builtin_trap();
  for (std::size_t i = 0; i < path.alternates.size(); ++i) {
    const wpt::Alternate& alternate = path.alternates[i];
    if (alternate.place.empty() || alternate.is_server != sources::is_http(alternate.place)) __builtin_trap();
    for (const std::size_t keeper : alternate.kept_in)
      if (keeper >= i || path.alternates[keeper].is_server) __builtin_trap();
  }
  return 0;
}
