#include "profiling/naming/library_functions.hpp"

#include <dlfcn.h>

// Null where nobody has linked the static library: this one does not need it.
#pragma weak symcached_abi_version
#pragma weak symcached_open
#pragma weak symcached_close
#pragma weak symcached_cache
#pragma weak symcached_warning
#pragma weak symcached_answer_new
#pragma weak symcached_answer_free
#pragma weak symcached_lookup
#pragma weak symcached_frames
#pragma weak symcached_fetch_debug_file
#pragma weak symcached_fetch_debug_file_with

namespace symcached::pprof {
namespace {

template <class Function>
bool look_up(void* library, const char* name, Function& out) {
  out = reinterpret_cast<Function>(::dlsym(library, name));
  return out != nullptr;
}

std::optional<LibraryFunctions> linked() {
  if (symcached_abi_version == nullptr || symcached_abi_version() != SYMCACHED_ABI_VERSION) return std::nullopt;
  const LibraryFunctions all{.open = symcached_open,
                             .close = symcached_close,
                             .cache = symcached_cache,
                             .warning = symcached_warning,
                             .answer_new = symcached_answer_new,
                             .answer_free = symcached_answer_free,
                             .lookup = symcached_lookup,
                             .frames = symcached_frames,
                             .fetch_debug_file = symcached_fetch_debug_file,
                             .fetch_debug_file_with = symcached_fetch_debug_file_with};
  const bool is_whole = all.open != nullptr && all.close != nullptr && all.cache != nullptr && all.warning != nullptr &&
                        all.answer_new != nullptr && all.answer_free != nullptr && all.lookup != nullptr &&
                        all.frames != nullptr;
  return is_whole ? std::optional(all) : std::nullopt;
}

std::optional<LibraryFunctions> functions_of(void* library) {
  decltype(&symcached_abi_version) version = nullptr;
  if (!look_up(library, "symcached_abi_version", version) || version() != SYMCACHED_ABI_VERSION) return std::nullopt;
  LibraryFunctions all;
  const bool is_whole =
      look_up(library, "symcached_open", all.open) && look_up(library, "symcached_close", all.close) &&
      look_up(library, "symcached_cache", all.cache) && look_up(library, "symcached_warning", all.warning) &&
      look_up(library, "symcached_answer_new", all.answer_new) &&
      look_up(library, "symcached_answer_free", all.answer_free) && look_up(library, "symcached_lookup", all.lookup) &&
      look_up(library, "symcached_frames", all.frames);
  look_up(library, "symcached_fetch_debug_file", all.fetch_debug_file);
  look_up(library, "symcached_fetch_debug_file_with", all.fetch_debug_file_with);
  return is_whole ? std::optional(all) : std::nullopt;
}

}  // namespace

std::optional<LibraryFunctions> find_library(const std::string& library) {
  if (auto found = linked()) return found;
  if (auto found = functions_of(RTLD_DEFAULT)) return found;
  // Never closed: a thread may be in the middle of a conversion when the program ends.
  void* const loaded = library.empty() ? nullptr : ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  return loaded == nullptr ? std::nullopt : functions_of(loaded);
}

}  // namespace symcached::pprof
