#pragma once
/// File names that came from a request: checked before they join a path or a URL.
#include <expected>
#include <string>
#include <string_view>

namespace symcached::sources {

inline constexpr std::size_t kMaxFileName = 255;  ///< bytes; the limit of the usual file systems

/// @return nothing if `name` is one plain file name on every system, or what is wrong with it
std::expected<void, std::string> check_file_name(std::string_view name);

}  // namespace symcached::sources
