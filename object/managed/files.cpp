#include "object/managed/files.hpp"

#include <algorithm>

#include "formats/ppdb/checksum.hpp"

namespace symcached::object {
namespace {

bool holds_only_il(const pe::Image& image) {
  const auto header = pe::cli_header(image);
  return header && *header && ((*header)->flags & pe::kCliIlOnly) != 0;
}

/// The PDB has the id that the assembly names, and hashes to what it says.
bool belongs(const pe::DebugFiles& assembly, const ppdb::Pdb& pdb) {
  const pe::CodeView* view = assembly.portable();
  if (view == nullptr || view->debug_id() != pdb.debug_id()) return false;
  return std::ranges::none_of(assembly.checksums, [&](const pe::PdbChecksum& sum) {
    return ppdb::verify_checksum(pdb, sum.algorithm, sum.digest) == ppdb::ChecksumResult::different;
  });
}

}  // namespace

bool is_managed(Bytes file) {
  if (ppdb::is_metadata(file)) return true;
  if (!pe::is_image(file)) return false;
  const auto image = pe::Image::open(file);
  if (!image || !image->directory(pe::Directory::clr_header)) return false;
  const auto debug = pe::debug_files(*image);
  return (debug && (debug->portable() != nullptr || debug->embedded)) || holds_only_il(*image);
}

Read<ManagedFiles> ManagedFiles::open(Bytes file, std::span<const Companion> companions) {
  ManagedFiles files;
  if (ppdb::is_metadata(file)) {
    if (auto ok = files.open_pdb(file); !ok) return std::unexpected(ok.error());
    files.look_for_assembly(companions);
    return files;
  }
  SC_TRY(const auto image, pe::Image::open(file));
  if (auto ok = files.open_assembly(image); !ok) return std::unexpected(ok.error());
  if (files.debug_files_.embedded) {
    SC_TRY(files.unpacked_, pe::unpack(*files.debug_files_.embedded));
    if (auto ok = files.open_pdb(files.unpacked_.bytes()); !ok) return std::unexpected(ok.error());
  } else {
    files.look_for_pdb(companions);
  }
  return files;
}

Read<void> ManagedFiles::open_assembly(const pe::Image& image) {
  SC_TRY(const auto metadata, pe::metadata(image));
  if (!metadata) return bad_value("pe.clr_header", 0, 0);
  SC_TRY(auto opened, ppdb::Metadata::open(*metadata));
  SC_TRY(auto debug, pe::debug_files(image));
  assembly_ = std::make_unique<ppdb::Metadata>(std::move(opened));
  SC_TRY(names_, ppdb::Names::open(*assembly_));
  debug_files_ = std::move(debug);
  return {};
}

Read<void> ManagedFiles::open_pdb(Bytes file) {
  SC_TRY(auto pdb, ppdb::Pdb::open(file));
  pdb_ = std::make_unique<ppdb::Pdb>(std::move(pdb));
  return {};
}

void ManagedFiles::look_for_pdb(std::span<const Companion> companions) {
  for (const Companion& one : companions) {
    if (one.need.kind != NeedFile::Kind::portable_pdb || !open_pdb(one.file)) continue;
    if (belongs(debug_files_, *pdb_)) return;
    pdb_.reset();
  }
}

void ManagedFiles::look_for_assembly(std::span<const Companion> companions) {
  for (const Companion& one : companions) {
    if (one.need.kind != NeedFile::Kind::assembly) continue;
    const auto image = pe::Image::open(one.file);
    if (image && open_assembly(*image) && belongs(debug_files_, *pdb_)) return;
    names_.reset();
    assembly_.reset();
    debug_files_ = {};
  }
}

DebugId ManagedFiles::debug_id() const {
  if (pdb_) return pdb_->debug_id();
  const pe::CodeView* view = debug_files_.portable();
  return view != nullptr ? view->debug_id() : DebugId();
}

std::vector<NeedFile> needed_files_managed(Bytes file, std::span<const Companion> companions) {
  const auto files = ManagedFiles::open(file, companions);
  if (!files) return {};
  if (files->pdb() == nullptr) {
    const pe::CodeView* view = files->debug_files().portable();
    if (view == nullptr) return {};
    return {{.kind = NeedFile::Kind::portable_pdb,
             .path = std::string(view->debug_file),
             .directory = {},
             .build_id = view->debug_id().dashed()}};
  }
  if (files->has_assembly()) return {};
  return {{.kind = NeedFile::Kind::assembly, .path = {}, .directory = {}, .build_id = files->debug_id().dashed()}};
}

}  // namespace symcached::object
