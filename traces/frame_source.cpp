#include "traces/frame_source.hpp"

#include <array>

namespace symcached::traces {

std::string_view letter_of(NumberKind kind) {
  constexpr std::array<std::string_view, 6> kLetters{"A", "V", "B", "F", "N", "T"};
  return kLetters.at(static_cast<std::size_t>(kind));
}

std::string_view name_of(Status status) {
  constexpr std::array<std::string_view, 7> kNames{"ok",          "unverified", "no_module", "no_debug_file",
                                                   "id_mismatch", "ambiguous",  "no_map"};
  return kNames.at(static_cast<std::size_t>(status));
}

}  // namespace symcached::traces
