#pragma once
/// Paths below `/proxy/`: those of symbol stores, and of SSQP for other systems. Pure. Spec:
/// docs/protocols/symbol-proxy.md.
#include <optional>
#include <span>
#include <string>

#include "sources/module_ids.hpp"

namespace symcached::api {

/// @param segments  behind `/proxy/`, still percent-encoded
/// @return the file that they name; nothing if they name none
std::optional<sources::FileRequest> parse_proxy_path(std::span<const std::string> segments);

}  // namespace symcached::api
