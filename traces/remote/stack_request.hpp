#pragma once
/// Questions as a server with Symbolicator's API takes them. Pure. Spec: docs/protocols/symbolicator.md.
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <vector>

#include "sources/module_ids.hpp"
#include "sources/module_type.hpp"
#include "stacks/explain.hpp"
#include "traces/frame_source.hpp"

namespace symcached::traces {

inline constexpr std::size_t kBatchFrames = 5'000, kBatchModules = 500;

/// Bytes from the image's start, or of .NET the offset in the method's IL. The call before a return address is meant
/// already. @return or why a server cannot be asked
std::expected<std::uint64_t, stacks::Trouble> remote_place(const FrameQuestion& question);

/// Whether that place is what the text states, and not what most linkers make of it.
bool is_sure(const FrameQuestion& question);

/// Of a module as a text names it: the type is guessed from ids and name.
sources::ModuleType remote_type(const FrameQuestion& question);
sources::ModuleIds remote_ids(const FrameQuestion& question);

/// The same for questions about the same module.
std::string module_key(const FrameQuestion& question);

struct StackRequest {
  std::string body;
  std::vector<std::size_t> frames;   ///< of each frame the index of its question
  std::vector<std::size_t> modules;  ///< of each module that of a question about it
};

/// One stack with a frame for each question: as many as fit into a batch.
/// @param asked  indices of questions that have a remote_place()
StackRequest stack_request(std::span<const FrameQuestion> questions, std::span<const std::size_t> asked,
                           bool with_explanations);

}  // namespace symcached::traces
