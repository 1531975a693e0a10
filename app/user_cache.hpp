#pragma once
/// The user's cache as commands have it: options, environment, where it is. docs/lookup-cache.md.
#include <memory>
#include <string>

#include "symbolize/user_cache.hpp"

namespace CLI {
class App;
}

namespace symcached::app {

/// What the environment says, or else the defaults.
struct UserCacheChoice {
  bool is_off = false;
  std::string max_size;  ///< as "2GiB"; empty: the default
};

/// Declares --no-cache and --cache-size.
void add_user_cache_options(CLI::App& command, UserCacheChoice& choice);

/// Of this user, in default_cache_dir(); null if it is off: by the choice, by SYMCACHED_NO_CACHE, or because there is
/// no place for it. SYMCACHED_CACHE_SIZE counts unless the choice says a size; one that is none turns it off.
/// Files that were answered from in part are added to it by another process, `symcached cache add --behind`.
/// @param far  as the files are opened with
std::unique_ptr<symbolize::UserCache> open_user_cache(const UserCacheChoice& choice = {},
                                                      const symbolize::FarPlaces& far = {});

}  // namespace symcached::app
