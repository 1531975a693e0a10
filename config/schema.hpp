#pragma once
/// The keys of the file.
#include "config/config.hpp"
#include "config/row.hpp"

namespace symcached::config {

/// Rows that read into `config` and write from it; it outlives them.
Rows rows_of(Config& config);

struct SourceType {
  std::string_view name;  ///< as `type` has it
  sources::Location location;
};
std::span<const SourceType> source_types();

/// What it is where its keys are not given: the layout is Symbolicator's, native.
sources::SourceConfig default_source(std::string id, const SourceType& type);

/// Of one source, whose location says of what type it is.
Rows rows_of(sources::SourceConfig& source);

/// A list of sources: maps whose `type` says which further keys they have. Ids are unique.
Field source_list(std::vector<sources::SourceConfig>& sources);

}  // namespace symcached::config
