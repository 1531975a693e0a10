#pragma once
/// Which servers get the headers of a request's `scraping`. docs/protocols/symbolicator.md
#include <span>
#include <string_view>

namespace symcached::service {

/// @param url      http or https
/// @param allowed  "*", or a host, also one whose first label is "*": each with "SCHEME://" before or ":PORT" behind it
///                 if only these count. What is none of this allows nothing; case does not count.
bool is_allowed_origin(std::string_view url, std::span<const std::string_view> allowed);

}  // namespace symcached::service
