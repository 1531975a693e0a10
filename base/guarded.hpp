#pragma once
/// What the C functions of our libraries share: no exception leaves them, errors are sentences in a buffer, structs
/// grow at their end.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

namespace symcached {

/// Copies a sentence; a character of UTF-8 is not cut in its middle.
inline void put_error(std::string_view why, char* error, std::size_t size) {
  if (error == nullptr || size == 0) return;
  std::size_t kept = std::min(why.size(), size - 1);
  const auto is_continued = [&](std::size_t at) { return (static_cast<unsigned char>(why[at]) & 0xC0) == 0x80; };
  while (kept != 0 && kept < why.size() && is_continued(kept)) --kept;
  std::copy_n(why.data(), kept, error);
  error[kept] = '\0';
}

/// What `call` returns; where it throws, `otherwise`.
template <class Result, class Call>
Result guarded(Result otherwise, char* error, std::size_t size, const Call& call) noexcept {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    put_error("out of memory", error, size);
  } catch (const std::exception& e) {
    put_error(e.what(), error, size);
  } catch (...) {
    put_error("internal error", error, size);
  }
  return otherwise;
}

/// What the caller's version of the struct has; the rest is 0.
template <class Options>
Options whole(const Options* options) {
  Options all{};
  if (options != nullptr) std::memcpy(&all, options, std::min(options->struct_size, sizeof(all)));
  return all;
}

}  // namespace symcached
