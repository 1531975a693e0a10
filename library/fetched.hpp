#pragma once
/// What the functions share that fetch a file into a directory. Private to `library/`.
#include <symcached/symcached.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/guarded.hpp"
#include "sources/source_config.hpp"

namespace symcached::library {

inline constexpr std::chrono::milliseconds kUsualTimeout{600'000};

inline std::string text_or_empty(const char* text) { return text == nullptr ? "" : text; }

inline std::chrono::milliseconds timeout_of(const symcached_fetch_options& options) {
  return options.timeout_ms == 0 ? kUsualTimeout : std::chrono::milliseconds(options.timeout_ms);
}

/// The credentials, without a URL.
inline sources::HttpPlace login_of(const symcached_fetch_options& options) {
  return {.url = {},
          .user = text_or_empty(options.user),
          .password = text_or_empty(options.password),
          .bearer_token = text_or_empty(options.bearer_token),
          .negotiate = options.negotiate != 0};
}

struct Fetched {
  int status = SYMCACHED_FETCH_FAILED;
  std::string text;  ///< the path; otherwise why there is none
};

/// Buffers of the caller, for the path or else for a sentence.
struct Told {
  char* path;
  std::size_t path_size;
  char* error;
  std::size_t error_size;
};

/// @param what   "the symcache": what has a path that may be too long
/// @param fetch  makes a Fetched
/// @return       the status that the caller gets
template <class Fetch>
int tell_fetched(std::string_view what, const Told& to, const Fetch& fetch) noexcept {
  return guarded<int>(SYMCACHED_FETCH_FAILED, to.error, to.error_size, [&] {
    Fetched fetched = fetch();
    if (fetched.status == SYMCACHED_FETCHED && fetched.text.size() >= to.path_size)
      fetched = {SYMCACHED_FETCH_FAILED,
                 std::string(what) + " is there, but its path is longer than the buffer for it"};
    const bool is_there = fetched.status == SYMCACHED_FETCHED;
    put_error(fetched.text, is_there ? to.path : to.error, is_there ? to.path_size : to.error_size);
    return fetched.status;
  });
}

}  // namespace symcached::library
