#pragma once
/// The media types of the SymCache protocol, and the version that one states.
/// Spec: docs/protocols/symcache-http.md, "The response".
#include <cstdint>
#include <optional>
#include <string_view>

#include "wpt/version.hpp"

namespace symcached::client {

enum class Format : std::uint8_t {
  microsoft,  ///< application/vnd.ms-symcache, versions from 3.0.0
  open,       ///< application/vnd.symcached.symcache, versions 2.x
};

/// Below it there is nothing of that format to be had.
wpt::Version minimum_of(Format format);
/// The format of a version: the two have no major number in common.
Format format_of(const wpt::Version& version);

struct SymcacheType {
  Format format = Format::microsoft;
  std::optional<wpt::Version> version = {};
  bool operator==(const SymcacheType&) const = default;
};

/// Reads a Content-Type. Case of type and parameter names does not count; the version may be quoted; other parameters
/// are passed over.
/// @return nothing if it is another type, or states a version that is none, or two
std::optional<SymcacheType> parse_media_type(std::string_view text);

}  // namespace symcached::client
