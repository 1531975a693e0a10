#pragma once
/// From an original to its derived cache, as a plain function for the CPU pool.
#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "ids/guid.hpp"
#include "object/translate.hpp"

namespace symcached::service {

struct DerivedSymcache {
  std::vector<std::byte> file;  ///< a whole symcache, opened once by the reader before it is handed out
  DebugId debug_id;             ///< what the original says it is; the caller compares it with what was asked for
};

/// @return the symcache of `original` and its companions, or a sentence that names the field and what is wrong with it
/// Cost: about 0.4 s per 100 MB of PDB; memory about 8 times the result.
std::expected<DerivedSymcache, std::string> derive_symcache_from(const object::Original& original);

/// The same for a file without companions, on one thread.
/// @param release  called now and then while reading: pages of a mapped original may go (MappedFile::release_pages)
std::expected<DerivedSymcache, std::string> derive_symcache(Bytes original, const std::function<void()>& release = {});

}  // namespace symcached::service
