#pragma once
/// Times as configurations have them, on top of base/quantity.hpp, and both as exact text.
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include "config/yaml.hpp"

namespace symcached::config {

/// "7d", "1h 30m", "90" (seconds), humantime's longer names ("2 weeks", "5min"), or a map such as `days: 7`.
/// @return the time, or the end of a sentence that says what is wrong
std::expected<std::chrono::milliseconds, std::string> read_duration(const Node& node);

/// The shortest text that parse_duration() reads as the same: "7d", "1h30m", "0s".
std::string duration_text(std::chrono::milliseconds value);

/// Exact: "20GiB", "15GB", "4097".
std::string exact_size_text(std::uint64_t bytes);

}  // namespace symcached::config
