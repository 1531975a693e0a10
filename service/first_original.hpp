#pragma once
/// The file that is wanted, from the first source that has it. Private to `service/`.
#include <variant>

#include "fetch/file_reader.hpp"
#include "net/task.hpp"
#include "service/originals.hpp"

namespace symcached::service {

/// A Negative: what the sources said together.
using FirstOriginal = std::variant<fetch::Original, store::Negative, fetch::Exhausted>;

/// Asks one source after the other. A file that states other ids than its place is refused, and the next one is asked.
Task<FirstOriginal> first_original(Originals& originals, fetch::FileReader& reader, fetch::Wanted wanted,
                                   SharedSources sources);

}  // namespace symcached::service
