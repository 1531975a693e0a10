#include "object/translate.hpp"

#include "object/from_elf.hpp"
#include "object/from_macho.hpp"
#include "object/from_pdb.hpp"
#include "object/from_wasm.hpp"
#include "object/identify.hpp"

namespace symcached::object {

std::vector<NeedFile> needed_files(Bytes file, std::span<const Companion> companions) {
  switch (identify(file)) {
    case FileKind::elf: return needed_files_elf(file, companions);
    case FileKind::macho:
    case FileKind::macho_fat: return needed_files_macho(file, companions);
    case FileKind::wasm: return needed_files_wasm(file, companions);
    default: return {};
  }
}

Read<void> translate(const Original& original, model::ModuleSink& sink) {
  switch (const FileKind kind = identify(original.file)) {
    case FileKind::pdb: return translate_pdb(original.file, sink, original.release);
    case FileKind::elf: return translate_elf(original, sink);
    case FileKind::macho:
    case FileKind::macho_fat: return translate_macho(original, sink);
    case FileKind::wasm: return translate_wasm(original, sink);
    default: return bad_value("file.kind", 0, static_cast<std::uint64_t>(kind));
  }
}

}  // namespace symcached::object
