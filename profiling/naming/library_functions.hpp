#pragma once
/// libsymcached, if it is there: part of the program, loaded, or to be loaded.
#include <symcached/symcached.h>

#include <optional>
#include <string>

namespace symcached::pprof {

/// The functions of symcached.h that naming needs.
struct LibraryFunctions {
  decltype(&symcached_open) open = nullptr;
  decltype(&symcached_close) close = nullptr;
  decltype(&symcached_cache) cache = nullptr;
  decltype(&symcached_warning) warning = nullptr;
  decltype(&symcached_answer_new) answer_new = nullptr;
  decltype(&symcached_answer_free) answer_free = nullptr;
  decltype(&symcached_lookup) lookup = nullptr;
  decltype(&symcached_frames) frames = nullptr;
  // Null in versions before them.
  decltype(&symcached_fetch_debug_file) fetch_debug_file = nullptr;
  decltype(&symcached_fetch_debug_file_with) fetch_debug_file_with = nullptr;
};

/// Those linked into the program (statically, too, with -Wl,--undefined=symcached_abi_version) or loaded already, else
/// those of a library that is loaded now, for good.
/// @param library  as dlopen() takes it; empty: none is loaded
/// @return         nothing if there is none, or one of another ABI version
std::optional<LibraryFunctions> find_library(const std::string& library);

}  // namespace symcached::pprof
