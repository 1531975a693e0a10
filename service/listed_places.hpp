#pragma once
/// Where Symbolicator looks for the files of a module: every type of file that might help, at each place of a source's
/// layout. What it lists and we do not need is asked only for those who want the list. docs/protocols/symbolicator.md
#include <string>
#include <vector>

#include "fetch/source.hpp"
#include "service/cache_query.hpp"

namespace symcached::service {

struct ListedPlace {
  fetch::Wanted wanted;
  std::string path;  ///< below the root of the source
};

/// What the files are looked for.
enum class Purpose : std::uint8_t {
  names,    ///< of functions, and lines
  sources,  ///< the text of source files
};

/// Each place once, in the order of types. Empty: the source has none for such modules. Asks nobody.
std::vector<ListedPlace> listed_places(fetch::Source& source, const CacheQuery& query, Purpose purpose);

}  // namespace symcached::service
