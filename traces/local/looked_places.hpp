#pragma once
/// Where the files of a module were looked for on this machine, and what was found, for explanations.
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "stacks/explain.hpp"
#include "traces/frame_source.hpp"
#include "traces/local/module_files.hpp"

namespace symcached::traces {

/// The ids and names of a module that a question is about.
sources::ModuleIds ids_of(const FrameQuestion& question);

/// @param places  that were searched
/// @param found   what came of it: files of the build, or of others
std::vector<stacks::CandidateInfo> looked_places(const FrameQuestion& question,
                                                 std::span<const std::filesystem::path> places,
                                                 const ModuleFiles::Found& found);

}  // namespace symcached::traces
