#pragma once
/// The rules of a source as text, to be compared.
#include <string>

#include "sources/source_config.hpp"

namespace symcached::sources {

/// What decides which files a source is asked for and which are taken, but for its place and its credentials: two that
/// have the same text give the same answers about the same place.
std::string rules_text(const SourceConfig& config);

}  // namespace symcached::sources
