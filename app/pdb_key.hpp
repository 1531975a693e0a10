#pragma once
/// A PDB as a command line names it.
#include <expected>
#include <string>

#include "client/symcache_server.hpp"

namespace symcached::app {

/// @param id   GUID, then `age` counts; or GUID and age as symbol stores write them: 32 digits, then the age in hex
/// @param age  decimal; null: 1
/// @return the key, its name unchecked, or what is wrong, in one line
std::expected<client::SymcacheKey, std::string> pdb_key_of(const std::string& name, const std::string& id,
                                                           const std::string* age);

}  // namespace symcached::app
