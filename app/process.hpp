#pragma once
/// What a server asks of its process.
#include <cstddef>

namespace symcached::app {

/// A write to a connection whose reader has gone, or to a file beyond the limit of sizes, fails instead of ending the
/// program, in every thread: libcurl and OpenSSL write without MSG_NOSIGNAL. Programs started from this one inherit
/// it, so reset it for them.
void ignore_write_signals();

/// As many open files as the hard limit allows; if that fails, as many as before. @return how many
std::size_t raise_descriptor_limit();

/// How many conversions may have files open at once beside the connections, which get the larger part of `max_files`.
std::size_t jobs_for(std::size_t max_files);

}  // namespace symcached::app
