#pragma once
/// What a server asks of its process.

namespace symcached::app {

/// A write to a connection or pipe whose reader has gone fails instead of ending the program, in every thread:
/// libcurl and OpenSSL write without MSG_NOSIGNAL. Programs started from this one inherit it, so reset it for them.
void ignore_sigpipe();

/// As many open files as the hard limit allows; if that fails, as many as before.
void raise_descriptor_limit();

}  // namespace symcached::app
