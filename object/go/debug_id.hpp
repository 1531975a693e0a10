#pragma once
/// An identity for Go programs whose file has none. Spec: docs/formats/gopclntab.md, "Identity".
#include "ids/guid.hpp"
#include "object/go/program.hpp"

namespace symcached::object {

/// The first 16 bytes of the SHA-256 of the Go build ID; where that was left out, of the code and the table.
/// Cost: reads the first 32 KiB of code, or all of it.
DebugId go_debug_id(const GoImage& image, const GoTable& table);

}  // namespace symcached::object
