#pragma once
/// What an original was, in one line: whoever remembers that it was no use can tell whether it is still the same.
#include <sys/stat.h>

#include <string>
#include <string_view>

#include "fetch/http_result.hpp"

namespace symcached::fetch {

inline constexpr std::size_t kMaxIdentity = 512;  ///< bytes, printable ASCII

/// "size=4096 mtime=1700000000.000000001 inode=12"
std::string identity_of(const struct stat& info);
/// "length=4096 etag="x" last-modified=Tue,_15_Nov_2022_12:45:26_GMT", of which the ones that were sent; empty if none
std::string identity_of(const HttpHead& head);

/// Whether a field that both have differs. False where nothing can be compared: an answer to HEAD may lack what the
/// answer to GET had.
bool is_changed(std::string_view before, std::string_view now);

}  // namespace symcached::fetch
