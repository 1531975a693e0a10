#pragma once
/// Why frames of a trace have no names, as commands print it.
#include <span>
#include <string>
#include <vector>

#include "stacks/explain.hpp"

namespace symcached::app {

/// Lines for people: the module and why, where its files were looked for, what would help.
std::vector<std::string> lines_of(const stacks::ModuleExplanation& explanation);

/// {"explanations":[…]}
std::string json_of(std::span<const stacks::ModuleExplanation> explanations);

}  // namespace symcached::app
