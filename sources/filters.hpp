#pragma once
/// Which files a source is asked for.
#include <string_view>

#include "sources/module_ids.hpp"
#include "sources/source_config.hpp"

namespace symcached::sources {

/// Types, then names: a module of which no name is known matches no pattern.
bool passes(const Filters& filters, const FileRequest& request);

/// Whether `path` is as `glob` says: '*' is any text, '/' too, '?' one character, all else itself. Case does not count,
/// '\' is '/'. Cost: at most the product of both lengths.
bool matches_glob(std::string_view glob, std::string_view path);

}  // namespace symcached::sources
