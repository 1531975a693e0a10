#pragma once
/// From a path in a source to the path of a URL.
#include <expected>
#include <string>
#include <string_view>

namespace symcached::fetch {

/// `path` below `prefix`, encoded, with one slash in front: what S3, GCS and Azure call a key.
/// @return the path, or why it is none: a segment "." or ".." means something else in a URL
std::expected<std::string, std::string> key_path(std::string_view prefix, std::string_view path);

/// A base URL that an operator gave, in lower case up to its path and without a slash at the end; `standard` if it is
/// empty.
std::string endpoint_url(std::string_view given, std::string standard);

}  // namespace symcached::fetch
