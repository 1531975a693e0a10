#pragma once
/// What the functions share that fetch a file into a directory. Private to `library/`.
#include <symcached/symcached.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/guarded.hpp"

namespace symcached::library {

inline constexpr std::chrono::milliseconds kUsualTimeout{600'000};

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
