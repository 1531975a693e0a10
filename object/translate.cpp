#include "object/translate.hpp"

#include "object/from_elf.hpp"
#include "object/from_pdb.hpp"
#include "object/identify.hpp"

namespace symcached::object {

std::vector<NeedFile> needed_files(Bytes file, std::span<const Companion> companions) {
  switch (identify(file)) {
    case FileKind::elf: return needed_files_elf(file, companions);
    default: return {};
  }
}

Read<void> translate(const Original& original, model::ModuleSink& sink) {
  switch (const FileKind kind = identify(original.file)) {
    case FileKind::pdb: return translate_pdb(original.file, sink, original.release);
    case FileKind::elf: return translate_elf(original, sink);
    default: return bad_value("file.kind", 0, static_cast<std::uint64_t>(kind));
  }
}

}  // namespace symcached::object
