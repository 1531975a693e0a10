#pragma once
/// What Go's linker writes into a program about its making. Spec: docs/formats/gopclntab.md, "Identity".
#include <string_view>

#include "base/bytes.hpp"

namespace symcached::go {

/// The build ID at the start of a program's code, between its quotes: "A/B/C/D"; empty if there is none.
/// Cost: reads up to 32 KiB.
std::string_view find_build_id(Bytes text);

/// Where the text of the build ID begins: that is where runtime.text is, too. Nothing if there is none.
std::size_t build_id_at(Bytes text);
inline constexpr std::size_t kNoBuildId = ~std::size_t{0};

}  // namespace symcached::go
