#pragma once
/// What can be said of Portable PDBs, of assemblies as far as they speak of theirs, and of our caches for .NET.
#include "formats/pe/reader.hpp"
#include "object/identify.hpp"

namespace symcached::object {

void describe_portable_pdb(FileInfo& info, Bytes file);
/// Adds checksums, and what a PDB inside holds, to what is said of the image.
void describe_assembly(FileInfo& info, const pe::Image& image);
void describe_ppdbcache(FileInfo& info, Bytes file);

}  // namespace symcached::object
