#pragma once
/// A .NET module's two halves, whichever of them was given: the assembly with names, the Portable PDB with lines.
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/buffer.hpp"
#include "formats/pe/managed.hpp"
#include "formats/ppdb/names.hpp"
#include "formats/ppdb/reader.hpp"
#include "object/common/original.hpp"

namespace symcached::object {

/// True for a Portable PDB, and for an assembly that names one, holds one, or has nothing but IL. A mixed image
/// (C++/CLI) with a native PDB is not meant: its frames have addresses. Cost: headers.
bool is_managed(Bytes file);

class ManagedFiles {
 public:
  /// A companion that is not of the same build (ids differ, or the assembly's checksum of the PDB does) is left aside.
  /// @param file        for which is_managed(); must outlive what is opened, as must the companions
  /// Cost: reads small tables; an embedded PDB is unpacked, a PDB beside an assembly with checksums is hashed.
  static Read<ManagedFiles> open(Bytes file, std::span<const Companion> companions = {});

  /// Null: not at hand.
  const ppdb::Pdb* pdb() const { return pdb_.get(); }
  /// Null: the assembly is not at hand.
  const ppdb::Names* names() const { return names_ ? &*names_ : nullptr; }
  /// What the assembly says of its PDB; nothing where it is not at hand.
  const pe::DebugFiles& debug_files() const { return debug_files_; }
  bool has_assembly() const { return assembly_ != nullptr; }
  /// Of the PDB, or as the assembly has it; zero where neither says.
  DebugId debug_id() const;

 private:
  Read<void> open_assembly(const pe::Image& image);
  Read<void> open_pdb(Bytes file);
  void look_for_pdb(std::span<const Companion> companions);
  void look_for_assembly(std::span<const Companion> companions);

  Buffer unpacked_;                           // an embedded PDB
  std::unique_ptr<ppdb::Metadata> assembly_;  // where names_ finds it
  std::optional<ppdb::Names> names_;
  std::unique_ptr<ppdb::Pdb> pdb_;
  pe::DebugFiles debug_files_;
};

/// The other half, if the file does not hold it: an assembly's PDB by its recorded name, a PDB's assembly beside it.
std::vector<NeedFile> needed_files_managed(Bytes file, std::span<const Companion> companions);

}  // namespace symcached::object
