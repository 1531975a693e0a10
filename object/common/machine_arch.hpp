#pragma once
#include <cstdint>

#include "model/module.hpp"

namespace symcached::object {

/// The architecture of a PE machine number, which PDBs use too (arm64ec and arm64x are arm64).
model::Arch arch_of_machine(std::uint16_t machine);

}  // namespace symcached::object
