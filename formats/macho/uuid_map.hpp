#pragma once
/// Reads the property lists of dSYMs of bitcode builds: which build the names of this one were hidden in.
#include "base/bytes.hpp"
#include "ids/guid.hpp"

namespace symcached::macho {

/// The UUID that the BCSymbolMap of a dSYM is named by, where Apple compiled the program anew and gave it another one:
/// the text of DBGOriginalUUID, of the dictionary that is the list. Only lists in XML, in UTF-8.
/// Cost: one pass, no memory.
Read<Guid> read_original_uuid(Bytes property_list);

}  // namespace symcached::macho
