#pragma once
/// Why frames have no name or no line, as JSON. Pure. Spec: docs/protocols/symbolicator.md.
#include <span>
#include <string>

#include "stacks/gaps.hpp"

namespace symcached::api {

/// `,"explanations":[…]`, to stand behind another member.
/// @param states  of the modules of the request: where their files were asked for
/// @param now     for `retry_after`
std::string explanations_member(std::span<const stacks::Explanation> explanations,
                                std::span<const stacks::ModuleState> states, stacks::WallTime now);

}  // namespace symcached::api
