#pragma once
/// What a configuration takes from the environment.
#include <functional>
#include <optional>
#include <string>

#include "config/config.hpp"
#include "config/report.hpp"
#include "config/row.hpp"

namespace symcached::config {

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

/// getenv().
std::optional<std::string> of_process(const std::string& name);

/// Replaces ${VAR} by its value and $$ by $ in all values but those of ignored keys. One that cannot be replaced is an
/// error, and its value becomes a null.
void expand(Node& root, const Environment& environment, std::span<const Ignored> ignored, Report& report);

/// The reverse for one text: $ as $$.
std::string unexpanded(std::string_view text);

/// The variables of Microsoft's sample server: SymCacheDirectory, SymbolServer, TranscoderPath, TranscoderVersion.
void use_microsofts(Config& config, const Environment& environment, Report& report);

}  // namespace symcached::config
