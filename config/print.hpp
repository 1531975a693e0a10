#pragma once
/// A Config as text.
#include <string>
#include <vector>

#include "config/config.hpp"
#include "config/fields.hpp"

namespace symcached::config {

/// As a file that parse() reads as the same Config, with a comment on each key; but for secrets that are hidden.
std::string print(Config config, Secrets secrets = Secrets::hidden);

/// All keys as a table of Markdown: key, type, default, what it does.
std::string table_of_keys();
/// The same of a source, with the types that have the key.
std::string table_of_source_keys();

}  // namespace symcached::config
