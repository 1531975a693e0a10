#pragma once
/// All pages: /pprof/ in the formats of gperftools, /debug/pprof/ in profile.proto. docs/pprof.md
#include <string>

#include "profiling/page.hpp"
#include "profiling/sources.hpp"

namespace symcached::pprof {

inline constexpr std::size_t kMaxBody = 64 << 20;  ///< bytes of a request

class Handlers {
 public:
  /// @param token  what clients have to send, as a bearer token or as a password; empty: nothing
  explicit Handlers(Sources sources, std::string token = {});

  /// Any number at a time, from any thread. A profile takes as long as it is asked to and blocks the caller meanwhile.
  PageResponse handle(const PageRequest& request) const noexcept;

  /// Whether this page is one of ours, for servers that have others.
  static bool is_page(std::string_view target);

 private:
  PageResponse answer(const PageRequest& request) const;

  const Sources sources_;
  const std::string token_;
};

}  // namespace symcached::pprof
