#pragma once
/// What can be said of Portable PDBs, and of assemblies as far as they speak of theirs.
#include "formats/pe/reader.hpp"
#include "object/common/file_info.hpp"

namespace symcached::object {

void describe_portable_pdb(FileInfo& info, Bytes file);
/// Adds checksums, and what a PDB inside holds, to what is said of the image.
void describe_assembly(FileInfo& info, const pe::Image& image);

}  // namespace symcached::object
