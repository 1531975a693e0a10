#pragma once
/// Amounts as people write them: sizes, spans of time, parts of a hundred. Errors are the end of a sentence that the
/// caller begins with the name of the value: `"20gb" has no unit we know; write 20GB or 20GiB`.
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace symcached {

/// "20GB" (powers of 1000), "20GiB" (powers of 1024), "1.5TB", "4096" or "4096B" (bytes). Units are B, kB or KB, MB,
/// GB, TB and KiB, MiB, GiB, TiB, spelt so; a space may precede them. Fractions of a byte are dropped.
std::expected<std::uint64_t, std::string> parse_size(std::string_view text);

/// "7d", "90s", "1h30m", "250ms", "0": whole numbers of d, h, m, s, ms, each at most once, the larger unit first.
/// At most 100 years.
std::expected<std::chrono::milliseconds, std::string> parse_duration(std::string_view text);

/// "5%", "0.5%". @return 0 to 100
std::expected<double, std::string> parse_percent(std::string_view text);

/// Three digits or so, powers of 1000: "0 B", "4.1 kB", "20 GB".
std::string size_text(std::uint64_t bytes);

}  // namespace symcached
