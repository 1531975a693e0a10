#pragma once
/// What gperftools' tcmalloc tells of its memory, if the program has it.
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "profiling/sampling/profile.hpp"

namespace symcached::pprof {

/// Memory in use, in the text of the pages of pprof. @return nullopt where the allocator is another one
std::optional<std::string> tcmalloc_heap_text();
/// What it took from the system.
std::optional<std::string> tcmalloc_growth_text();

/// Reads the header and the samples of such a text, up to the list of mappings; lines that do not fit are left out.
/// @param kind  heap or growth
/// @return why it is none, for whoever asked for a profile
std::expected<Profile, std::string> parse_heap_text(std::string_view text, Kind kind);

}  // namespace symcached::pprof
