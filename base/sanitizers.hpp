#pragma once
/// Whether this build runs under a sanitizer, which reserves address space and makes system calls of its own.

#if defined(__has_feature)
#define SC_HAS_FEATURE(x) __has_feature(x)
#else
#define SC_HAS_FEATURE(x) 0
#endif

namespace symcached {

#if defined(__SANITIZE_THREAD__) || SC_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || SC_HAS_FEATURE(address_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = kThreadSanitized;
#endif

}  // namespace symcached

#undef SC_HAS_FEATURE
